package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// concatenation finds strings that grow in a loop.
var concatenation = analyzer("concatenation", "strings that grow in a loop", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	v := c.root(s.Lhs[0])
	if b, ok := c.typeOf(s.Lhs[0]).(*types.Basic); v == nil || !ok || b.Info()&types.IsString == 0 {
		return
	}
	grows := s.Tok == token.ADD_ASSIGN
	if sum, ok := ast.Unparen(s.Rhs[0]).(*ast.BinaryExpr); s.Tok == token.ASSIGN && ok && sum.Op == token.ADD {
		grows = c.text(s.Lhs[0]) == c.text(leftmost(sum))
	}
	loops := c.loops(s)
	if !grows || len(loops) == 0 {
		return
	}
	if loop := loops[len(loops)-1]; v.Pos() < loop.Pos() && c.sameText(s.Lhs[0], loop) && !c.readsText(s.Lhs[0], loop) && !c.leaves(loop) {
		c.report(s, nil, nil, "%s is copied whenever something is added to it", c.text(s.Lhs[0]))
	}
})

// sameText tells whether an expression is the same variable in each turn of a loop: a name, or fields of
// one that the loop does not set.
func (c *cursor) sameText(e ast.Expr, loop ast.Stmt) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return c.sameText(x.X, loop)
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(x.X).(*ast.Ident)
		return ok && !c.setsName(loop, c.TypesInfo.ObjectOf(id))
	}
	return false
}

// setsName tells whether a loop assigns to a variable itself.
func (c *cursor) setsName(loop ast.Stmt, v types.Object) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			found = found || slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return ok && c.TypesInfo.ObjectOf(id) == v
			})
		}
		return !found
	})
	return found
}

// readsText tells whether a loop needs the text that grows in it, other than its length and whether
// it is empty.
func (c *cursor) readsText(text ast.Expr, loop ast.Stmt) bool {
	found := false
	ast.PreorderStack(loop, nil, func(n ast.Node, around []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || found || !c.equal(e, text) {
			return !found
		}
		found = !c.growsOrMeasures(e, around)
		return false
	})
	return found
}

// equal tells whether two expressions name the same variable.
func (c *cursor) equal(a, b ast.Expr) bool {
	switch x := ast.Unparen(a).(type) {
	case *ast.Ident:
		y, ok := ast.Unparen(b).(*ast.Ident)
		return ok && c.TypesInfo.ObjectOf(x) != nil && c.TypesInfo.ObjectOf(x) == c.TypesInfo.ObjectOf(y)
	case *ast.SelectorExpr:
		y, ok := ast.Unparen(b).(*ast.SelectorExpr)
		return ok && x.Sel.Name == y.Sel.Name && c.equal(x.X, y.X)
	case *ast.StarExpr:
		y, ok := ast.Unparen(b).(*ast.StarExpr)
		return ok && c.equal(x.X, y.X)
	}
	return false
}

// growsOrMeasures tells whether an occurrence of a text only makes it longer, or asks for its length.
func (c *cursor) growsOrMeasures(e ast.Expr, around []ast.Node) bool {
	switch s := around[len(around)-1].(type) {
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && s.Lhs[0] == e
	case *ast.CallExpr:
		_, length := c.builtin(s, "len")
		return length
	case *ast.BinaryExpr:
		if s.Op == token.EQL || s.Op == token.NEQ {
			return c.isEmptyText(s.X) || c.isEmptyText(s.Y)
		}
	}
	for _, n := range around { // text = text + more
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 && s.Tok == token.ASSIGN && c.equal(s.Lhs[0], e) {
			return leftmost(s.Rhs[0]) == e
		}
	}
	return false
}

func (c *cursor) isEmptyText(e ast.Expr) bool {
	v := c.constant(e)
	return v != nil && v.Kind() == constant.String && constant.StringVal(v) == ""
}

func leftmost(e ast.Expr) ast.Expr {
	for {
		sum, ok := ast.Unparen(e).(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return ast.Unparen(e)
		}
		e = sum.X
	}
}

// gone are the functions that go through all of a text.
var gone = map[string]bool{
	"strings.ToUpper": true, "strings.ToLower": true, "strings.Count": true, "strings.Contains": true, "strings.Index": true, "strings.LastIndex": true,
	"strings.Split": true, "strings.Fields": true, "strings.Replace": true, "strings.ReplaceAll": true, "unicode/utf8.RuneCountInString": true,
}

// rereading finds texts that are gone through as a whole in a loop that adds to them, or in one that
// does not change them.
var rereading = analyzer("rereading", "texts that are gone through again and again", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !gone[c.callee(call)] || len(call.Args) == 0 {
		return
	}
	text, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if !ok || c.callee(text) != "(*strings.Builder).String" && c.callee(text) != "(*bytes.Buffer).String" {
		return
	}
	of := ast.Unparen(text.Fun).(*ast.SelectorExpr).X
	v, loops := c.root(of), c.loops(call)
	if v == nil || len(loops) == 0 || v.Pos() > loops[len(loops)-1].Pos() || c.leaves(loops[len(loops)-1]) || c.resets(loops[len(loops)-1], v) {
		return
	}
	c.report(call, []string{c.callee(call), "bytes.(*Buffer).String", "runtime.slicebytetostring"}, nil, "the whole text of %s is gone through in each turn of the loop", c.text(of))
})

// resets tells whether a loop empties a text, so that it stays short.
func (c *cursor) resets(loop ast.Stmt, v *types.Var) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && c.root(s.X) == v && (s.Sel.Name == "Reset" || s.Sel.Name == "Truncate") {
			found = true
		}
		return !found
	})
	return found
}
