package execution

import (
	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/regularfile"
)

// A Part is a part of a component's own time, in one test.
type Part struct {
	Row      int    // of the component
	Line     int    // of its source; 0 if it is not known
	Function string // without a probe that the line called, as the linker has it, without type arguments; "" for none, or if its name is not known
	Assembly bool   // that function is
	NS       uint64 // CPU time, in that function with what it called
}

// parts finds the names of the functions without a probe that a program's samples saw. Where the
// program's file cannot be read, only the lines are known.
func (p Program) parts(log *probe.Log) map[string][]Part {
	if len(log.Parts) == 0 {
		return nil
	}
	name := p.names()
	all := make(map[string][]Part, len(log.Parts))
	for test, parts := range log.Parts {
		for _, c := range parts {
			all[test] = append(all[test], Part{c.Row, c.Line, name(c.Name), c.Assembly, c.NS})
		}
	}
	return all
}

// names returns the names of functions by their offset; "" for those that are not known.
func (p Program) names() func(offset uint32) string {
	unknown := func(uint32) string { return "" }
	f, err := regularfile.Open(p.file)
	if err != nil {
		return unknown
	}
	names, err := pclntab.NamesOf(f)
	if err != nil {
		f.Close()
		return unknown
	}
	known := map[uint32]string{0: ""}
	return func(offset uint32) string {
		name, read := known[offset]
		if !read {
			name, _ = names.At(offset)
			name = probe.WithoutTypeArguments(name)
			known[offset] = name
		}
		return name
	}
}
