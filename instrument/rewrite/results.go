package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The compiler keeps named results in memory as soon as the function has a deferred call, because
// that could change them: a loop that adds up a result became 2.5 times as slow with a probe. So
// a function without deferred calls of its own gets variables of these names, and its results
// other names:
//
//	func Sum() (n int) {n := x_n; _ = n; ... return n }
//
// A return with values assigns to the results. Where a literal or a pointer may see that after the
// return, the function stays as it is.

// freeResults renames the named results of a function that gets its only deferred call from the
// probe, and returns what declares their names in the body; "" where they stay as they are.
func (f *File) freeResults(out *Text, prefix string, typ *ast.FuncType, body *ast.BlockStmt) string {
	names := namedResults(typ)
	returns, deferred := leaving(body)
	assigns := slices.ContainsFunc(returns, func(r *ast.ReturnStmt) bool { return len(r.Results) > 0 })
	if len(names) == 0 || deferred || assigns && held(body, names, pointers(typ)) {
		return ""
	}
	var list, values, blanks []string
	for _, name := range names {
		out.Insert(f.offset(name.Pos()), prefix+"_")
		list, values, blanks = append(list, name.Name), append(values, prefix+"_"+name.Name), append(blanks, "_")
	}
	all := strings.Join(list, ", ")
	for _, r := range returns {
		if len(r.Results) == 0 {
			out.Insert(f.offset(r.Return)+len("return"), " "+all)
		}
	}
	return all + " := " + strings.Join(values, ", ") + "; " + strings.Join(blanks, ", ") + " = " + all + ";"
}

// namedResults are the names of the results; none where one of them is blank, or an array, which
// the compiler could move to the heap as a variable.
func namedResults(typ *ast.FuncType) (names []*ast.Ident) {
	if typ.Results == nil {
		return nil
	}
	for _, field := range typ.Results.List {
		if array, ok := field.Type.(*ast.ArrayType); ok && array.Len != nil {
			return nil
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				return nil
			}
			names = append(names, name)
		}
	}
	return names
}

// leaving lists the return statements of a function, and says whether it defers a call.
func leaving(body *ast.BlockStmt) (returns []*ast.ReturnStmt, deferred bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			deferred = true
		case *ast.ReturnStmt:
			returns = append(returns, n)
		}
		return true
	})
	return returns, deferred
}

// pointers are the names of the results that are pointers: a selector takes no address of them.
func pointers(typ *ast.FuncType) map[string]bool {
	names := make(map[string]bool)
	for _, field := range typ.Results.List {
		if _, ok := field.Type.(*ast.StarExpr); ok {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
	}
	return names
}

// held says whether a literal, or a pointer, may refer to one of the names after the function has
// returned: by what a literal mentions, an address that is taken, also by slicing an array or by
// calling a method.
func held(body *ast.BlockStmt, names []*ast.Ident, pointers map[string]bool) (held bool) {
	mentions := func(within ast.Node, but map[string]bool) {
		ast.Inspect(within, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			held = held || ok && !but[id.Name] && slices.ContainsFunc(names, func(name *ast.Ident) bool { return name.Name == id.Name })
			return !held
		})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			mentions(n, nil)
			return false
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mentions(n.X, nil)
			}
		case *ast.SliceExpr:
			mentions(n.X, nil)
		case *ast.SelectorExpr:
			mentions(n.X, pointers)
		}
		return !held
	})
	return held
}
