package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// deferring finds deferred calls that pile up.
var deferring = analyzer("deferring", "deferred calls in a loop", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.DeferStmt)
	if !ok {
		return
	}
	loops := c.loops(s)
	if len(loops) == 0 {
		return
	}
	// Under a condition it may run once; and an array has few elements.
	if loop := loops[len(loops)-1]; !c.guarded(loop) && !c.leaves(loop) && !c.overArray(loop) {
		c.report(s, nil, nil, "deferred calls pile up until the function returns")
	}
})

// overArray tells whether a loop ranges over an array.
func (c *cursor) overArray(loop ast.Stmt) bool {
	s, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	_, isArray := c.typeOf(s.X).(*types.Array)
	return isArray
}

// leaves tells whether the node is in statements that end with leaving a loop, so that they run once.
func (c *cursor) leaves(loop ast.Stmt) bool {
	breaks := true // an unlabelled break leaves the loop
	at := slices.Index(c.stack, ast.Node(loop))
	for i, n := range c.stack[at+1:] {
		var list []ast.Stmt
		switch s := n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt:
			breaks = false
		case *ast.ReturnStmt:
			return true
		case *ast.ExprStmt:
			if c.exits(s) {
				return true
			}
		case *ast.BlockStmt:
			list = s.List
		case *ast.CaseClause:
			list = s.Body
		case *ast.CommClause:
			list = s.Body
		}
		if len(list) == 0 || i == 0 && c.continues(loop) {
			continue
		}
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if last.Tok == token.GOTO || last.Tok == token.BREAK && (breaks || last.Label != nil) {
				return true
			}
		case *ast.ExprStmt:
			if c.exits(last) {
				return true
			}
		}
	}
	return false
}

// continues tells whether a loop has a continue statement, so that its last statement is not always
// reached.
func (c *cursor) continues(loop ast.Stmt) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.CONTINUE {
			found = true
		}
		return !found
	})
	return found
}

// exits tells whether a statement ends the function or the program.
func (c *cursor) exits(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	if _, panics := c.builtin(call, "panic"); panics {
		return true
	}
	name := c.callee(call)
	return name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic")
}

// guarded tells whether the node is reached under a condition within a loop.
func (c *cursor) guarded(loop ast.Stmt) bool {
	at := slices.Index(c.stack, ast.Node(loop))
	for i := at + 1; i < len(c.stack); i++ {
		inner := ast.Node(nil)
		if i+1 < len(c.stack) {
			inner = c.stack[i+1]
		}
		switch s := c.stack[i].(type) {
		case *ast.IfStmt:
			if inner == s.Body || inner != nil && inner == s.Else {
				return true
			}
		case *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.BinaryExpr: // the node itself is not on the stack
			if (s.Op == token.LAND || s.Op == token.LOR) && inner != s.X {
				return true
			}
		}
	}
	return false
}

// conditional tells whether the node is only reached under a condition within its innermost loop.
func (c *cursor) conditional() bool {
	for i := len(c.stack) - 1; i >= 0; i-- {
		switch c.stack[i].(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return true
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
}
