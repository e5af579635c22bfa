package generate

import (
	"cmp"
	"errors"
	"go/types"
	"slices"
	"strings"
)

// planReceiver plans the receiver of a method and returns its expression: what a constructor makes, filled by a
// method that adds elements; a variable of the package; a value of a type that is no struct; or the zero value.
func (p *plan) planReceiver(f *types.Func, signature *types.Signature) string {
	receiver := signature.Recv()
	named, _ := namedOf(receiver.Type())
	name := receiver.Name()
	if name == "" || name == "_" {
		name = strings.ToLower(named.Obj().Name()[:1])
	}
	name = p.variable(name, 0)
	changed := mayChange(p.source, f, receiverIndex)
	p.changes, p.adds = changed, changed && fills(f.Name()) <= len(fillers)
	a, err := p.planned(name, named, f, changed)
	errors.As(err, &p.refused)
	if err != nil {
		p.missing = append(p.missing, Missing{receiverName, p.shown(receiver.Type()), err.Error()})
		typed, _ := p.typeName(receiver.Type())
		a = argument{setup: []string{"var " + name + " " + typed + " // TODO: a receiver of size n"}, expr: name}
	}
	p.arguments = append(p.arguments, a)
	if strings.HasPrefix(a.expr, "&") {
		return "(" + a.expr + ")"
	}
	return a.expr
}

// receiverIndex stands for the receiver among the indices of parameters.
const receiverIndex = -1

