package rewrite

import (
	"go/ast"
	"go/token"
)

// spreads reports whether a row other than that of its list may be on top after a
// statement.
func spreads(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return spreads(s.Stmt)
	case *ast.BlockStmt:
		return len(s.List) > 0 && spreads(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return !leaves(s.Body) || s.Else != nil && elseSpreads(s.Else)
	case *ast.SwitchStmt:
		return len(s.Body.List) > 0
	case *ast.TypeSwitchStmt:
		return len(s.Body.List) > 0
	case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt:
		return true
	}
	return false
}

func elseSpreads(s ast.Stmt) bool {
	if body, ok := s.(*ast.BlockStmt); ok {
		return !leaves(body)
	}
	return spreads(s)
}

// leaves reports whether control never continues after the if statement from its body. A
// break leads further out, too.
func leaves(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	switch body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// calls reports whether nodes contain a call, or something that may wait. Nodes may be
// nil.
func calls(nodes ...ast.Node) bool {
	found := false
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				found = true
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			}
			return !found
		})
	}
	return found
}
