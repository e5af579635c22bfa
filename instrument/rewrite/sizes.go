package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/gosource"
)

// A timed function tells the probe up to two sizes as it begins: the integers and lengths among its
// parameters, then those of its receiver, in the order of the source. Parameters, and a receiver that
// is no pointer, are the function's own copies, so nothing that is read can race or fault. Behind a
// pointer that is the receiver only those fields are read that the function reads with its first
// expression, before it could take a lock, and where the pointer is not nil. What a type is must be
// seen in the source of the package: types of other packages are not looked for, and of integers
// those with names of their own, which rarely are sizes, and characters are left out.

const mostSizes = 2

// A size is one of them, as the source would have it, and as the probe gets it. It is behind pointer,
// unless that is "".
type size struct{ name, value, pointer string }

// Sizes names what f.Funcs[i] tells the probe, as in "n" or "len(s)"; nothing if it is only counted.
func (f *File) Sizes(i int, inlines func(token.Pos) bool) (names []string) {
	if f.CountedOnly(i, inlines) {
		return nil
	}
	for _, s := range f.sizes(&f.Funcs[i], "") {
		names = append(names, s.name)
	}
	return names
}

// enter is the call of the probe with which a function begins, and what must stand before it.
func (f *File) enter(fn *gosource.Func, p *Probes, row uint32) (before, call string) {
	sizes := f.sizes(fn, p.Name)
	if len(sizes) == 0 {
		return "", fmt.Sprintf("%s.SpellEnter(%d)", p.Name, row)
	}
	const none = "-1"
	values := [mostSizes]string{none, none}
	for i, s := range sizes {
		values[i] = s.value
		if s.pointer != "" {
			values[i] = fmt.Sprint(p.Name, i)
			before += fmt.Sprintf("%s := %s; if %s != nil {%s = %s};", values[i], none, s.pointer, values[i], s.value)
		}
	}
	return before, fmt.Sprintf("%s.SpellSized(%d, %s)", p.Name, row, strings.Join(values[:], ", "))
}

// sizes are those of a declared function; a literal, whose decl is nil, has none.
func (f *File) sizes(fn *gosource.Func, probe string) (list []size) {
	decl := fn.Decl
	if decl == nil {
		return nil
	}
	s := sizeFinder{scope: f.scope, old: f.old, file: f.imported, probe: probe, own: ownNames(decl), constraints: typeParameters(decl)}
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			list = s.add(list, name.Name, field.Type, "")
		}
	}
	if decl.Recv != nil {
		for _, field := range decl.Recv.List {
			for _, name := range field.Names {
				list = s.addReceiver(list, name.Name, field.Type, fn.Body)
			}
		}
	}
	return list[:min(len(list), mostSizes)]
}

// A scope is what a package declares outside of functions.
type scope struct {
	names map[string]bool
	types map[string]*ast.TypeSpec
}

