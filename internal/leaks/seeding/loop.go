package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// loopBody is the node if it is the body of a loop; nil for others.
func (p *place) loopBody(n ast.Node) *ast.BlockStmt {
	body, ok := n.(*ast.BlockStmt)
	if !ok || len(body.List) == 0 {
		return nil
	}
	switch p.parent().(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return body
	}
	return nil
}

// findInvariant is for
//
//	x := f(y)
//	for ... { use(x) }
//
// where f is pure and neither x nor y changes: the loop computes x in each iteration.
func findInvariant(p *place, n ast.Node) rewrite {
	body := p.loopBody(n)
	if body == nil {
		return nil
	}
	block, ok := p.stack[len(p.stack)-2].(*ast.BlockStmt) // the declaration is on the stack too
	if !ok {
		return nil
	}
	for _, s := range block.List {
		if s.Pos() >= n.Pos() {
			break
		}
		assign, ok := s.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		x, ok := assign.Lhs[0].(*ast.Ident)
		if !ok || x.Name == "_" || !p.recomputable(x, assign.Rhs[0], body) {
			continue
		}
		value := p.text(assign.Rhs[0])
		return func(k int) []edit { return p.inside(body, p.repeat(k, x.Name+" = "+value)) }
	}
	return nil
}

// recomputable tells whether x, which is used in a loop, can be computed there.
func (p *place) recomputable(x *ast.Ident, value ast.Expr, loop *ast.BlockStmt) bool {
	obj := p.source.Info.Defs[x]
	if obj == nil || !p.uses(loop, obj) || p.constant(value) || !p.pure.expression(p.function, value) {
		return false
	}
	if _, basic := obj.Type().Underlying().(*types.Basic); !basic { // others have an identity, or can be changed
		return false
	}
	computed := false
	operands := []types.Object{obj}
	fields := []string{x.Name}
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			computed = computed || !p.isBuiltin(n) && !p.source.Info.Types[n.Fun].IsType()
		case *ast.Ident:
			if v, ok := p.source.Info.Uses[n].(*types.Var); ok {
				operands = append(operands, v)
				if v.IsField() {
					fields = append(fields, n.Name)
				}
			}
		}
		return true
	})
	return computed && !p.changes(operands, fields, value.End())
}

// changes tells whether variables or fields may change after a position of the function.
func (p *place) changes(variables []types.Object, fields []string, after token.Pos) (changed bool) {
	assigned := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				obj := p.source.Info.ObjectOf(id)
				v, ok := obj.(*types.Var)
				changed = changed || slices.Contains(variables, obj) || ok && v.IsField() && slices.Contains(fields, id.Name)
			}
			return true
		})
	}
	ast.Inspect(p.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Pos() >= after {
				for _, e := range n.Lhs {
					assigned(e)
				}
			}
		case *ast.IncDecStmt:
			if n.Pos() >= after {
				assigned(n.X)
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil && n.Tok == token.ASSIGN {
					assigned(e)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assigned(n.X)
			}
		}
		return true
	})
	return changed
}

func findTimer(p *place, n ast.Node) rewrite {
	body := p.loopBody(n)
	if body == nil {
		return nil
	}
	time := p.use("time")
	return func(k int) []edit {
		return p.inside(body, p.repeat(k, "select {\ncase <-"+time+".After("+time+".Hour):\ndefault:\n}"))
	}
}

func findDefer(p *place, n ast.Node) rewrite {
	body := p.loopBody(n)
	if body == nil {
		return nil
	}
	time, started := p.use("time"), p.fresh("started")
	return func(k int) []edit {
		return p.inside(body, p.repeat(k, fmt.Sprintf("%s := %s.Now()\ndefer func() { _ = %s.Since(%s) }()", started, time, time, started)))
	}
}
