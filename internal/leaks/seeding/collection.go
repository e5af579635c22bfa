package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// appends is the slice s of s = append(s, x, ...); nil for other nodes.
func (p *place) appends(n ast.Node) (slice ast.Expr, stmt *ast.AssignStmt) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || !p.inList(s) || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return nil, nil
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || !p.isBuiltin(call, "append") || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return nil, nil
	}
	if p.text(call.Args[0]) != p.text(s.Lhs[0]) || !p.simple(s.Lhs[0]) || p.sliceOf(s.Lhs[0]) == nil {
		return nil, nil
	}
	return s.Lhs[0], s
}

func findQuadraticAppend(p *place, n ast.Node) rewrite {
	slice, s := p.appends(n)
	if s == nil {
		return nil
	}
	x, typ := p.text(slice), p.typeText(p.typeOf(slice))
	return func(k int) []edit {
		return p.before(s, p.repeat(k, fmt.Sprintf("%s = append(make(%s, 0, len(%s)+1), %s...)", x, typ, x, x)))
	}
}

// findSort sorts a copy, so that the order stays.
func findSort(p *place, n ast.Node) rewrite {
	slice, s := p.appends(n)
	if s == nil {
		return nil
	}
	basic, ok := p.sliceOf(slice).Elem().Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsOrdered == 0 {
		return nil
	}
	sorted, sort := p.fresh("sorted"), p.use("sort")
	text := fmt.Sprintf("%s := append(%s(nil), %s...)\n%s.Slice(%s, func(i, j int) bool { return %s[i] < %s[j] })",
		sorted, p.typeText(types.NewSlice(p.sliceOf(slice).Elem())), p.text(slice), sort, sorted, sorted, sorted)
	return func(k int) []edit {
		if k == 1 {
			return p.after(s, "{\n"+text+"\n}")
		}
		return p.after(s, p.repeat(k, text))
	}
}

// findLinearSearch is for the lookups m[k] and v, ok := m[k].
func findLinearSearch(p *place, n ast.Node) rewrite {
	e, ok := n.(*ast.IndexExpr)
	if !ok || isAssigned(p.parent(), e) || !p.simple(e.X) || !p.simple(e.Index) {
		return nil
	}
	m, ok := p.typeOf(e.X).Underlying().(*types.Map)
	if !ok {
		return nil
	}
	value, found, key, entry := p.fresh("value"), p.fresh("found"), p.fresh("key"), p.fresh("entry")
	result, results := value+" "+p.typeText(m.Elem()), value
	if _, pair := p.typeOf(e).(*types.Tuple); pair {
		result, results = result+", "+found+" bool", value+", "+found
	}
	assign := fmt.Sprintf("%s = %s", value, entry)
	if results != value {
		assign = fmt.Sprintf("%s = %s, true", results, entry)
	}
	return func(k int) []edit {
		return p.replace(e, fmt.Sprintf("func() (%s) {\n%s\nreturn %s\n}()", result,
			p.repeat(k, fmt.Sprintf("for %s, %s := range %s {\nif %s == %s {\n%s\n}\n}", key, entry, p.text(e.X), key, p.text(e.Index), assign)),
			results))
	}
}

// findCopy is for loops over slices and strings. Strength is the spare room of the copy,
// in elements.
func findCopy(p *place, n ast.Node) rewrite {
	s, ok := n.(*ast.RangeStmt)
	if !ok || !p.simple(s.X) || p.constant(s.X) {
		return nil
	}
	x := p.text(s.X)
	if isString(p.typeOf(s.X)) {
		return func(k int) []edit {
			return p.replace(s.X, fmt.Sprintf("string(append(make([]byte, 0, len(%s)+%d), %s...))", x, k, x))
		}
	}
	if p.sliceOf(s.X) == nil || p.assignsElements(s.Body, x) {
		return nil
	}
	typ := p.typeText(p.typeOf(s.X))
	return func(k int) []edit {
		return p.replace(s.X, fmt.Sprintf("append(make(%s, 0, len(%s)+%d), %s...)", typ, x, k, x))
	}
}

// assignsElements tells whether a loop assigns to elements of the slice with that text.
func (p *place) assignsElements(body *ast.BlockStmt, slice string) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, e := range s.Lhs {
				if index, ok := e.(*ast.IndexExpr); ok && p.text(index.X) == slice {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// findOversized is for make and for empty literals. Strength is the spare room, in
// elements or entries.
func findOversized(p *place, n ast.Node) rewrite {
	switch e := n.(type) {
	case *ast.CallExpr:
		if !p.isBuiltin(e, "make") {
			return nil
		}
		_, isMap := p.typeOf(e).Underlying().(*types.Map)
		if !isMap && p.sliceOf(e) == nil || !isMap && len(e.Args) == 2 && !p.simple(e.Args[1]) {
			return nil
		}
		typ := p.text(e.Args[0])
		last := e.Args[len(e.Args)-1]
		return func(k int) []edit {
			switch {
			case isMap && len(e.Args) == 1:
				return p.replace(e, fmt.Sprintf("make(%s, %d)", typ, k))
			case !isMap && len(e.Args) == 2:
				return p.replace(last, fmt.Sprintf("%s, int(%s)+%d", p.text(last), p.text(last), k))
			}
			return p.replace(last, fmt.Sprintf("int(%s)+%d", p.text(last), k))
		}
	case *ast.CompositeLit:
		if e.Type == nil || len(e.Elts) > 0 || isAssigned(p.parent(), e) { // &[]T{}
			return nil
		}
		switch p.typeOf(e).Underlying().(type) {
		case *types.Map:
			return func(k int) []edit { return p.replace(e, fmt.Sprintf("make(%s, %d)", p.text(e.Type), k)) }
		case *types.Slice:
			return func(k int) []edit { return p.replace(e, fmt.Sprintf("make(%s, 0, %d)", p.text(e.Type), k)) }
		}
	}
	return nil
}
