package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// ranging finds copies that are made only to be read.
var ranging = analyzer("ranging", "copies that are ranged over", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	original := c.copyOf(s.X)
	if original == nil || c.root(original) == nil {
		return
	}
	if _, isSlice := c.typeOf(original).(*types.Slice); !isSlice {
		return
	}
	blank, isIdent := s.Value.(*ast.Ident)
	readsNothing := s.Value == nil || isIdent && blank.Name == "_" // the length alone is read, once
	if !readsNothing && (c.changes(s.Body)[c.root(original)] || c.callsOthers(s.Body)) {
		return
	}
	var fix []analysis.TextEdit
	if readsNothing || !c.stores(s) {
		fix = []analysis.TextEdit{{Pos: s.X.Pos(), End: s.X.End(), NewText: []byte(c.text(original))}}
	}
	c.report(s.X, []string{"runtime.growslice*", "runtime.memmove", "slices.Clone*", "bytes.Clone", "runtime.makeslice*", "runtime.memclrNoHeapPointers", "runtime.typedmemmove", "runtime.bulkBarrierPreWrite", "runtime.mallocgc*"}, fix, "%s is copied only to be ranged over", c.text(original))
})

// stores tells whether a loop writes to elements of anything, which may be those of what it ranges over,
// or lets others run that do.
func (c *cursor) stores(loop *ast.RangeStmt) bool {
	found := loop.Tok == token.ASSIGN
	element := func(e ast.Expr) bool {
		_, plain := ast.Unparen(e).(*ast.Ident)
		return !plain
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(s.Lhs, element)
		case *ast.IncDecStmt:
			found = found || element(s.X)
		case *ast.UnaryExpr:
			found = found || s.Op == token.ARROW || s.Op == token.AND
		case *ast.CallExpr:
			for _, name := range []string{"append", "copy", "clear", "delete"} {
				_, writes := c.builtin(s, name)
				found = found || writes
			}
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// callsOthers tells whether a node calls functions that may change what they can reach.
func (c *cursor) callsOthers(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		t := c.TypesInfo.Types[call.Fun]
		found = found || !t.IsType() && !t.IsBuiltin() && !pure[c.callee(call)]
		return !found
	})
	return found
}

// copyOf is what an expression copies: append([]T{}, x...), slices.Clone(x).
func (c *cursor) copyOf(e ast.Expr) ast.Expr {
	if call, ok := c.builtin(e, "append"); ok && len(call.Args) == 2 && call.Ellipsis.IsValid() {
		switch begin := ast.Unparen(call.Args[0]).(type) {
		case *ast.CompositeLit:
			if len(begin.Elts) == 0 {
				return call.Args[1]
			}
		case *ast.CallExpr:
			if made, ok := c.builtin(begin, "make"); ok && c.isNothing(made) {
				return call.Args[1]
			}
			if c.TypesInfo.Types[begin.Fun].IsType() && len(begin.Args) == 1 && c.TypesInfo.Types[begin.Args[0]].IsNil() {
				return call.Args[1]
			}
		}
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && slices.Contains([]string{"slices.Clone", "bytes.Clone"}, c.callee(call)) {
		return call.Args[0]
	}
	return nil
}

// appending finds appends that copy the whole slice: x = append(append([]T{}, x...), v), and in a loop
// x = append([]T{}, x...).
var appending = analyzer("appending", "appends that copy the whole slice", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	callees := []string{"runtime.growslice*", "runtime.memmove", "slices.Clone*", "bytes.Clone", "runtime.makeslice*", "runtime.typedmemmove", "runtime.bulkBarrierPreWrite*", "runtime.mallocgc*"}
	if original := c.copyOf(s.Rhs[0]); original != nil {
		if loops := c.loops(s); c.equal(original, s.Lhs[0]) && len(loops) > 0 && !c.leaves(loops[len(loops)-1]) && !c.assigned(loops[len(loops)-1], s) {
			c.report(s, callees, nil, "%s is copied to itself in each turn of the loop", c.text(original))
		}
		return
	}
	call, ok := c.builtin(s.Rhs[0], "append")
	if !ok || len(call.Args) == 0 {
		return
	}
	if original := c.copyOf(call.Args[0]); original != nil && c.text(original) == c.text(s.Lhs[0]) {
		c.report(s, callees, nil, "%s is copied as a whole for each element that is appended", c.text(original))
	}
})

// assigned tells whether a loop changes what an assignment sets elsewhere too, or gives it to others.
func (c *cursor) assigned(loop ast.Stmt, s *ast.AssignStmt) bool {
	found := false
	ast.PreorderStack(loop, nil, func(n ast.Node, around []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && c.equal(e, s.Lhs[0]) && !slices.Contains(around, ast.Node(s)) {
			found = true
		}
		return !found
	})
	return found
}

// largeValue is the size, in bytes, from which on a copy for each turn of a loop is worth a word.
const largeValue = 128

// copying finds large values that are copied in each turn of a loop.
var copying = analyzer("copying", "large values that are copied in each turn", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok || s.Value == nil || s.Tok != token.DEFINE {
		return
	}
	id, ok := s.Value.(*ast.Ident)
	if !ok || id.Name == "_" {
		return
	}
	t := c.TypesInfo.TypeOf(id)
	if t == nil || c.TypesSizes == nil {
		return
	}
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || c.TypesSizes.Sizeof(t) < largeValue {
		return
	}
	if v, ok := c.TypesInfo.Defs[id].(*types.Var); ok && !c.changes(s.Body)[v] {
		c.report(&span{s.Pos(), s.X.End()}, nil, nil, "a value of %d bytes is copied to %s in each turn", c.TypesSizes.Sizeof(t), id.Name)
	}
})

// A span is a part of a node.
type span struct{ from, to token.Pos }

func (s *span) Pos() token.Pos { return s.from }
func (s *span) End() token.Pos { return s.to }
