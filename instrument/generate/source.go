package generate

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// A source is the declarations of a package and of those that it imports, without the standard library.
type source struct {
	functions map[*types.Func]*declared
	values    map[*types.Var][]expression // what is assigned to variables of packages and to fields
	packages  map[*types.Package]*packages.Package
}

// A declared function has its body, or none if it is in assembly.
type declared struct {
	decl *ast.FuncDecl
	info *types.Info
}

type expression struct {
	expr ast.Expr
	info *types.Info
}

// sourceOf reads the declarations that a package can reach.
func sourceOf(root *packages.Package) *source {
	s := &source{
		functions: make(map[*types.Func]*declared), values: make(map[*types.Var][]expression),
		packages: make(map[*types.Package]*packages.Package),
	}
	packages.Visit([]*packages.Package{root}, nil, func(p *packages.Package) {
		if p.Types == nil || p.Module == nil {
			return
		}
		s.packages[p.Types] = p
		for _, file := range p.Syntax {
			s.addFile(file, p.TypesInfo)
		}
	})
	return s
}

func (s *source) addFile(file *ast.File, info *types.Info) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			if object, ok := info.Defs[f.Name].(*types.Func); ok {
				s.functions[object] = &declared{f, info}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if v, ok := info.Defs[name].(*types.Var); ok && len(n.Values) > 0 {
					s.assign(v, n.Values[min(i, len(n.Values)-1)], info)
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if v := variableOf(left, info); v != nil {
					s.assign(v, n.Rhs[min(i, len(n.Rhs)-1)], info)
				}
			}
		case *ast.CompositeLit:
			s.addLiteral(n, info)
		}
		return true
	})
}

// addLiteral notes what the fields of a struct are set to.
func (s *source) addLiteral(n *ast.CompositeLit, info *types.Info) {
	structure, ok := deref(info.TypeOf(n)).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				if v, ok := info.Uses[name].(*types.Var); ok {
					s.assign(v, pair.Value, info)
				}
			}
		} else if i < structure.NumFields() {
			s.assign(structure.Field(i), element, info)
		}
	}
}

// assign notes a value of a variable of a package or a field that may hold functions.
func (s *source) assign(v *types.Var, value ast.Expr, info *types.Info) {
	v = v.Origin()
	if v.Kind() == types.FieldVar || v.Kind() == types.PackageVar {
		s.values[v] = append(s.values[v], expression{value, info})
	}
}

// variableOf is the variable or field that an expression names; nil if it is another.
func variableOf(expr ast.Expr, info *types.Info) *types.Var {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident:
		v, _ := info.Uses[expr].(*types.Var)
		return v
	case *ast.SelectorExpr:
		v, _ := info.Uses[expr.Sel].(*types.Var)
		return v
	case *ast.IndexExpr:
		return variableOf(expr.X, info)
	}
	return nil
}

// deref is what a pointer points to, or t.
func deref(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