func scopeOf(files []*ast.File) *scope {
	s := &scope{names: make(map[string]bool), types: make(map[string]*ast.TypeSpec)}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					s.names[decl.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						s.names[spec.Name.Name], s.types[spec.Name.Name] = true, spec
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							s.names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return s
}

// importedBy are the names of the packages that a file imports, as far as they are seen in it.
func importedBy(file *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, spec := range file.Imports {
		if spec.Name != nil {
			names[spec.Name.Name] = true
		} else if of, err := strconv.Unquote(spec.Path.Value); err == nil {
			names[path.Base(of)] = true
		}
	}
	return names
}

// ownNames are the names that a function has in its body from the start.
func ownNames(decl *ast.FuncDecl) map[string]bool {
	names := make(map[string]bool)
	for _, list := range []*ast.FieldList{decl.Recv, decl.Type.TypeParams, decl.Type.Params, decl.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
	}
	for name := range typeParameters(decl) {
		names[name] = true
	}
	return names
}

// typeParameters are the constraints of the type parameters of a function by their names; nil of
// those of its receiver, whose constraints stand elsewhere.
func typeParameters(decl *ast.FuncDecl) map[string]ast.Expr {
	found := make(map[string]ast.Expr)
	if decl.Type.TypeParams != nil {
		for _, field := range decl.Type.TypeParams.List {
			for _, name := range field.Names {
				found[name.Name] = field.Type
			}
		}
	}
	if decl.Recv != nil {
		for _, field := range decl.Recv.List {
			ast.Inspect(field.Type, func(n ast.Node) bool {
				var arguments []ast.Expr
				switch n := n.(type) {
				case *ast.IndexExpr:
					arguments = []ast.Expr{n.Index}
				case *ast.IndexListExpr:
					arguments = n.Indices
				}
				for _, a := range arguments {
					if id, ok := a.(*ast.Ident); ok {
						found[id.Name] = nil
					}
				}
				return true
			})
		}
	}
	return found
}

// A sizeFinder tells the size of a value by its type.
type sizeFinder struct {
	*scope
	file, own   map[string]bool // names
	constraints map[string]ast.Expr
	probe       string
	old         bool // the language has no generics, which SpellLen and SpellAt are
}

// predeclared says whether a name means in the body of the function what it means in Go.
func (s *sizeFinder) predeclared(name string) bool {
	return !s.names[name] && !s.file[name] && !s.own[name]
}

// add adds the size of a value, if it has one. What others may write is read where the race detector
// does not look: a map, as the function may take a lock for it later, and what is behind a pointer.
func (s *sizeFinder) add(list []size, name string, typ ast.Expr, pointer string) []size {
	if name == "_" || strings.HasSuffix(name, "._") {
		return list
	}
	value := name
	if pointer != "" {
		value = s.probe + ".SpellAt(&" + name + ")"
	}
	switch kind := s.kind(typ, s.constraints, 0); {
	case s.old && (kind == "map" || pointer != ""):
	case kind == "map":
		return append(list, size{"len(" + name + ")", s.probe + ".SpellLen(" + value + ")", pointer})
	case kind == "list" && s.predeclared("len"):
		return append(list, size{"len(" + name + ")", "len(" + value + ")", pointer})
	case kind == "int":
		return append(list, size{name, value, pointer})
	case slices.Contains(integers, kind) && s.predeclared("int"):
		return append(list, size{name, "int(" + value + ")", pointer})
	}
	return list
}

// integers are the types of integers that may be sizes. Larger values than an int has become negative,
// which is no size.
var integers = []string{"int", "int16", "int32", "int64", "uint", "uint16", "uint32", "uint64"}

// addReceiver adds the size of a receiver, or those of its fields.
func (s *sizeFinder) addReceiver(list []size, name string, typ ast.Expr, body *ast.BlockStmt) []size {
	if name == "_" {
		return list
	}
	pointer := ""
	if star, ok := ast.Unparen(typ).(*ast.StarExpr); ok {
		pointer, typ = name, star.X
	}
	spec := s.types[nameOf(typ)]
	if spec == nil {
		return list
	}
	fields, ok := spec.Type.(*ast.StructType)
	switch {
	case pointer != "" && (!ok || !s.predeclared("nil")):
		return list
	case !ok:
		return s.add(list, name, typ, "")
	}
	read := s.readFirst(body, name)
	of := *s
	of.constraints = unknown(spec.TypeParams)
	for _, field := range fields.Fields.List {
		for _, f := range field.Names {
			if pointer == "" || read[f.Name] {
				list = of.add(list, name+"."+f.Name, field.Type, pointer)
			}
		}
	}
	return list
}

// readFirst are the fields of the receiver that the first expression of a function certainly reads; none
// where that calls or receives something.
func (s *sizeFinder) readFirst(body *ast.BlockStmt, receiver string) map[string]bool {
	read, sure := make(map[string]bool), true
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			of, ok := n.Fun.(*ast.Ident)
			sure = sure && ok && (of.Name == "len" || of.Name == "cap") && s.predeclared(of.Name)
		case *ast.FuncLit:
			sure = false
		case *ast.UnaryExpr:
			sure = sure && n.Op != token.ARROW && n.Op != token.AND
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				ast.Inspect(n.X, inspect)
				return false
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == receiver {
				read[n.Sel.Name] = true
			}
		}
		return true
	}
	if len(body.List) > 0 {
		if first := firstOf(body.List[0]); first != nil {
			ast.Inspect(first, inspect)
		}
	}
	if !sure {
		return nil
	}
	return read
}

// firstOf is the expression that a statement begins with; nil where that is not looked for.
func firstOf(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		isName := func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return ok }
		if len(s.Rhs) == 1 && (s.Tok == token.DEFINE || s.Tok == token.ASSIGN && !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return !isName(e) })) {
			return s.Rhs[0] // calls on the left would come first
		}
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return s.Results[0]
		}
	case *ast.RangeStmt:
		return s.X
	case *ast.IfStmt:
		if s.Init != nil {
			return firstOf(s.Init)
		}
		return s.Cond
	case *ast.ForStmt:
		if s.Init != nil {
			return firstOf(s.Init)
		}
		return s.Cond
	}
	return nil
}

// nameOf is the name of a type, without type arguments; "" of one without a name of the package.
func nameOf(typ ast.Expr) string {
	switch t := ast.Unparen(typ).(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr:
		return nameOf(t.X)
	case *ast.IndexListExpr:
		return nameOf(t.X)
	}
	return ""
}

// unknown are type parameters whose constraints are not looked at.
func unknown(list *ast.FieldList) map[string]ast.Expr {
	found := make(map[string]ast.Expr)
	if list != nil {
		for _, field := range list.List {
			for _, name := range field.Names {
				found[name.Name] = nil
			}
		}
	}
	return found
}

// kind is "map", "list" of what else has a length, the name of a type of integers, or "".
func (s *sizeFinder) kind(typ ast.Expr, parameters map[string]ast.Expr, depth int) string {
	const deepest = 10 // a type may be declared by itself, wrongly
	switch t := ast.Unparen(typ).(type) {
	case *ast.ArrayType:
		if t.Len == nil {
			return "list"
		}
	case *ast.Ellipsis, *ast.ChanType:
		return "list"
	case *ast.MapType:
		return "map"
	case *ast.Ident, *ast.IndexExpr, *ast.IndexListExpr:
		name := nameOf(t)
		constraint, is := parameters[name]
		spec := s.types[name]
		switch {
		case depth == deepest:
		case is:
			if tilde, ok := constraint.(*ast.UnaryExpr); ok && tilde.Op == token.TILDE {
				return s.kind(tilde.X, parameters, depth+1)
			}
		case spec != nil:
			return s.kind(spec.Type, unknown(spec.TypeParams), depth+1)
		case s.names[name] || s.file[name]:
		case name == "string":
			return "list"
		case depth == 0 && slices.Contains(integers, name):
			return name
		}
	}
	return ""
}
