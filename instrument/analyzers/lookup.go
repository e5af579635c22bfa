package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// search finds maps that are searched entry by entry for a key.
var search = analyzer("search", "maps that are searched for a key", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.RangeStmt)
	if !ok || s.Key == nil || len(s.Body.List) != 1 || s.Tok != token.DEFINE {
		return
	}
	if _, isMap := c.typeOf(s.X).(*types.Map); !isMap {
		return
	}
	branch, ok := s.Body.List[0].(*ast.IfStmt)
	if !ok || branch.Else != nil || branch.Init != nil {
		return
	}
	test, ok := branch.Cond.(*ast.BinaryExpr)
	key := c.root(s.Key)
	if !ok || test.Op != token.EQL || key == nil {
		return
	}
	for _, pair := range [][2]ast.Expr{{test.X, test.Y}, {test.Y, test.X}} {
		if id, ok := ast.Unparen(pair[0]).(*ast.Ident); ok && c.TypesInfo.ObjectOf(id) == types.Object(key) && c.uses(pair[1], key) == 0 && (s.Value == nil || c.root(s.Value) == nil || c.uses(pair[1], c.root(s.Value)) == 0) {
			c.report(s, nil, c.toIndex(s, branch, pair[1]), "%s is searched entry by entry for a key", c.text(s.X))
			return
		}
	}
})

// toIndex replaces a search for a key by an index expression.
func (c *cursor) toIndex(s *ast.RangeStmt, branch *ast.IfStmt, wanted ast.Expr) []analysis.TextEdit {
	key, isIdent := s.Key.(*ast.Ident)
	if !isIdent || !c.inList(s) || !c.alwaysIndexes(s, wanted) || c.uses(branch.Body, c.TypesInfo.Defs[key]) > 0 {
		return nil
	}
	changed, list := c.changes(branch.Body), branch.Body.List
	if changed[c.root(s.X)] || changed[c.root(wanted)] {
		return nil
	}
	var edits []analysis.TextEdit
	returns := false
	if len(list) > 0 {
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			returns = true
		case *ast.BranchStmt:
			if last.Tok == token.BREAK && last.Label == nil {
				edits, list, returns = append(edits, analysis.TextEdit{Pos: last.Pos(), End: last.End()}), list[:len(list)-1], true
			}
		}
	}
	if slices.ContainsFunc(list, branches) || !returns && c.callsOthers(branch.Body) {
		return nil
	}
	value, found := "_", "ok"
	if id, ok := s.Value.(*ast.Ident); ok {
		value = id.Name
	}
	if value == found || c.mentions(branch.Body, found) {
		found = c.fresh("found")
	}
	head := fmt.Sprintf("if %s, %s := %s[%s]; %[2]s ", value, found, c.text(s.X), c.text(wanted))
	return append(edits,
		analysis.TextEdit{Pos: s.Pos(), End: branch.Body.Lbrace, NewText: []byte(head)},
		analysis.TextEdit{Pos: branch.Body.Rbrace + 1, End: s.Body.Rbrace + 1},
	)
}

// alwaysIndexes tells whether a map can be indexed with what is searched for, in all cases: it has a
// value without asking others, and cannot be NaN or a value that has no hash.
func (c *cursor) alwaysIndexes(s *ast.RangeStmt, wanted ast.Expr) bool {
	k := c.typeOf(s.X).(*types.Map).Key()
	b, ok := k.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsString|types.IsBoolean) == 0 || !c.plain(s.X) || c.root(s.X) == nil {
		return false
	}
	if t := c.TypesInfo.TypeOf(wanted); t == nil || !types.AssignableTo(t, k) {
		return false
	}
	if c.constant(wanted) != nil {
		return true
	}
	for e := ast.Unparen(wanted); ; {
		switch x := e.(type) {
		case *ast.Ident:
			return c.root(x) != nil
		case *ast.SelectorExpr:
			if _, pointer := c.typeOf(x.X).(*types.Pointer); pointer || c.TypesInfo.Selections[x] == nil || c.TypesInfo.Selections[x].Indirect() {
				return false
			}
			e = ast.Unparen(x.X)
		default:
			return false
		}
	}
}

