package gosource

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strconv"

	"spell-lsp/spell"
)

// A Block is the body of a loop, a branch or a clause of a function.
type Block struct {
	Path                  string         // what it is called within its function: for1.if2
	Start, KeywordTo, End token.Position // of the word for, if, else, case ..., after it, and of the last brace
	Opening               token.Pos      // of the brace or colon behind which it begins
	Hash                  string         // blind to comments and layout
}

// Component describes b as a component; of is that of its function.
func (b *Block) Component(of spell.Component) spell.Component {
	return spell.Component{
		ID: of.ID + "#" + b.Path, Kind: spell.KindBlock, Package: of.Package, File: of.File,
		Line: b.Start.Line, Column: b.Start.Column, EndLine: b.End.Line, Hash: b.Hash,
	}
}

// Blocks lists the blocks of a function, also those of its literals, in the order
// of their braces and colons. Their paths say what they are in:
//
//	func F() {
//		for ... {               for1
//			if ... {        for1.if1
//			} else if ... { for1.if2
//			} else {        for1.else1
//			}
//		}
//		switch ... {
//		case 1:                 switch1.case1
//		default:                switch1.default1
//		}
//		go func() {
//			for ... {       func1.for1
//			}
//		}()
//	}
//
// Numbers count what is of one kind within a block, or within a switch, a select
// or a literal. Type switches count with the switches.
func Blocks(fset *token.FileSet, body *ast.BlockStmt, src []byte) []Block {
	w := blockWalk{file: fset.File(body.Pos()), fset: fset, src: src}
	w.walk(newScope(""), body)
	return w.blocks
}

// A scope numbers what is in a function, a block, a switch, a select or a literal.
type scope struct {
	prefix string
	count  map[string]int // by kind
}

func newScope(prefix string) *scope { return &scope{prefix, make(map[string]int)} }

// next is the path of one more of a kind.
func (s *scope) next(kind string) string {
	s.count[kind]++
	return s.prefix + kind + strconv.Itoa(s.count[kind])
}

// inner is the scope of one more of a kind.
func (s *scope) inner(kind string) *scope { return newScope(s.next(kind) + ".") }

type blockWalk struct {
	fset   *token.FileSet
	file   *token.File
	src    []byte
	blocks []Block
}

// walk finds the blocks in nodes; some of these may be nil.
func (w *blockWalk) walk(in *scope, nodes ...ast.Node) {
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, func(n ast.Node) bool { return !w.enter(in, n) })
		}
	}
}

// enter walks what makes a scope, and reports whether n does.
func (w *blockWalk) enter(in *scope, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		w.walk(in.inner("func"), n.Body)
	case *ast.ForStmt:
		w.walk(in, n.Init, n.Cond, n.Post)
		w.body(in, "for", n.For, n.Body)
	case *ast.RangeStmt:
		w.walk(in, n.Key, n.Value, n.X)
		w.body(in, "for", n.For, n.Body)
	case *ast.IfStmt:
		w.walk(in, n.Init, n.Cond)
		w.body(in, "if", n.If, n.Body)
		if other, ok := n.Else.(*ast.BlockStmt); ok {
			w.body(in, "else", w.elseOf(n), other)
		} else {
			w.walk(in, n.Else)
		}
	case *ast.SwitchStmt:
		w.walk(in, n.Init, n.Tag)
		w.walk(in.inner("switch"), n.Body)
	case *ast.TypeSwitchStmt:
		w.walk(in, n.Init, n.Assign)
		w.walk(in.inner("switch"), n.Body)
	case *ast.SelectStmt:
		w.walk(in.inner("select"), n.Body)
	case *ast.CaseClause:
		for _, value := range n.List {
			w.walk(in, value)
		}
		w.clause(in, n.List == nil, n.Case, n.Colon, n.Body)
	case *ast.CommClause:
		w.walk(in, n.Comm)
		w.clause(in, n.Comm == nil, n.Case, n.Colon, n.Body)
	default:
		return false
	}
	return true
}

func (w *blockWalk) body(in *scope, word string, keyword token.Pos, body *ast.BlockStmt) {
	w.add(in, word, keyword, body.Lbrace, body.End(), body.List)
}

// clause ends after its last statement.
func (w *blockWalk) clause(in *scope, isDefault bool, keyword, colon token.Pos, list []ast.Stmt) {
	word, end := "case", colon+1
	if isDefault {
		word = "default"
	}
	if n := len(list); n > 0 {
		end = max(end, list[n-1].End())
	}
	w.add(in, word, keyword, colon, end, list)
}

// add adds a block, whose kind is the word with which it begins.
func (w *blockWalk) add(in *scope, word string, keyword, opening, end token.Pos, list []ast.Stmt) {
	path := in.next(word)
	w.blocks = append(w.blocks, Block{
		Path:      path,
		Start:     w.fset.PositionFor(keyword, false),
		KeywordTo: w.fset.PositionFor(keyword+token.Pos(len(word)), false),
		End:       w.fset.PositionFor(end-1, false),
		Opening:   opening,
		Hash:      hash(nil, w.src[w.file.Offset(opening):min(w.file.Offset(end), len(w.src))]),
	})
	inner := newScope(path + ".")
	for _, s := range list {
		w.walk(inner, s)
	}
}

// elseOf finds the word else.
func (w *blockWalk) elseOf(s *ast.IfStmt) token.Pos {
	from := s.Body.End()
	src := w.src[w.file.Offset(from):w.file.Offset(s.Else.Pos())]
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
