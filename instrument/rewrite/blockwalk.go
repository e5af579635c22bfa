package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
)

// A blockWalk goes through one function.
type blockWalk struct {
	file *File
	at   map[token.Pos]int // the block that begins behind a bracket or colon
	Blocks
}

// A place is where a list of statements stands.
type place struct {
	block int    // whose row is on top there
	label string // of the statement that is looked at
	loops []loop // that it is in, the innermost last
	jumps *jumps
}

type loop struct {
	label string
	block int
	calls bool // something between two iterations
}

// jumps are the labels and gotos of a function or literal. A goto may stand
// before its label.
type jumps struct {
	labels map[string]int // block of the list that the label is in
	gotos  []jump
}

type jump struct {
	label  string
	offset int
	from   int // block
}

// function walks the body of the function, or of a literal in it.
func (w *blockWalk) function(body *ast.BlockStmt) {
	p := place{block: ownRow, jumps: &jumps{labels: make(map[string]int)}}
	w.statements(body.List, p)
	for _, j := range p.jumps.gotos {
		if to, ok := p.jumps.labels[j.label]; ok && to != j.from {
			w.add(j.offset, blockIsOver, to)
		}
	}
}

func (w *blockWalk) add(offset int, format string, block int) {
	w.switches = append(w.switches, rowSwitch{offset, format, block})
}

func (w *blockWalk) statements(list []ast.Stmt, p place) {
	for i, s := range list {
		if i > 0 && spreads(list[i-1]) {
			w.add(w.file.offset(s.Pos()), blockIsOver, p.block)
		}
		w.statement(s, p)
	}
}

func (w *blockWalk) statement(s ast.Stmt, p place) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		p.label = ""
		w.statements(s.List, p)
	case *ast.LabeledStmt:
		p.jumps.labels[s.Label.Name], p.label = p.block, s.Label.Name
		w.statement(s.Stmt, p)
	case *ast.BranchStmt:
		w.branch(s, p)
	case *ast.IfStmt:
		w.ifElse(s, p)
	case *ast.ForStmt:
		w.literals(s.Init, s.Cond, s.Post)
		w.loop(s.Body, calls(s.Cond, s.Post), p)
	case *ast.RangeStmt:
		w.literals(s.Key, s.Value, s.X)
		w.loop(s.Body, calls(s.Key, s.Value, s.X), p)
	case *ast.SwitchStmt:
		w.literals(s.Init, s.Tag)
		w.clauses(s.Body, p)
	case *ast.TypeSwitchStmt:
		w.literals(s.Init, s.Assign)
		w.clauses(s.Body, p)
	case *ast.SelectStmt:
		w.clauses(s.Body, p)
	default:
		w.literals(s)
	}
}

func (w *blockWalk) branch(s *ast.BranchStmt, p place) {
	at := w.file.offset(s.Pos())
	switch {
	case s.Tok == token.GOTO && s.Label != nil:
		p.jumps.gotos = append(p.jumps.gotos, jump{s.Label.Name, at, p.block})
	case s.Tok == token.CONTINUE:
		for i := len(p.loops) - 1; i >= 0; i-- {
			to := p.loops[i]
			if s.Label != nil && s.Label.Name != to.label {
				continue
			}
			if to.calls && to.block != p.block {
				w.add(at, blockIsOver, to.block)
			}
			return
		}
	}
}

func (w *blockWalk) ifElse(s *ast.IfStmt, p place) {
	w.literals(s.Init, s.Cond)
	w.statements(s.Body.List, w.open(p, s.Body.Lbrace))
	switch other := s.Else.(type) {
	case *ast.IfStmt:
		w.ifElse(other, p)
	case *ast.BlockStmt:
		w.statements(other.List, w.open(p, other.Lbrace))
	}
}

func (w *blockWalk) loop(body *ast.BlockStmt, between bool, p place) {
	inner := w.open(p, body.Lbrace)
	inner.loops = slices.Concat(p.loops, []loop{{p.label, inner.block, between}})
	w.statements(body.List, inner)
	if n := len(body.List); between && n > 0 && spreads(body.List[n-1]) {
		w.add(w.file.offset(body.Rbrace), bodyEnds, inner.block)
	}
}

// clauses walks a switch or select, which is no block itself.
func (w *blockWalk) clauses(body *ast.BlockStmt, p place) {
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, value := range c.List {
				w.literals(value)
			}
			w.statements(c.Body, w.open(p, c.Colon))
		case *ast.CommClause:
			w.literals(c.Comm)
			w.statements(c.Body, w.open(p, c.Colon))
		}
	}
}

// open begins the block after the bracket or colon at p, and returns the place of its
// statements.
func (w *blockWalk) open(p place, opening token.Pos) place {
	p.block, p.label = w.at[opening], ""
	w.add(w.file.offset(opening)+1, blockStarts, p.block)
	return p
}

// literals walks the function literals in nodes, which may be nil. Literals have the row
// of their function, though they may run on other goroutines.
func (w *blockWalk) literals(nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				w.function(lit.Body)
			}
			return !ok
		})
	}
}
