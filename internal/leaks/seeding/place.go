package seeding

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A rewrite gives the edits that put a leak of some strength into the text.
type rewrite func(strength int) []edit

// predeclared are the names that inserted code takes for Go's own.
var predeclared = []string{"append", "bool", "byte", "cap", "false", "int", "len", "make", "nil", "string", "true"}

// A function is a function that may have sites.
type function struct {
	source  *Source
	decl    *ast.FuncDecl
	id      string // of the component
	pure    purity
	defined map[string]types.Object // by names that the function declares
	names   map[string]bool         // all identifiers of the function
}

// newFunction returns nil for functions that are left alone, see [Sites].
func newFunction(s *Source, decl *ast.FuncDecl) *function {
	if decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:") }) {
		return nil
	}
	f := &function{source: s, decl: decl, defined: make(map[string]types.Object), names: make(map[string]bool)}
	jumps := false
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BranchStmt:
			jumps = jumps || n.Tok == token.GOTO
		case *ast.Ident:
			f.names[n.Name] = true
			if obj := s.Info.Defs[n]; obj != nil && obj.Parent() != s.Types.Scope() {
				f.defined[n.Name] = obj
			}
		}
		return true
	})
	for _, name := range predeclared {
		if f.defined[name] != nil || s.Types.Scope().Lookup(name) != nil {
			return nil
		}
	}
	if jumps {
		return nil
	}
	return f
}

func (f *function) offset(pos token.Pos) int { return f.source.Fset.PositionFor(pos, false).Offset }

func (f *function) text(n ast.Node) string {
	return string(f.source.Text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *function) typeOf(e ast.Expr) types.Type { return f.source.Info.TypeOf(e) }

func (f *function) constant(e ast.Expr) bool { return f.source.Info.Types[e].Value != nil }

// fresh is a name that the function does not use.
func (f *function) fresh(name string) string {
	unused := name
	for i := 2; f.names[unused]; i++ {
		unused = name + strconv.Itoa(i)
	}
	return unused
}

// A place is a node of a function, at which a kind asks whether it fits.
type place struct {
	*function
	stack      []ast.Node // what encloses the node, outermost first
	imports    []string   // packages that the inserted text needs
	impossible bool       // something that the inserted text needs has no name here
}

// parent is nil for the declaration itself.
func (p *place) parent() ast.Node {
	if len(p.stack) == 0 {
		return nil
	}
	return p.stack[len(p.stack)-1]
}

// inList tells whether the node is a statement of a block or clause, so that others can be
// put before and after it.
func (p *place) inList(s ast.Stmt) bool {
	switch in := p.parent().(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		return true
	case *ast.CommClause:
		return in.Comm != s
	}
	return false
}

// use is the name of a package of the standard library.
func (p *place) use(pkg string) string {
	name := path.Base(pkg)
	taken := p.source.Types.Scope().Lookup(name) != nil
	imported := false
	for _, spec := range p.source.Syntax.Imports {
		from, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
		as := p.importName(spec)
		switch {
		case from == pkg && as != "_" && as != ".":
			name, imported = as, true
		case as == name:
			taken = true
		}
	}
	if p.defined[name] != nil || taken && !imported {
		p.impossible = true
	}
	if !imported && !slices.Contains(p.imports, pkg) {
		p.imports = append(p.imports, pkg)
	}
	return name
}

func (p *place) importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if obj := p.source.Info.Implicits[spec]; obj != nil {
		return obj.Name()
	}
	from, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
	return path.Base(from)
}

// typeText writes a type as it is written in this function.
func (p *place) typeText(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped == 0 && t.Kind() != types.Invalid && t.Kind() != types.UnsafePointer {
			return p.visible(types.Universe.Lookup(t.Name()), t.Name())
		}
	case *types.Alias:
		if t.TypeArgs().Len() == 0 {
			return p.visible(t.Obj(), t.Obj().Name())
		}
	case *types.Named:
		return p.visible(t.Obj(), t.Obj().Name()) + p.typeArguments(t.TypeArgs())
	case *types.TypeParam:
		return p.visible(t.Obj(), t.Obj().Name())
	case *types.Pointer:
		return "*" + p.typeText(t.Elem())
	case *types.Slice:
		return "[]" + p.typeText(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), p.typeText(t.Elem()))
	case *types.Map:
		return "map[" + p.typeText(t.Key()) + "]" + p.typeText(t.Elem())
	case *types.Interface:
		if t.Empty() {
			return "interface{}"
		}
	}
	p.impossible = true
	return ""
}

