package generate

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// A source is the declarations of a package and of those that it imports, without the standard library.
type source struct {
	functions map[*types.Func]*declared
	values    map[*types.Var][]expression // what is assigned to variables and to fields, and passed as parameters
	packages  map[*types.Package]*packages.Package
	initial   []expression         // what begins before main: values of variables of packages
	starting  map[*types.Func]bool // what they and init name, and so on; nil until it is asked for
	standard  []*types.Interface   // of the standard library
	inLibrary map[*types.Package]bool
}

// A declared function has its body, or none if it is in assembly.
type declared struct {
	decl *ast.FuncDecl
	info *types.Info
}

type expression struct {
	expr ast.Expr
	info *types.Info
	in   *types.Func // nil outside of functions
}

// sourceOf reads the declarations that a package can reach.
func sourceOf(root *packages.Package) *source {
	s := &source{
		functions: make(map[*types.Func]*declared), values: make(map[*types.Var][]expression),
		packages: make(map[*types.Package]*packages.Package), inLibrary: make(map[*types.Package]bool),
	}
	packages.Visit([]*packages.Package{root}, nil, func(p *packages.Package) {
		if p.Types == nil {
			return
		}
		if p.Module == nil {
			s.addInterfaces(p.Types)
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
		var in *types.Func
		if f, ok := decl.(*ast.FuncDecl); ok {
			if in, ok = info.Defs[f.Name].(*types.Func); ok {
				s.functions[in] = &declared{f, info}
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			s.addNode(n, info, in)
			return true
		})
	}
}

// addNode notes what a statement or expression sets or passes.
func (s *source) addNode(n ast.Node, info *types.Info, in *types.Func) {
	of := func(e ast.Expr) expression { return expression{e, info, in} }
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if v, ok := info.Defs[name].(*types.Var); ok && len(n.Values) > 0 {
				s.assign(v, of(n.Values[min(i, len(n.Values)-1)]))
			}
		}
		if in == nil {
			for _, value := range n.Values {
				s.initial = append(s.initial, of(value))
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			s.assign(variableOf(left, info), of(n.Rhs[min(i, len(n.Rhs)-1)]))
		}
	case *ast.RangeStmt:
		for _, left := range []ast.Expr{n.Key, n.Value} {
			s.assign(variableOf(left, info), of(n.X))
		}
	case *ast.SendStmt:
		s.assign(variableOf(n.Chan, info), of(n.Value))
	case *ast.CompositeLit:
		s.addLiteral(n, of)
	case *ast.CallExpr:
		s.addCall(n, of)
	}
}

// addCall notes what a function is given. What a method of the standard library is given, its receiver may keep.
func (s *source) addCall(call *ast.CallExpr, of func(ast.Expr) expression) {
	info := of(nil).info
	f, ok := calleeOf(call, info).(*types.Func)
	if !ok {
		return
	}
	parameters := f.Origin().Signature().Params()
	for i, argument := range call.Args {
		if parameters.Len() > 0 {
			s.assign(parameters.At(min(i, parameters.Len()-1)), of(argument))
		}
		if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Signature().Recv() != nil && (f.Pkg() == nil || s.inLibrary[f.Pkg()]) {
			s.assign(variableOf(selector.X, info), of(argument))
		}
	}
}

// addLiteral notes what the fields of a struct are set to.
func (s *source) addLiteral(n *ast.CompositeLit, of func(ast.Expr) expression) {
	info := of(nil).info
	structure, ok := deref(info.TypeOf(n)).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			s.assign(variableOf(pair.Key, info), of(pair.Value))
		} else if i < structure.NumFields() {
			s.assign(structure.Field(i), of(element))
		}
	}
}

func (s *source) assign(v *types.Var, value expression) {
	if v != nil {
		s.values[v.Origin()] = append(s.values[v.Origin()], value)
	}
}

// addInterfaces notes the interfaces of a package of the standard library.
func (s *source) addInterfaces(pkg *types.Package) {
	s.inLibrary[pkg] = true
	for _, name := range pkg.Scope().Names() {
		if object, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			named, _ := object.Type().(*types.Named)
			if i, ok := object.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 && named != nil && named.TypeParams().Len() == 0 {
				s.standard = append(s.standard, i)
			}
		}
	}
}

// starts tells whether code in a function, or outside of functions if it is nil, may run before main begins.
func (s *source) starts(in *types.Func) bool {
	if s.starting == nil {
		s.starting = make(map[*types.Func]bool)
		for _, value := range s.initial {
			s.addStarting(value.expr, value.info)
		}
		for f, d := range s.functions {
			if f.Name() == "init" && f.Signature().Recv() == nil && d.decl.Body != nil && !s.starting[f] {
				s.starting[f] = true
				s.addStarting(d.decl.Body, d.info)
			}
		}
	}
	return in == nil || s.starting[in]
}

func (s *source) addStarting(n ast.Node, info *types.Info) {
	ast.Inspect(n, func(n ast.Node) bool {
		ident, _ := n.(*ast.Ident)
		if ident == nil {
			return true
		}
		if f, ok := info.Uses[ident].(*types.Func); ok && !s.starting[f.Origin()] {
			s.starting[f.Origin()] = true
			if d := s.functions[f.Origin()]; d != nil && d.decl.Body != nil {
				s.addStarting(d.decl.Body, d.info)
			}
		}
		return true
	})
}

// variableOf is the variable or field that an expression names, or has as its part; nil if it is another.
func variableOf(expr ast.Expr, info *types.Info) *types.Var {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(expr).(*types.Var)
		return v
	case *ast.SelectorExpr:
		v, _ := info.Uses[expr.Sel].(*types.Var)
		return v
	case *ast.IndexExpr:
		return variableOf(expr.X, info)
	case *ast.StarExpr:
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
