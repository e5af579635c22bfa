package generate

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// receiverName is what the receiver of a method is called among the parameters.
const receiverName = "receiver"

// A plan is how the arguments of a function are made.
type plan struct {
	types     *types.Package
	pkg       *packages.Package
	source    *source
	given     map[string]*generator
	effects   bool
	renew     bool // parameters are made anew for each call, whether it changes them or not
	signature *types.Signature
	changes   bool // a call may change the receiver
	filled    bool // the receiver has elements of size n
	empty     bool // it could have elements, and has none
	arguments []argument
	call      string // such as p.Add(c)
	fails     bool   // the last result is an error
	results   int
	missing   []Missing
	refused   *EffectError // what would have to be called for the receiver
	orders    []string
	sized     bool          // something has size n
	narrow    []narrow      // parameters that are the size, and cannot be any
	ordered   bool          // something has elements in an order
	container bool          // the function has elements, among which single values are looked for
	adds      bool          // the function is one that adds an element
	texts     int           // how many have been made
	making    []types.Type  // structs around the value that is being made
	calls     []*types.Func // what runs beside the function itself
	imports   map[string]string
	names     map[string]bool // of variables
}

// A narrow parameter is the size itself, but only up to its largest value.
type narrow struct {
	name, typed string // of the parameter, and of what has the size in it
	most        int
}

// largest are the largest values of types that do not have all sizes.
var largest = map[types.BasicKind]int{types.Int8: 1<<7 - 1, types.Uint8: 1<<8 - 1, types.Int16: 1<<15 - 1, types.Uint16: 1<<16 - 1, types.Int32: 1<<31 - 1}

// An argument is made before the loop, or for each call.
type argument struct {
	setup []string // before the loop
	renew []string // before each call; none where the argument can be used again
	expr  string
}

// ownVariables are names of variables that a benchmark needs.
var ownVariables = []string{"b", "n", "k", "i", "order", "ranks"}

// allOrders are the orders of elements that are tried unless one is chosen.
var allOrders = []string{"random", "sorted", "reversed", "equal"}

func newPlan(pkg *packages.Package, f *types.Func, params Params) (*plan, error) {
	p := &plan{
		types: f.Pkg(), pkg: pkg, source: sourceOf(pkg), effects: params.Effects, renew: params.renew, orders: params.orders,
		imports: map[string]string{}, names: map[string]bool{"err": true},
	}
	if p.orders == nil {
		p.orders = allOrders
	}
	for _, name := range ownVariables {
		p.names[name] = true
	}
	if f.Signature().Recv() == nil && slices.Contains(ownVariables, f.Name()) {
		return nil, fmt.Errorf("%s.%s cannot be called: the benchmark has a variable of that name", f.Pkg().Name(), f.Name())
	}
	var err error
	if p.given, err = parseArguments(params.Arguments); err != nil {
		return nil, err
	}
	signature, typeArguments, err := p.instantiate(f)
	if err != nil {
		return nil, err
	}
	if err := p.checkGiven(f, signature); err != nil {
		return nil, err
	}
	p.signature, p.container = signature, p.hasElements(signature.Params())
	function := f.Name() + typeArguments
	if receiver := f.Signature().Recv(); receiver != nil {
		function = p.planReceiver(f, signature) + "." + f.Name()
	}
	p.container = p.container || params.container // parameters are alike for all, and receivers are as they are without others
	if p.refused != nil {
		return nil, p.refused
	}
	p.planParameters(f, signature)
	p.call = function + "(" + p.list(signature) + ")"
	if results := signature.Results(); results.Len() > 0 {
		p.results = results.Len()
		p.fails = types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	}
	return p, nil
}

// renews tells whether a parameter is made anew for each call.
func (p *plan) renews() bool {
	return slices.ContainsFunc(p.arguments[len(p.arguments)-p.signature.Params().Len():], func(a argument) bool { return len(a.renew) > 0 })
}