// branches tells whether a statement has a break, continue or goto, or a label, in its function.
func branches(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt, *ast.LabeledStmt:
			found = true
		}
		return !found
	})
	return found
}

// mentions tells whether a name occurs in a node.
func (c *cursor) mentions(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// dense finds maps whose keys are the indexes of a loop.
var dense = analyzer("dense", "maps that could be slices", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 || c.function() == nil {
		return
	}
	id, isIdent := s.Lhs[0].(*ast.Ident)
	block, inBlock := c.stack[len(c.stack)-1].(*ast.BlockStmt)
	m, isMap := c.typeOf(s.Rhs[0]).(*types.Map)
	if !isIdent || !inBlock || !isMap {
		return
	}
	if b, ok := m.Key().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 || !c.makesMap(s.Rhs[0]) {
		return
	}
	if v := c.TypesInfo.Defs[id]; v != nil && c.keysAreIndexes(block, v) {
		c.report(s, []string{"runtime.map*", "internal/runtime/maps.*"}, nil, "the keys of %s are indexes", id.Name)
	}
})

// makesMap tells whether an expression is an empty map.
func (c *cursor) makesMap(e ast.Expr) bool {
	if lit, ok := e.(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	_, ok := c.builtin(e, "make")
	return ok
}

// keysAreIndexes tells whether a map is only indexed, and all that is stored in it has the index of a loop
// as its key.
func (c *cursor) keysAreIndexes(block ast.Node, v types.Object) bool {
	only, stores := true, 0
	ast.PreorderStack(block, nil, func(n ast.Node, around []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || c.TypesInfo.Uses[id] != v || !only {
			return only
		}
		index, ok := around[len(around)-1].(*ast.IndexExpr)
		if !ok || index.X != ast.Expr(id) {
			only = false
			return false
		}
		if s, ok := around[len(around)-2].(*ast.AssignStmt); ok && slices.Contains(s.Lhs, ast.Expr(index)) {
			stores++
			only = c.isLoopIndex(index.Index, around)
		} else if s, ok := around[len(around)-2].(*ast.IncDecStmt); ok && s.X == ast.Expr(index) {
			only = false // what it counts may be sparse
		}
		return only
	})
	return only && stores > 0
}

// isLoopIndex tells whether an expression is the index of a slice that a loop around it ranges over, and
// not set in it.
func (c *cursor) isLoopIndex(e ast.Expr, around []ast.Node) bool {
	v := c.root(e)
	if _, ident := ast.Unparen(e).(*ast.Ident); !ident || v == nil {
		return false
	}
	return slices.ContainsFunc(around, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || s.Key == nil || c.root(s.Key) != v || c.setsName(s.Body, v) {
			return false
		}
		switch t := c.typeOf(s.X).(type) {
		case *types.Slice, *types.Array:
			return true
		case *types.Basic:
			return t.Info()&types.IsInteger != 0
		}
		return false
	})
}

// listing finds lists that a loop searches again and again.
var listing = analyzer("listing", "lists that a loop searches", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return
	}
	name := c.callee(call)
	if name != "slices.Contains" && name != "slices.Index" {
		return
	}
	v, loops := c.root(call.Args[0]), c.loops(call)
	if v == nil || len(loops) == 0 || !c.plain(call.Args[0]) {
		return
	}
	loop := loops[len(loops)-1]
	ofLoop := c.changes(loop)
	if v.Pos() > loop.Pos() || v.Parent() == c.Pkg.Scope() || ofLoop[v] || c.leaves(loop) || !c.declares(loop, call.Args[1]) {
		return
	}
	c.report(call, []string{name + "*", "slices.Index*"}, nil, "%s is searched from its begin in each turn", c.text(call.Args[0]))
})
