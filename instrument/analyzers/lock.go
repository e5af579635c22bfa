package analyzers

import (
	"go/ast"
	"go/token"
	"slices"
)

// locking finds locks that are taken in each turn of a loop for a statement or two.
var locking = analyzer("locking", "locks that are taken in each turn of a loop", func(c *cursor, n ast.Node) {
	body := loopBody(n)
	if body == nil {
		return
	}
	for i, s := range body.List {
		lock, ok := c.locks(s)
		if !ok {
			continue
		}
		end := slices.IndexFunc(body.List[i:], func(s ast.Stmt) bool { return c.unlocks(s, lock) })
		if end < 2 || end > 3 || !c.isShort(n, lock) {
			continue
		}
		c.report(&span{s.Pos(), body.List[i+end].End()}, nil, nil, "%s is locked and unlocked in each turn of a loop that does little else", c.text(lock))
		return
	}
})

func loopBody(n ast.Node) *ast.BlockStmt {
	switch s := n.(type) {
	case *ast.ForStmt:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	}
	return nil
}

// locks is what a statement locks.
func (c *cursor) locks(s ast.Stmt) (ast.Expr, bool) { return c.lockCall(s, "Lock", "RLock") }

func (c *cursor) lockCall(s ast.Stmt, names ...string) (ast.Expr, bool) {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return nil, false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok || !c.ofMutex(call, names...) {
		return nil, false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	return selector.X, true
}

// ofMutex tells whether a call is of a method of a mutex.
func (c *cursor) ofMutex(call *ast.CallExpr, names ...string) bool {
	callee := c.callee(call)
	return slices.ContainsFunc(names, func(name string) bool {
		return callee == "(*sync.Mutex)."+name || callee == "(*sync.RWMutex)."+name
	})
}

func (c *cursor) unlocks(s ast.Stmt, lock ast.Expr) bool {
	e, ok := c.lockCall(s, "Unlock", "RUnlock")
	return ok && c.text(e) == c.text(lock)
}

// isShort tells whether a loop has an end and calls nothing but the lock and what is quick, so that the
// lock can be held around it; and the lock is the same in each turn.
func (c *cursor) isShort(loop ast.Node, lock ast.Expr) bool {
	if s, ok := loop.(*ast.ForStmt); ok && s.Cond == nil {
		return false
	}
	if !c.plain(lock) || c.root(lock) == nil || loop.Pos() < c.root(lock).Pos() || c.setsName(loop.(ast.Stmt), c.root(lock)) {
		return false
	}
	short := true
	ast.Inspect(loop, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.CallExpr:
			t := c.TypesInfo.Types[s.Fun]
			short = short && (t.IsType() || t.IsBuiltin() || pure[c.callee(s)] || c.ofMutex(s, "Lock", "Unlock", "RLock", "RUnlock"))
		case *ast.ForStmt, *ast.FuncLit, *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt:
			short = short && n == loop
		case *ast.RangeStmt:
			short = short && n == loop
		case *ast.UnaryExpr:
			short = short && s.Op != token.ARROW
		}
		return short
	})
	return short
}