// list is the arguments as they stand in the call.
func (p *plan) list(signature *types.Signature) string {
	var list []string
	from := len(p.arguments) - signature.Params().Len()
	for _, a := range p.arguments[from:] {
		list = append(list, a.expr)
	}
	if signature.Variadic() && len(list) > 0 {
		list[len(list)-1] += "..."
	}
	return strings.Join(list, ", ")
}

// hasElements tells whether one of the parameters is a list or a map.
func (p *plan) hasElements(parameters *types.Tuple) bool {
	for v := range parameters.Variables() {
		if g := p.given[v.Name()]; g != nil && g.fixed != "" {
			continue
		}
		switch u := v.Type().Underlying().(type) {
		case *types.Slice:
			if b, ok := u.Elem().Underlying().(*types.Basic); !ok || b.Kind() != types.Byte {
				return true
			}
		case *types.Map:
			return true
		}
	}
	return false
}

func (p *plan) planParameters(f *types.Func, signature *types.Signature) {
	for i := range signature.Params().Len() {
		v := signature.Params().At(i)
		name := p.variable(v.Name(), i)
		others := len(p.narrow)
		a, err := p.argument(name, v.Type(), p.given[v.Name()], p.renew || mayChange(p.source, f, i))
		for i := range p.narrow[others:] {
			p.narrow[others+i].name = cmp.Or(v.Name(), name)
		}
		if err != nil {
			p.missing = append(p.missing, Missing{name, p.shown(v.Type()), err.Error()})
			typed, _ := p.typeName(v.Type())
			a = argument{setup: []string{fmt.Sprintf("var %s %s // TODO: a value of size n", name, typed)}, expr: name}
		}
		p.arguments = append(p.arguments, a)
	}
}

// argument makes a parameter's value. One that calls change is made anew for each.
func (p *plan) argument(name string, t types.Type, g *generator, changed bool) (argument, error) {
	var v value
	var err error
	switch {
	case g != nil && g.fixed != "":
		return argument{expr: g.fixed}, nil
	case g != nil && g.size:
		p.sized = true
		element, err := p.element(t, "n", 0)
		return argument{expr: element}, err
	case g != nil && g.element:
		element, err := p.element(t, "n/2", 0)
		v = value{expr: element, kind: stored}
		p.sized = true
		return p.keep(name, t, v, changed), err
	case g != nil && g.order != "":
		p.orders = []string{g.order}
	}
	if v, err = p.sizedValue(name, t, 0); err != nil {
		return argument{}, err
	}
	return p.keep(name, t, v, changed), nil
}

// keep decides where the value of a parameter is made.
func (p *plan) keep(name string, t types.Type, v value, changed bool) argument {
	switch {
	case v.kind == plain && len(v.lines) == 0 || v.kind == fresh:
		return argument{setup: v.lines, expr: v.expr}
	case v.kind != used && (!changed || immutable(t)):
		if v.expr != name && !simple(strings.TrimPrefix(v.expr, "&")) {
			return argument{setup: append(v.lines, name+" := "+v.expr), expr: name}
		}
		return argument{setup: v.lines, expr: v.expr}
	case v.expr == name && shallow(t):
		return p.copied(name, t, v)
	}
	return p.rebuilt(name, t, v)
}

// copied is a slice or map that is copied for each call.
func (p *plan) copied(name string, t types.Type, v value) argument {
	work := p.variable(name+"Copy", 0)
	if _, isMap := t.Underlying().(*types.Map); isMap {
		return argument{setup: v.lines, renew: []string{work + " := " + p.imported("maps") + ".Clone(" + name + ")"}, expr: work}
	}
	return argument{
		setup: append(v.lines, work+" := "+p.imported("slices")+".Clone("+name+")"),
		renew: []string{"copy(" + work + ", " + name + ")"}, expr: work,
	}
}

