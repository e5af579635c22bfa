package execution

import (
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/regularfile"
)

// A Callee is a function without a probe that a component called directly, in one test.
type Callee struct {
	Row      int    // of the component
	Function string // as the linker has it, without type arguments
	Assembly bool
	NS       uint64 // CPU time in it, and in what it called
}

// callees finds the names of the callees that a program's samples saw. There are none where
// the program's file cannot be read: then it is not known in what its components spent time.
func (p Program) callees(log *probe.Log) map[string][]Callee {
	if len(log.Callees) == 0 {
		return nil
	}
	f, err := regularfile.Open(p.file)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := probe.NamesOf(f)
	if err != nil {
		return nil
	}
	known := make(map[uint32]string)
	all := make(map[string][]Callee, len(log.Callees))
	for test, callees := range log.Callees {
		for _, c := range callees {
			name, read := known[c.Name]
			if !read {
				name, _ = names.At(c.Name)
				known[c.Name] = name
			}
			if name != "" {
				all[test] = append(all[test], Callee{c.Row, name, c.Assembly, c.NS})
			}
		}
	}
	return all
}
