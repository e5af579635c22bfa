package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// sorting finds slices that are sorted in a loop that also adds to them.
var sorting = analyzer("sorting", "slices that are sorted after each append", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if !sorts[c.callee(call)] || c.conditional() {
		return
	}
	sorted := call.Args[0]
	if conversion, ok := ast.Unparen(sorted).(*ast.CallExpr); ok && len(conversion.Args) == 1 { // sort.Sort(byName(list))
		sorted = conversion.Args[0]
	}
	v, loops := c.root(sorted), c.loops(call)
	if v != nil && len(loops) > 0 && v.Pos() > loops[len(loops)-1].Pos() {
		if original := c.copiedIn(loops[len(loops)-1], v); original != nil {
			c.report(call, nil, nil, "a copy of %s, which stays the same, is sorted in each turn of the loop", c.text(original))
		}
		return
	}
	if v == nil || len(loops) == 0 || !c.appends(loops[len(loops)-1], v) {
		return
	}
	c.report(call, nil, nil, "%s is sorted whenever something is added to it", c.text(sorted))
})

// copiedIn is what a loop copies to a variable in each turn, and does not change; nil if there is no such.
func (c *cursor) copiedIn(loop ast.Stmt, v *types.Var) (original ast.Expr) {
	ast.Inspect(loop, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 || c.root(s.Lhs[0]) != v || s.Tok != token.DEFINE {
			return true
		}
		if of := c.copyOf(s.Rhs[0]); of != nil && c.root(of) != nil && c.root(of).Pos() < loop.Pos() && !c.changes(loop)[c.root(of)] {
			original = of
		}
		return true
	})
	return original
}

// swapping finds slices of basic values that are sorted through reflection.
var swapping = analyzer("swapping", "slices that are sorted by sort.Slice", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || c.callee(call) != "sort.Slice" || len(call.Args) != 2 || !c.plain(call.Args[0]) || !c.since("go1.21") {
		return
	}
	t, isSlice := c.typeOf(call.Args[0]).(*types.Slice)
	less, isLit := call.Args[1].(*ast.FuncLit)
	if !isSlice || !isLit || len(less.Body.List) != 1 {
		return
	}
	b, basic := t.Elem().Underlying().(*types.Basic)
	result, returns := less.Body.List[0].(*ast.ReturnStmt)
	if !basic || b.Info()&(types.IsInteger|types.IsString) == 0 || !returns || !c.lessOf(less, result.Results[0], call.Args[0]) {
		return
	}
	var fix []analysis.TextEdit
	if pkg, imports, ok := c.use("slices", call); ok {
		fix = append(imports, analysis.TextEdit{Pos: call.Pos(), End: call.End(), NewText: []byte(pkg + ".Sort(" + c.text(call.Args[0]) + ")")})
	}
	c.report(call, nil, fix, "%s is sorted through reflection, although its elements have an order", c.text(call.Args[0]))
})

// lessOf tells whether an expression is list[i] < list[j] of the parameters i and j.
func (c *cursor) lessOf(less *ast.FuncLit, e, list ast.Expr) bool {
	test, ok := ast.Unparen(e).(*ast.BinaryExpr)
	var parameters []types.Object
	for _, f := range less.Type.Params.List {
		for _, id := range f.Names {
			parameters = append(parameters, c.TypesInfo.Defs[id])
		}
	}
	if !ok || test.Op != token.LSS || len(parameters) != 2 {
		return false
	}
	for i, side := range []ast.Expr{test.X, test.Y} {
		at, ok := ast.Unparen(side).(*ast.IndexExpr)
		if !ok || !c.equal(at.X, list) {
			return false
		}
		if id, ok := ast.Unparen(at.Index).(*ast.Ident); !ok || c.TypesInfo.Uses[id] != parameters[i] {
			return false
		}
	}
	return true
}

// sorts are the functions that sort their first argument.
var sorts = map[string]bool{
	"sort.Strings": true, "sort.Ints": true, "sort.Float64s": true, "sort.Slice": true, "sort.SliceStable": true, "sort.Sort": true, "sort.Stable": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true,
}

// appends tells whether a node appends to a variable, or to what belongs to it.
func (c *cursor) appends(n ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			_, isAppend := c.builtin(s.Rhs[0], "append")
			found = found || isAppend && c.root(s.Lhs[0]) == v
		}
		return !found
	})
	return found
}
