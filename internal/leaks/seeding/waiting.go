package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
)

// findBusyWait is for statements that may block: they spin for a while before they do.
func findBusyWait(p *place, n ast.Node) rewrite {
	s, ok := n.(ast.Stmt)
	if !ok || !p.inList(s) {
		return nil
	}
	more := "" // condition of the loop
	switch s := s.(type) {
	case *ast.SelectStmt:
		for _, clause := range s.Body.List {
			if clause.(*ast.CommClause).Comm == nil {
				return nil
			}
		}
	case *ast.SendStmt:
		if !p.simple(s.Chan) {
			return nil
		}
		more = fmt.Sprintf(" && len(%s) == cap(%s)", p.text(s.Chan), p.text(s.Chan))
	default:
		if channel := received(s); channel != nil {
			if p.simple(channel) {
				more = fmt.Sprintf(" && len(%s) == 0", p.text(channel))
			}
			break
		}
		if text := p.spinLock(s); text != "" {
			return func(k int) []edit { return p.before(s, p.repeat(max(2, k), text)) }
		}
		if !p.waits(s) {
			return nil
		}
	}
	spin, runtime := p.fresh("spin"), p.use("runtime")
	return func(k int) []edit {
		return p.before(s, fmt.Sprintf("for %s := 0; %s < %d%s; %s++ {\n%s.Gosched()\n}", spin, spin, k, more, spin, runtime))
	}
}

// received is the channel of the statements <-c, v = <-c and v := <-c.
func received(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}

func (p *place) statementMethod(s ast.Stmt) (receiver ast.Expr, method string) {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return nil, ""
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return nil, ""
	}
	f := callee(p.source.Info, call)
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if f == nil || !ok {
		return nil, ""
	}
	return selector.X, f.FullName()
}

// spinLock asks a lock again and again whether it is free.
func (p *place) spinLock(s ast.Stmt) string {
	receiver, method := p.statementMethod(s)
	if receiver == nil || !p.simple(receiver) {
		return ""
	}
	read := ""
	switch method {
	case "(*sync.RWMutex).RLock":
		read = "R"
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock":
	default:
		return ""
	}
	x := p.text(receiver)
	return fmt.Sprintf("if %s.Try%sLock() {\n%s.%sUnlock()\n}", x, read, x, read)
}

func (p *place) waits(s ast.Stmt) bool {
	_, method := p.statementMethod(s)
	return method == "(*sync.WaitGroup).Wait" || method == "time.Sleep"
}

// findPolling is for whole functions.
func findPolling(p *place, n ast.Node) rewrite {
	body, ok := n.(*ast.BlockStmt)
	if !ok || body != p.decl.Body || len(body.List) == 0 {
		return nil
	}
	idle, poll, runtime := p.fresh("idle"), p.fresh("poll"), p.use("runtime")
	return func(k int) []edit {
		return p.inside(body, fmt.Sprintf(`%s := make(chan struct{})
go func() {
	for %s := 0; %s < %d; %s++ {
		select {
		case <-%s:
		default:
			%s.Gosched()
		}
	}
}()`, idle, poll, poll, k, poll, idle, runtime))
	}
}
