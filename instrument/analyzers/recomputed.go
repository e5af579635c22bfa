package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// recomputed finds calls that an inner loop makes for the same elements in each turn of the outer one.
var recomputed = analyzer("recomputed", "values that are computed again for the same elements", func(c *cursor, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	name := c.callee(call)
	callees := []string{name}
	if c.conversion(call, types.NewSlice(types.Typ[types.Rune])) != nil {
		name, callees = "[]rune", []string{"runtime.stringtoslicerune"}
	} else if !pure[name] || strings.HasPrefix(name, "math.") || c.constant(call) != nil || c.outermostInvariant(call) != nil {
		return
	}
	loops := c.loops(call)
	if len(loops) < 2 || !c.ofElements(call, loops[len(loops)-2], loops[len(loops)-1]) || c.guarded(loops[len(loops)-1]) {
		return
	}
	c.report(call, callees, nil, "%s of the same elements in each turn of the outer loop", name)
})

// ofElements tells whether the arguments of a call are elements that the inner loop goes through, of
// what is there before the outer loop.
func (c *cursor) ofElements(call *ast.CallExpr, outer, inner ast.Stmt) bool {
	elements, others, replaced := false, false, c.replaced(outer)
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, isVar := c.TypesInfo.Uses[id].(*types.Var)
			switch {
			case !isVar || v.IsField():
			case v.Pos() < outer.Pos():
				others = others || replaced[v]
			case c.stepsOf(inner, v, outer, replaced):
				elements = true
			default:
				others = true
			}
			return true
		})
	}
	return elements && !others
}

// replaced are the variables that a node sets as a whole; those of which it only sets elements hold the
// same ones in another order, more often than not.
func (c *cursor) replaced(n ast.Node) map[*types.Var]bool {
	set := make(map[*types.Var]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, e := range s.Lhs {
				if _, element := ast.Unparen(e).(*ast.IndexExpr); !element && c.root(e) != nil {
					set[c.root(e)] = true
				}
			}
		}
		return true
	})
	return set
}

// differs tells whether an expression may be about something else in another turn of a loop.
func (c *cursor) differs(e ast.Expr, loop ast.Stmt, replaced map[*types.Var]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, isVar := c.TypesInfo.Uses[id].(*types.Var)
			found = found || isVar && !v.IsField() && (v.Pos() > loop.Pos() || replaced[v])
		}
		return !found
	})
	return found
}

// stepsOf tells whether a variable is what a loop steps: its index, or the element of what was there
// before the outer loop and is not replaced in it.
func (c *cursor) stepsOf(loop ast.Stmt, v *types.Var, outer ast.Stmt, replaced map[*types.Var]bool) bool {
	switch s := loop.(type) {
	case *ast.ForStmt:
		init, ok := s.Init.(*ast.AssignStmt)
		return ok && slices.ContainsFunc(init.Lhs, func(e ast.Expr) bool { return c.root(e) == v })
	case *ast.RangeStmt:
		return c.root(s.X) != nil && !c.differs(s.X, outer, replaced) && v.Pos() >= s.Pos() && v.Pos() < s.Body.Pos()
	}
	return false
}
