package instrument

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"

	"spell-lsp/spell/gosource"
)

// A blockWalk goes through one function.
type blockWalk struct {
	file *sourceFile
	fn   gosource.Func
	blocks
}

// A place is where a list of statements stands.
type place struct {
	block int            // whose row is on top there
	path  string         // of what is in it: "for1."
	count map[string]int // of what is in it, by kind
	label string         // of the statement that is looked at
	loops []loop         // that it is in, the innermost last
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

// name numbers one more of a kind.
func (p *place) name(kind string) string {
	p.count[kind]++
	return p.path + kind + strconv.Itoa(p.count[kind])
}

// within is the place in something of p that has the path.
func (p *place) within(path string, block int) place {
	inner := *p
	inner.path, inner.block, inner.count, inner.label = path+".", block, make(map[string]int), ""
	return inner
}

// function walks the body of the function, or of a literal in it.
func (w *blockWalk) function(body *ast.BlockStmt, path string) {
	p := place{block: ownRow, path: path, count: make(map[string]int), jumps: &jumps{labels: make(map[string]int)}}
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
		w.literals(p, s.Init, s.Cond, s.Post)
		w.loop(s.For, s.Body, calls(s.Cond, s.Post), p)
	case *ast.RangeStmt:
		w.literals(p, s.Key, s.Value, s.X)
		w.loop(s.For, s.Body, calls(s.Key, s.Value, s.X), p)
	case *ast.SwitchStmt:
		w.literals(p, s.Init, s.Tag)
		w.clauses("switch", s.Body, p)
	case *ast.TypeSwitchStmt:
		w.literals(p, s.Init, s.Assign)
		w.clauses("switch", s.Body, p)
	case *ast.SelectStmt:
		w.clauses("select", s.Body, p)
	default:
		w.literals(p, s)
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
	w.literals(p, s.Init, s.Cond)
	w.body("if", s.If, s.Body, &p)
	switch other := s.Else.(type) {
	case *ast.IfStmt:
		w.ifElse(other, p)
	case *ast.BlockStmt:
		w.body("else", w.elseOf(s), other, &p)
	}
}

// elseOf finds the word else.
func (w *blockWalk) elseOf(s *ast.IfStmt) token.Pos {
	from := s.Body.End()
	src := w.file.src[w.file.offset(from):w.file.offset(s.Else.Pos())]
	var words scanner.Scanner
	between := token.NewFileSet().AddFile("", -1, len(src))
	words.Init(between, src, nil, 0)
	for {
		if pos, word, _ := words.Scan(); word == token.ELSE {
			return from + token.Pos(between.Offset(pos))
		} else if word == token.EOF {
			return s.Else.Pos()
		}
	}
}

func (w *blockWalk) loop(keyword token.Pos, body *ast.BlockStmt, between bool, p place) {
	inner := w.open(&p, "for", keyword, body, body.Lbrace)
	inner.loops = slices.Concat(p.loops, []loop{{p.label, inner.block, between}})
	w.statements(body.List, inner)
	if n := len(body.List); between && n > 0 && spreads(body.List[n-1]) {
		w.add(w.file.offset(body.Rbrace), bodyEnds, inner.block)
	}
}

func (w *blockWalk) body(kind string, keyword token.Pos, body *ast.BlockStmt, p *place) {
	w.statements(body.List, w.open(p, kind, keyword, body, body.Lbrace))
}

// clauses walks a switch or select, which is no block itself.
func (w *blockWalk) clauses(kind string, body *ast.BlockStmt, p place) {
	outer := p.within(p.name(kind), p.block)
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, value := range c.List {
				w.literals(outer, value)
			}
			w.clause(c, c.List == nil, c.Colon, c.Body, &outer)
		case *ast.CommClause:
			w.literals(outer, c.Comm)
			w.clause(c, c.Comm == nil, c.Colon, c.Body, &outer)
		}
	}
}

func (w *blockWalk) clause(c ast.Stmt, isDefault bool, colon token.Pos, list []ast.Stmt, p *place) {
	kind := "case"
	if isDefault {
		kind = "default"
	}
	last := colon
	if n := len(list); n > 0 {
		last = max(last, list[n-1].End()-1)
	}
	body := &ast.BlockStmt{Lbrace: colon, List: list, Rbrace: last}
	w.statements(list, w.open(p, kind, c.Pos(), body, colon))
}

// open adds a block and returns the place of its statements. It begins behind
// the given bracket or colon.
func (w *blockWalk) open(p *place, kind string, keyword token.Pos, body *ast.BlockStmt, bracket token.Pos) place {
	path, block := p.name(kind), len(w.list)
	// A function of the same text has the same place and hash.
	decl := &ast.FuncDecl{
		Name: &ast.Ident{NamePos: keyword, Name: kind},
		Type: &ast.FuncType{Params: &ast.FieldList{Opening: bracket}},
		Body: body,
	}
	fn := gosource.Functions(w.file.fset, &ast.File{Decls: []ast.Decl{decl}}, w.file.src)[0]
	fn.Name, fn.Decl = w.fn.Name+"#"+path, nil
	w.list = append(w.list, fn)
	w.add(w.file.offset(bracket)+1, blockStarts, block)
	return p.within(path, block)
}

// literals walks the function literals in nodes, of which some may be nil. They
// run as their function, maybe on other goroutines.
func (w *blockWalk) literals(p place, nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				w.function(lit.Body, p.name("func")+".")
			}
			return !ok
		})
	}
}
