package execution

import (
	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/regularfile"
)

// A Grouped is the CPU time of a component's own code in goroutines of one kind, in one test.
type Grouped struct {
	probe.Grouped
	Started Statement // of a Grouped without labels
}

// A Statement is a go statement: the function that it is in, as the linker has it, without type
// arguments, and its place. It is zero where that is not known.
type Statement struct {
	Function, File string
	Line           int
}

// groups finds the go statements of what a program's samples saw.
func (p Program) groups(log *probe.Log) map[string][]Grouped {
	if len(log.Groups) == 0 {
		return nil
	}
	known := p.statements
	if known == nil {
		known = make(map[uint32]Statement)
	}
	p.findStatements(known, log)
	all := make(map[string][]Grouped, len(log.Groups))
	for test, list := range log.Groups {
		for _, g := range list {
			all[test] = append(all[test], Grouped{g, known[g.Statement]})
		}
	}
	return all
}

// findStatements adds those that are not known yet. Where the program's file cannot be read, they are
// zero.
func (p Program) findStatements(known map[uint32]Statement, log *probe.Log) {
	var table *pclntab.Table
	for _, list := range log.Groups {
		for _, g := range list {
			if _, found := known[g.Statement]; found {
				continue
			}
			known[g.Statement] = Statement{}
			if table == nil {
				f, err := regularfile.Open(p.file)
				if err != nil {
					return
				}
				defer f.Close()
				if table, err = pclntab.Open(f); err != nil {
					return
				}
			}
			if frames := table.FramesBefore(nil, g.Statement); len(frames) > 0 {
				known[g.Statement] = Statement{probe.WithoutTypeArguments(frames[0].Function), frames[0].File, frames[0].Line}
			}
		}
	}
}
