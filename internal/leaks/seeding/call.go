package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// findRepeatedCall is for x := f(y) and return f(y) with a pure f.
func findRepeatedCall(p *place, n ast.Node) rewrite {
	switch s := n.(type) {
	case *ast.AssignStmt:
		if !p.inList(s) || len(s.Rhs) != 1 || s.Tok != token.DEFINE && s.Tok != token.ASSIGN || !p.isPureCall(s.Rhs[0]) {
			return nil
		}
		var left []string
		for _, e := range s.Lhs {
			id, ok := e.(*ast.Ident)
			if !ok || id.Name != "_" && p.uses(s.Rhs[0], p.source.Info.ObjectOf(id)) {
				return nil
			}
			left = append(left, id.Name)
		}
		again := strings.Join(left, ", ") + " = " + p.text(s.Rhs[0])
		return func(k int) []edit { return p.after(s, p.repeat(k, again)) }
	case *ast.ReturnStmt:
		if !p.inList(s) || len(s.Results) != 1 || !p.isPureCall(s.Results[0]) {
			return nil
		}
		call := s.Results[0].(*ast.CallExpr)
		blanks := "_"
		if tuple, ok := p.typeOf(call).(*types.Tuple); ok {
			blanks = strings.TrimSuffix(strings.Repeat("_, ", tuple.Len()), ", ")
		}
		again := blanks + " = " + p.text(call)
		return func(k int) []edit { return p.before(s, p.repeat(k, again)) }
	}
	return nil
}

// isPureCall is for calls of functions, not for builtins and conversions.
func (p *place) isPureCall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && !p.constant(e) && callee(p.source.Info, call) != nil && p.pure.expression(p.function, call)
}

// findMissedCache is for x := f(y) and return f(y), where y has a predeclared type. Any f
// will do: it is called as often as before.
func findMissedCache(p *place, n ast.Node) rewrite {
	stmt, ok := n.(ast.Stmt)
	if !ok || !p.inList(stmt) {
		return nil
	}
	result, returned := "", false
	var value ast.Expr
	switch s := n.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.DEFINE {
			return nil
		}
		id, ok := s.Lhs[0].(*ast.Ident)
		if !ok || id.Name == "_" || p.uses(s.Rhs[0], p.source.Info.Defs[id]) {
			return nil
		}
		result, value = id.Name, s.Rhs[0]
	case *ast.ReturnStmt:
		if len(s.Results) != 1 {
			return nil
		}
		result, value, returned = p.fresh("result"), s.Results[0], true
	default:
		return nil
	}
	call, ok := value.(*ast.CallExpr)
	if !ok || callee(p.source.Info, call) == nil || p.constant(value) {
		return nil
	}
	if _, tuple := p.typeOf(call).(*types.Tuple); tuple {
		return nil
	}
	var keys []string
	for _, a := range call.Args {
		if isPlain(p.typeOf(a)) && p.simple(a) && !p.constant(a) && !p.source.Info.Types[a].IsNil() {
			keys = append(keys, p.text(a))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	typ, sprint := p.typeText(p.typeOf(call)), p.use("fmt")+".Sprint"
	cache, key, hit := p.fresh("cache"), p.fresh("key"), p.fresh("hit")
	return func(k int) []edit {
		text := fmt.Sprintf(`%s := make(map[string]%s, %d)
%s := %s(%s)
%s, %s := %s[%s]
if !%s {
	%s = %s
	%s[%s] = %s
}`, cache, typ, k, key, sprint, strings.Join(keys, ", "), result, hit, cache, key, hit, result, p.text(call), cache, key, result)
		if returned {
			text += "\nreturn " + result
		}
		return p.replace(stmt, text)
	}
}

// findEagerMessage is for
//
//	if bad { return fmt.Errorf("message", x) }
//
// whose message is made before the if.
func findEagerMessage(p *place, n ast.Node) rewrite {
	s, ok := n.(*ast.IfStmt)
	if !ok || !p.inList(s) || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return nil
	}
	var message *ast.CallExpr
	ast.Inspect(s.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && message == nil {
			if f := callee(p.source.Info, call); f != nil {
				switch f.FullName() {
				case "fmt.Errorf", "fmt.Sprintf", "errors.New":
					message = call
				}
			}
		}
		_, literal := n.(*ast.FuncLit)
		return message == nil && !literal
	})
	if message == nil {
		return nil
	}
	for _, a := range message.Args {
		if !p.harmless(a) || p.declaredIn(s, a) {
			return nil
		}
	}
	name, value := p.fresh("message"), p.text(message)
	return func(k int) []edit {
		text := name + " := " + value
		if k > 1 {
			text += "\n" + p.repeat(k-1, name+" = "+value)
		}
		return append(p.before(s, text), p.replace(message, name)...)
	}
}

// declaredIn tells whether an expression names a variable that a statement declares.
func (p *place) declaredIn(s ast.Stmt, e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj := p.source.Info.ObjectOf(id)
			found = found || obj != nil && s.Pos() <= obj.Pos() && obj.Pos() < s.End()
		}
		return !found
	})
	return found
}

// harmless tells whether an expression can be evaluated where it was not: it must not
// depend on a condition that guards it, such as x != nil.
func (p *place) harmless(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return p.simple(e)
	case *ast.SelectorExpr:
		if p.constant(e) {
			return true
		}
		_, pointer := p.typeOf(e.X).Underlying().(*types.Pointer)
		id, ok := e.X.(*ast.Ident)
		receiver := ok && p.decl.Recv != nil && p.decl.Recv.Pos() <= p.source.Info.ObjectOf(id).Pos() && p.source.Info.ObjectOf(id).Pos() < p.decl.Recv.End()
		return p.simple(e) && (!pointer || receiver) && p.harmless(e.X)
	case *ast.CallExpr:
		return p.isBuiltin(e, "len", "cap") && p.harmless(e.Args[0])
	}
	return p.constant(e)
}