func (p *place) typeArguments(list *types.TypeList) string {
	var args []string
	for t := range list.Types() {
		args = append(args, p.typeText(t))
	}
	if len(args) == 0 {
		return ""
	}
	return "[" + strings.Join(args, ", ") + "]"
}

// visible is how a type's name is written here.
func (p *place) visible(obj types.Object, name string) string {
	local := p.defined[name]
	switch {
	case obj == nil:
		p.impossible = true
	case obj.Pkg() == nil:
		if local != nil || p.source.Types.Scope().Lookup(name) != nil {
			p.impossible = true
		}
	case obj.Pkg() != p.source.Types:
		qualifier := p.qualifier(obj.Pkg().Path())
		if !obj.Exported() || qualifier == "" {
			p.impossible = true
		}
		return qualifier + "." + name
	case obj.Parent() == p.source.Types.Scope():
		if local != nil {
			p.impossible = true
		}
	case local != obj: // a type of the function or of its type parameters
		p.impossible = true
	}
	return name
}

// qualifier is the name by which the file imports a package; "" if it does not, or if the
// function gives the name to something else.
func (p *place) qualifier(pkg string) string {
	for _, spec := range p.source.Syntax.Imports {
		if from, _ := strconv.Unquote(spec.Path.Value); from == pkg {
			if as := p.importName(spec); as != "_" && as != "." && p.defined[as] == nil {
				return as
			}
		}
	}
	return ""
}

// simple tells whether an expression has the same value, and no effect, when it is
// evaluated again at the same place.
func (f *function) simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		switch f.source.Info.Uses[e].(type) {
		case *types.Var, *types.Const, *types.Nil, *types.PkgName:
			return true
		}
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return f.simple(e.X)
	case *ast.SelectorExpr:
		if s := f.source.Info.Selections[e]; s != nil && s.Kind() != types.FieldVal {
			return false
		}
		if _, isFunc := f.source.Info.Uses[e.Sel].(*types.Func); isFunc {
			return false
		}
		return f.simple(e.X)
	case *ast.StarExpr:
		return f.simple(e.X)
	case *ast.IndexExpr:
		return f.simple(e.X) && f.simple(e.Index)
	case *ast.SliceExpr:
		for _, part := range []ast.Expr{e.Low, e.High, e.Max} {
			if part != nil && !f.simple(part) {
				return false
			}
		}
		return f.simple(e.X)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.NOT) && f.simple(e.X)
	case *ast.BinaryExpr:
		return f.simple(e.X) && f.simple(e.Y)
	case *ast.CallExpr:
		if len(e.Args) != 1 || !f.simple(e.Args[0]) {
			return false
		}
		_, basic := f.typeOf(e).Underlying().(*types.Basic)
		return f.isBuiltin(e, "len", "cap") || basic && f.source.Info.Types[e.Fun].IsType()
	}
	return false
}

// isBuiltin tells whether a call is one of the named builtin functions, or of any if none
// is named.
func (f *function) isBuiltin(call *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := f.source.Info.Uses[id].(*types.Builtin)
	return ok && (len(names) == 0 || slices.Contains(names, b.Name()))
}

// callee is the function or method that a call names; nil for builtins, conversions and
// values of function type.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch indexed := fun.(type) {
	case *ast.IndexExpr:
		fun = indexed.X
	case *ast.IndexListExpr:
		fun = indexed.X
	}
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	if f != nil {
		f = f.Origin()
	}
	return f
}

// isString is for the predeclared type alone.
func isString(t types.Type) bool { return t == types.Typ[types.String] }

// isNamed tells whether t, or what it points to, is a type of a package, as in
// "strings.Builder".
func isNamed(t types.Type, names ...string) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && slices.Contains(names, named.Obj().Pkg().Path()+"."+named.Obj().Name())
}

// sliceOf is the slice type that an expression has; nil for others.
func (f *function) sliceOf(e ast.Expr) *types.Slice {
	if t := f.typeOf(e); t != nil {
		s, _ := t.Underlying().(*types.Slice)
		return s
	}
	return nil
}

// uses tells whether a node names one of the objects.
func (f *function) uses(n ast.Node, objects ...types.Object) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(objects, f.source.Info.ObjectOf(id)) {
			found = true
		}
		return !found
	})
	return found
}

// isAssigned tells whether what an expression denotes is on the left of an assignment, or
// has its address taken; the parent of the expression is given.
func isAssigned(parent ast.Node, e ast.Expr) bool {
	switch parent := parent.(type) {
	case *ast.AssignStmt:
		return slices.Contains(parent.Lhs, e)
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		return parent.Op == token.AND
	case *ast.RangeStmt:
		return parent.Key == e || parent.Value == e
	case *ast.ParenExpr:
		return true // rare: not worth following
	}
	return false
}