func (p *plan) planned(name string, named *types.Named, f *types.Func, changed bool) (argument, error) {
	if g := p.given[receiverName]; g != nil && g.fixed != "" {
		return p.fixedReceiver(name, g.fixed, changed), nil
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct {
		v, err := p.sizedValue(name, named, 0)
		if err != nil {
			return argument{}, err
		}
		p.container = p.container || p.hasElements(types.NewTuple(types.NewVar(0, nil, "", named)))
		p.holds(named, p.sized)
		return p.addressable(name, named, v, changed), nil
	}
	filler := p.filler(name, named)
	sized := p.sized
	p.sized = false
	lines, numbers, why := p.constructed(name, named, f, filler != nil)
	if lines == nil {
		if fixture := p.fixture(named); fixture != "" {
			p.sized = sized
			return p.shared(fixture, named, changed)
		}
		if why != nil {
			return argument{}, why
		}
		lines = p.zero(name, named, filler != nil)
	}
	switch filled := p.sized && !numbers; {
	case filler != nil && !filled:
		lines = append(lines, filler...)
		p.container, p.sized, p.ordered = true, true, true
		p.holds(named, true)
	case p.sized && numbers: // nobody knows whether they say how many elements there are
	default:
		p.sized = p.sized || sized
		p.holds(named, filled)
	}
	if !changed {
		return argument{setup: lines, expr: name}, nil
	}
	maker := p.variable("new"+capital(name), 0)
	setup := append([]string{maker + " := func() *" + p.mustName(named) + " {"}, lines...)
	return argument{setup: append(setup, "return "+name, "}"), renew: []string{name + " := " + maker + "()"}, expr: name}, nil
}

// holds notes whether a receiver has elements of size n. What is no container is neither filled nor empty.
func (p *plan) holds(named *types.Named, elements bool) {
	can := p.source.isContainer(named, 0)
	p.filled, p.empty = can && elements, can && !elements
}

// isContainer tells whether values of a type have elements: a list or map, its own or that of a part of it, or nodes of nodes. Of the
// types of the standard library few are meant to be filled.
func (s *source) isContainer(t types.Type, depth int) bool {
	if depth > maxDepth {
		return true
	}
	if of, _ := types.Unalias(t).(*types.Named); of != nil && of.Obj().Pkg() != nil && s.packages[of.Obj().Pkg()] == nil {
		home := of.Obj().Pkg().Path()
		return home == "container/list" || home == "container/ring" || home == "sync" && of.Obj().Name() == "Map"
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan:
		return true
	case *types.Array:
		return s.isContainer(u.Elem(), depth+1)
	case *types.Pointer:
		return s.isContainer(u.Elem(), depth+1)
	case *types.Struct:
		for field := range u.Fields() {
			if s.isContainer(field.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// fixedReceiver is a receiver that the user gave. It is evaluated outside of what is measured, unless calls change it.
func (p *plan) fixedReceiver(name, expr string, changed bool) argument {
	made := []string{name + " := " + expr}
	switch {
	case simple(expr):
		return argument{expr: expr}
	case changed:
		return argument{renew: made, expr: name}
	}
	return argument{setup: made, expr: name}
}

// addressable is a receiver that is no struct, as a variable whose methods can be called. What they append to it
// must not stay.
func (p *plan) addressable(name string, t types.Type, v value, changed bool) argument {
	if _, isSlice := t.Underlying().(*types.Slice); isSlice && changed && v.expr == name && shallow(t) {
		work := p.variable(name+"Copy", 0)
		return argument{setup: v.lines, renew: []string{work + " := " + p.imported("slices") + ".Clone(" + name + ")"}, expr: work}
	}
	a := p.keep(name, t, v, changed)
	if !simple(a.expr) || a.expr == "n" {
		a.renew, a.expr = append(a.renew, name+" := "+a.expr), name
	}
	return a
}

// shared is a receiver that a variable of the package holds. One that calls change is copied, if that is enough.
func (p *plan) shared(fixture string, named *types.Named, changed bool) (argument, error) {
	object := p.types.Scope().Lookup(fixture)
	if !changed {
		return argument{expr: fixture}, nil
	}
	if _, pointer := object.Type().(*types.Pointer); !pointer && immutable(named) {
		work := p.variable(fixture+"Copy", 0)
		return argument{renew: []string{work + " := " + fixture}, expr: work}, nil
	}
	return argument{}, errors.New("calls change the variable " + fixture + " of the package, which cannot be made anew")
}

// fixture is a variable of the package, or of its test files, that is a value of the type; "" if there is none.
func (p *plan) fixture(named *types.Named) string {
	for _, name := range p.types.Scope().Names() {
		if v, ok := p.types.Scope().Lookup(name).(*types.Var); ok {
			if of, _ := namedOf(v.Type()); of == named {
				return name
			}
		}
	}
	return ""
}

// constructors are the functions of the package that return a value of the type, the likeliest first.
func (p *plan) constructors(named *types.Named) (list []*types.Func) {
	typeName := named.Obj().Name()
	rank := func(f *types.Func) int {
		return slices.Index([]string{"New" + typeName, "Make" + typeName, "New", "new" + typeName, "new" + capital(typeName), "make" + typeName, "make" + capital(typeName)}, f.Name())
	}
	for _, name := range p.types.Scope().Names() {
		f, ok := p.types.Scope().Lookup(name).(*types.Func)
		if !ok || f.Signature().TypeParams().Len() != named.TypeArgs().Len() {
			continue
		}
		lower := strings.ToLower(name)
		if rank(f) < 0 && !strings.HasPrefix(lower, "new") && !strings.HasPrefix(lower, "make") {
			continue
		}
		results := f.Signature().Results()
		if results.Len() == 0 || results.Len() > 2 || results.Len() == 2 && results.At(1).Type().String() != "error" {
			continue
		}
		if of, _ := namedOf(results.At(0).Type()); of != nil && of.Origin() == named.Origin() {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *types.Func) int {
		return cmp.Compare(uint(rank(a)), uint(rank(b))) // those without a rank are the last
	})
	return list
}

// constructed are statements that call the first constructor whose parameters can be generated; none without a
// constructor. If all of its arguments are numbers, what it made has no elements yet. The error is that of the last one
// that cannot be called.
func (p *plan) constructed(name string, named *types.Named, f *types.Func, filled bool) (lines []string, numbers bool, err error) {
	for _, constructor := range p.constructors(named) {
		if constructor == f {
			continue
		}
		if effect := checkEffects(p.source, constructor, nil); effect != nil && !p.effects {
			err = effect
			continue
		}
		signature := constructor.Signature()
		typeArguments := ""
		if named.TypeArgs().Len() > 0 {
			typeArguments = p.typeArguments(named.TypeArgs())
			instance, instErr := types.Instantiate(nil, signature, slices.Collect(named.TypeArgs().Types()), true)
			if instErr != nil {
				err = instErr
				continue
			}
			signature, _ = instance.(*types.Signature)
		}
		made, list, onlyNumbers, argErr := p.constructorArguments(name, signature, filled)
		if argErr != nil {
			err = errors.New("its constructor " + constructor.Name() + " needs " + argErr.Error())
			continue
		}
		p.calls = append(p.calls, constructor)
		call := constructor.Name() + typeArguments + "(" + strings.Join(list, ", ") + ")"
		_, pointer := signature.Results().At(0).Type().(*types.Pointer)
		if signature.Results().Len() == 2 {
			made = append(made, name+", err := "+call, "if err != nil {", "b.Fatal(err)", "}")
		} else {
			made = append(made, name+" := "+call)
		}
		if !pointer { // the receiver is always a pointer
			last := len(made)
			value := p.variable(name+"Value", 0)
			for i := range made[:last] {
				made[i] = strings.Replace(made[i], name+" := "+call, value+" := "+call, 1)
				made[i] = strings.Replace(made[i], name+", err := "+call, value+", err := "+call, 1)
			}
			made = append(made, name+" := &"+value)
		}
		return made, onlyNumbers, nil
	}
	return nil, false, err
}

// constructorArguments are the arguments of a constructor. Numbers of a receiver that is filled give room for
// twice the elements.
func (p *plan) constructorArguments(name string, signature *types.Signature, filled bool) (lines, list []string, onlyNumbers bool, err error) {
	onlyNumbers = true
	for i := range signature.Params().Len() {
		v := signature.Params().At(i)
		if signature.Variadic() && i == signature.Params().Len()-1 {
			break
		}
		basic, _ := v.Type().Underlying().(*types.Basic)
		if basic != nil && basic.Info()&types.IsInteger != 0 && filled {
			p.sized = true
			expr, elementErr := p.element(v.Type(), "2*n", 0)
			list, err = append(list, expr), elementErr
			continue
		}
		made, argErr := p.sizedValue(p.variable(name+capital(v.Name()+"Arg"), i), v.Type(), 0)
		if argErr != nil {
			return nil, nil, false, errors.New(v.Name() + " of type " + p.shown(v.Type()) + ": " + argErr.Error())
		}
		if len(made.lines) > 0 {
			onlyNumbers = false
		}
		lines, list = append(lines, made.lines...), append(list, made.expr)
	}
	return lines, list, onlyNumbers, err
}

// zero is the zero value, or, if no method fills it, a value whose fields are generated.
func (p *plan) zero(name string, named *types.Named, filled bool) []string {
	typed := p.mustName(named)
	if filled {
		return []string{name + " := &" + typed + "{}"}
	}
	s, _ := named.Underlying().(*types.Struct)
	v, err := p.sizedStruct(name, named, s, 0)
	if err != nil {
		return []string{name + " := &" + typed + "{}"}
	}
	p.container = p.container || p.sized
	return append(v.lines, name+" := &"+v.expr)
}

// fillers are the names of methods that add an element, the likeliest first.
var fillers = []string{"Add", "Push", "Insert", "Put", "Set", "Append", "Enqueue", "Store", "Register", "add", "push", "insert", "put", "set", "append", "enqueue", "store"}

// fills ranks the names of methods by how likely they add an element: one of fillers, one that has such a word in it, as
// AddCar or ReplaceOrInsert have, or another.
func fills(name string) int {
	if i := slices.Index(fillers, name); i >= 0 {
		return i
	}
	for _, word := range fillers[:3] {
		if hasWord(name, word) {
			return len(fillers)
		}
	}
	return len(fillers) + 1
}

// hasWord tells whether a name begins or ends with a word that has a capital letter.
func hasWord(name, word string) bool {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	rest, begins := strings.CutPrefix(name, word)
	before, ends := strings.CutSuffix(name, word)
	return begins && (rest == "" || !lower(rest[0])) || ends && (before == "" || lower(before[len(before)-1]))
}

// filler are statements that add n elements to a receiver; nil if it has no method for that. One that does not change the receiver
// adds nothing, whatever its name is.
func (p *plan) filler(name string, named *types.Named) []string {
	var methods []*types.Func
	for f := range named.Methods() {
		if fills(f.Name()) <= len(fillers) && mayChange(p.source, f, receiverIndex) {
			methods = append(methods, f)
		}
	}
	slices.SortStableFunc(methods, func(a, b *types.Func) int { return cmp.Compare(fills(a.Name()), fills(b.Name())) })
	for _, f := range methods {
		if !p.effects && checkEffects(p.source, f.Origin(), nil) != nil {
			continue
		}
		parameters := f.Signature().Params()
		if lines := p.fillBy(name, f, parameters); lines != nil {
			return lines
		}
	}
	return nil
}

func (p *plan) fillBy(name string, f *types.Func, parameters *types.Tuple) []string {
	var list []string
	for v := range parameters.Variables() {
		t := v.Type()
		if list, isSlice := t.(*types.Slice); isSlice && f.Signature().Variadic() {
			t = list.Elem()
		} else if isSlice {
			return nil // a list of elements: its method adds several
		}
		expr, err := p.element(t, "k", 0)
		if err != nil {
			return nil
		}
		list = append(list, expr)
	}
	if len(list) == 0 || !mentions(strings.Join(list, ", "), "k") {
		return nil
	}
	p.calls = append(p.calls, f)
	call := name + "." + f.Name() + "(" + strings.Join(list, ", ") + ")"
	results := f.Signature().Results()
	if results.Len() == 1 && results.At(0).Type().String() == "error" {
		return []string{"for _, k := range ranks {", "if err := " + call + "; err != nil {", "b.Fatal(err)", "}", "}"}
	}
	return []string{"for _, k := range ranks {", call, "}"}
}

func (p *plan) mustName(t types.Type) string {
	name, _ := p.typeName(t) // of this package
	return name
}