// rebuilt is a value that a function makes for each call.
func (p *plan) rebuilt(name string, t types.Type, v value) argument {
	typed, _ := p.typeName(t)
	maker := p.variable("new"+capital(name), 0)
	lines := append([]string{maker + " := func() " + typed + " {"}, v.lines...)
	lines = append(lines, "return "+v.expr, "}")
	return argument{setup: lines, renew: []string{name + " := " + maker + "()"}, expr: name}
}

// immutable tells whether a call cannot change what its caller has of a value.
func immutable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Signature:
		return true
	case *types.Array:
		return immutable(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if !immutable(field.Type()) {
				return false
			}
		}
		return true
	}
	return types.TypeString(t, nil) == "*time.Location"
}

// shallow tells whether a copy of a slice or map has nothing in common with the original.
func shallow(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return immutable(u.Elem()) || isTime(u.Elem())
	case *types.Map:
		return immutable(u.Elem()) || isTime(u.Elem())
	}
	return false
}

func isTime(t types.Type) bool { return types.TypeString(t, nil) == "time.Time" }

// variable is a name for a variable that nothing else has.
func (p *plan) variable(name string, number int) string {
	if name == "" || name == "_" {
		name = fmt.Sprintf("arg%d", number+1)
	}
	for p.names[name] || p.types.Scope().Lookup(name) != nil || types.Universe.Lookup(name) != nil || token.IsKeyword(name) || p.isImport(name) {
		name += "Arg"
	}
	p.names[name] = true
	return name
}

// likelyImports are the names of packages that a benchmark may need.
var likelyImports = []string{"bufio", "bytes", "cmp", "context", "errors", "fmt", "io", "maps", "rand", "slices", "sort", "strings", "testing", "time", "iter", "big"}

func (p *plan) isImport(name string) bool {
	return slices.Contains(likelyImports, name) || slices.Contains(slices.Collect(maps.Values(p.imports)), name)
}

// imported is the name under which a package is imported.
func (p *plan) imported(importPath string) string {
	if name := p.imports[importPath]; name != "" {
		return name
	}
	name := path.Base(importPath)
	if pkg := p.pkg.Imports[importPath]; pkg != nil && pkg.Name != "" {
		name = pkg.Name
	} else if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(importPath))
	}
	for p.types.Scope().Lookup(name) != nil || p.names[name] || slices.Contains(slices.Collect(maps.Values(p.imports)), name) {
		name += "pkg"
	}
	p.imports[importPath] = name
	return name
}

// typeName is the type as the benchmark names it.
func (p *plan) typeName(t types.Type) (string, error) {
	if hidden := p.hidden(t, 0); hidden != nil {
		return hidden.Name(), fmt.Errorf("%s.%s is not exported", hidden.Pkg().Path(), hidden.Name())
	}
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == p.types {
			return ""
		}
		return p.imported(pkg.Path())
	}), nil
}

// shown is the type as messages name it.
func (p *plan) shown(t types.Type) string { return types.TypeString(t, types.RelativeTo(p.types)) }

// hidden is a type in t that other packages cannot name; nil if there is none.
func (p *plan) hidden(t types.Type, depth int) *types.TypeName {
	if depth > 6 {
		return nil
	}
	var inner []types.Type
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if object := t.Obj(); object.Pkg() != nil && object.Pkg() != p.types && !object.Exported() {
			return object
		}
		for argument := range t.TypeArgs().Types() {
			inner = append(inner, argument)
		}
	case *types.Pointer:
		inner = append(inner, t.Elem())
	case *types.Slice:
		inner = append(inner, t.Elem())
	case *types.Array:
		inner = append(inner, t.Elem())
	case *types.Chan:
		inner = append(inner, t.Elem())
	case *types.Map:
		inner = append(inner, t.Key(), t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			inner = append(inner, v.Type())
		}
		for v := range t.Results().Variables() {
			inner = append(inner, v.Type())
		}
	}
	for _, t := range inner {
		if found := p.hidden(t, depth+1); found != nil {
			return found
		}
	}
	return nil
}
