package analyzers

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// waiting finds timers that a loop makes.
var waiting = analyzer("waiting", "timers that a loop makes", func(c *cursor, n ast.Node) {
	if call, ok := n.(*ast.CallExpr); ok && len(c.loops(call)) > 0 && slices.Contains([]string{"time.After", "time.Tick", "time.NewTimer"}, c.callee(call)) {
		c.report(call, nil, nil, "%s makes a timer in each turn of the loop", c.callee(call))
	}
})

// spinning finds loops that ask again and again instead of waiting.
var spinning = analyzer("spinning", "loops that spin while they wait", func(c *cursor, n ast.Node) {
	s, ok := n.(*ast.ForStmt)
	if !ok {
		return
	}
	if s.Cond != nil && c.yields(s.Body.List) && c.asks(s.Cond) {
		c.report(s, nil, nil, "the loop spins until another goroutine sets a value: wait for a channel, a sync.Cond or the lock")
		return
	}
	if len(s.Body.List) != 1 {
		return
	}
	switch choice := s.Body.List[0].(type) {
	case *ast.IfStmt:
		if choice.Else == nil && c.tries(choice.Cond) {
			c.report(s, nil, nil, "the loop tries to get a lock again and again: wait for it with Lock")
		}
	case *ast.SelectStmt:
		for _, clause := range choice.Body.List {
			if one := clause.(*ast.CommClause); one.Comm == nil && (len(one.Body) == 0 || c.yields(one.Body)) {
				c.report(s, nil, nil, "the loop spins while there is nothing to receive: leave out the default case, so that select waits")
			}
		}
	}
})

// asks tells whether a condition is about what another goroutine sets.
func (c *cursor) asks(cond ast.Expr) bool {
	found := c.tries(cond)
	ast.Inspect(cond, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name := c.callee(call)
			found = found || strings.HasPrefix(name, "sync/atomic.Load") || strings.HasPrefix(name, "(*sync/atomic.") && strings.HasSuffix(name, ").Load")
		}
		return !found
	})
	return found
}

// tries tells whether a condition tries to get a lock.
func (c *cursor) tries(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && c.ofMutex(call, "TryLock", "TryRLock")
		return !found
	})
	return found
}

// yields tells whether statements only let others run.
func (c *cursor) yields(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			branch, ok := s.(*ast.BranchStmt)
			return !ok || branch.Label != nil || branch.Tok == token.GOTO
		}
		call, ok := e.X.(*ast.CallExpr)
		return !ok || c.callee(call) != "runtime.Gosched"
	})
}
