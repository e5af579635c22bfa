package generate

import (
	"errors"
	"go/token"
	"go/types"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// element is an expression for a value of fixed size: the one with rank k, an expression of type int. Greater
// ranks give greater values where the type has an order.
func (p *plan) element(t types.Type, k string, depth int) (string, error) {
	if depth > maxDepth {
		return "", errors.New("it is nested too deep")
	}
	if special, ok := p.specialElement(t, k); ok {
		return special, nil
	}
	if v, ok, err := p.known("text", t); ok {
		if err != nil || len(v.lines) > 0 {
			return "", errNoGenerator
		}
		return v.expr, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return p.basic(t, u, k)
	case *types.Pointer:
		return p.pointerElement(u, k, depth)
	case *types.Struct:
		return p.structElement(t, u, k, depth)
	case *types.Slice:
		return p.listElement(t, u.Elem(), k, depth)
	case *types.Array:
		return p.listElement(t, u.Elem(), k, depth)
	case *types.Map:
		return p.mapElement(t, u, k, depth)
	case *types.Interface:
		return p.interfaceElement(u, k, depth)
	case *types.Signature:
		return p.function(u, depth)
	}
	return "", errNoGenerator
}

// specialElement are types that are not what they are made of.
func (p *plan) specialElement(t types.Type, k string) (string, bool) {
	switch types.TypeString(t, nil) {
	case "time.Time":
		return p.imported("time") + ".Unix(int64(" + k + "), 0).UTC()", true
	case "math/big.Int":
		return "*" + p.imported("math/big") + ".NewInt(int64(" + k + "))", true
	case "*math/big.Int":
		return p.imported("math/big") + ".NewInt(int64(" + k + "))", true
	case "error":
		return p.imported("fmt") + `.Errorf("error %d", ` + k + ")", true
	}
	return "", false
}

func (p *plan) basic(t types.Type, u *types.Basic, k string) (string, error) {
	expr := k
	switch {
	case u.Info()&types.IsString != 0:
		expr = p.imported("fmt") + `.Sprintf("%06d", ` + k + ")"
		if types.Identical(t, types.Typ[types.String]) {
			return expr, nil
		}
	case u.Info()&types.IsBoolean != 0:
		expr = "(" + k + ")%2 == 0"
		if simple(k) {
			expr = k + "%2 == 0"
		}
		if types.Identical(t, types.Typ[types.Bool]) {
			return expr, nil
		}
	case u.Info()&types.IsComplex != 0:
		expr = "complex(float64(" + k + "), 0)"
	case u.Info()&types.IsNumeric == 0:
		return "", errNoGenerator // unsafe.Pointer
	case types.Identical(t, types.Typ[types.Int]):
		return k, nil
	}
	typed, err := p.typeName(t)
	return typed + "(" + expr + ")", err
}

func simple(expr string) bool { return token.IsIdentifier(expr) }

func (p *plan) pointerElement(u *types.Pointer, k string, depth int) (string, error) {
	if p.inProgress(u.Elem()) {
		return "", errors.New("it points to its own type")
	}
	expr, err := p.element(u.Elem(), k, depth+1)
	if err != nil {
		return "", err
	}
	if _, isStruct := u.Elem().Underlying().(*types.Struct); isStruct && strings.HasSuffix(expr, "}") {
		return "&" + expr, nil
	}
	typed, err := p.typeName(u.Elem())
	return "new(" + typed + ")", err
}

// structElement sets the fields that can be set and generated; others keep their zero value.
func (p *plan) structElement(t types.Type, u *types.Struct, k string, depth int) (string, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return "", err
	}
	p.making = append(p.making, t)
	defer func() { p.making = p.making[:len(p.making)-1] }()
	var fields []string
	for field := range p.settable(u) {
		if isNothing(field.Type()) || p.within(field.Type(), t) {
			continue
		}
		expr, err := p.element(field.Type(), k, depth+1)
		if err != nil {
			continue
		}
		fields = append(fields, field.Name()+": "+expr)
	}
	return typed + "{" + strings.Join(fields, ", ") + "}", nil
}

// settable are the fields that source in this package can name.
func (p *plan) settable(u *types.Struct) iter.Seq[*types.Var] {
	return func(yield func(*types.Var) bool) {
		for field := range u.Fields() {
			if (field.Exported() || field.Pkg() == p.types) && field.Name() != "_" && !yield(field) {
				return
			}
		}
	}
}

// isNothing tells whether a field of the type is best left as it is: locks, and what connects a value with others.
func isNothing(t types.Type) bool {
	if named, _ := namedOf(t); named != nil && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() {
		case "sync", "sync/atomic", "context":
			return true
		}
	}
	_, isChan := t.Underlying().(*types.Chan)
	return isChan
}

// within tells whether a value of type t leads to another of the same type as the one that holds it.
func (p *plan) within(t, holder types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return p.within(u.Elem(), holder)
	case *types.Slice:
		return p.within(u.Elem(), holder)
	case *types.Array:
		return p.within(u.Elem(), holder)
	case *types.Map:
		return p.within(u.Elem(), holder)
	}
	return types.Identical(t, holder) || p.inProgress(t)
}

func (p *plan) inProgress(t types.Type) bool {
	return slices.ContainsFunc(p.making, func(other types.Type) bool { return types.Identical(t, other) })
}

func (p *plan) listElement(t, of types.Type, k string, depth int) (string, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return "", err
	}
	if basic, ok := of.Underlying().(*types.Basic); ok && basic.Kind() == types.Byte {
		if _, isSlice := t.Underlying().(*types.Slice); isSlice {
			return typed + "(" + p.imported("fmt") + `.Sprintf("%06d", ` + k + "))", nil
		}
	}
	expr, err := p.element(of, k, depth+1)
	if array, ok := t.Underlying().(*types.Array); ok && array.Len() == 0 {
		expr = ""
	}
	return typed + "{" + expr + "}", err
}

func (p *plan) mapElement(t types.Type, u *types.Map, k string, depth int) (string, error) {
	typed, err := p.typeName(t)
	if err != nil {
		return "", err
	}
	key, err := p.element(u.Key(), k, depth+1)
	if err != nil {
		return "", err
	}
	expr, err := p.element(u.Elem(), k, depth+1)
	return typed + "{" + key + ": " + expr + "}", err
}

// interfaceElement is a number for any, else a value of the first type of the package that has the methods.
func (p *plan) interfaceElement(u *types.Interface, k string, depth int) (string, error) {
	if u.NumMethods() == 0 {
		return k, nil
	}
	for _, name := range p.types.Scope().Names() {
		object, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() || types.IsInterface(object.Type()) {
			continue
		}
		if named, ok := object.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			continue
		}
		for _, candidate := range []types.Type{object.Type(), types.NewPointer(object.Type())} {
			if p.inProgress(object.Type()) || !types.Implements(candidate, u) {
				continue
			}
			if expr, err := p.element(candidate, k, depth+1); err == nil {
				p.calls = append(p.calls, methodsOf(candidate)...)
				return expr, nil
			}
		}
	}
	return "", errNoGenerator
}

// methodsOf are the methods of a type.
func methodsOf(t types.Type) (list []*types.Func) {
	for method := range types.NewMethodSet(t).Methods() {
		if f, ok := method.Obj().(*types.Func); ok {
			list = append(list, f)
		}
	}
	return list
}

// function is a literal: an order by <, a comparison, the same value, whether a number is even, or nothing.
func (p *plan) function(u *types.Signature, depth int) (string, error) {
	var names, parameters []string
	for i := range u.Params().Len() {
		typed, err := p.typeName(u.Params().At(i).Type())
		if err != nil || u.Variadic() {
			return "", errors.New("no generator for functions of this signature")
		}
		names = append(names, string(rune('x'+i%3)))
		parameters = append(parameters, names[i]+" "+typed)
	}
	if len(names) > 3 || u.Results().Len() > 1 {
		return "", errors.New("no generator for functions of this signature")
	}
	if u.Results().Len() == 0 {
		return "func(" + strings.Join(parameters, ", ") + ") {}", nil
	}
	result := u.Results().At(0).Type()
	typed, err := p.typeName(result)
	if err != nil {
		return "", err
	}
	expr, err := p.returned(u, result, names, depth)
	return "func(" + strings.Join(parameters, ", ") + ") " + typed + " { return " + expr + " }", err
}

// returned is what a generated function returns.
func (p *plan) returned(u *types.Signature, result types.Type, names []string, depth int) (string, error) {
	of := func(i int) types.Type { return u.Params().At(i).Type() }
	basic, _ := result.Underlying().(*types.Basic)
	switch {
	case len(names) == 1 && types.Identical(of(0), result):
		return names[0], nil
	case basic == nil:
	case len(names) == 2 && types.Identical(of(0), of(1)):
		field, ok := orderedBy(of(0))
		x, y := names[0]+field, names[1]+field
		if ok && basic.Info()&types.IsBoolean != 0 {
			return x + " < " + y, nil
		}
		if ok && basic.Kind() == types.Int {
			return p.imported("cmp") + ".Compare(" + x + ", " + y + ")", nil
		}
	case len(names) == 1 && basic.Info()&types.IsBoolean != 0:
		if b, ok := of(0).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return names[0] + "%2 == 0", nil
		}
		return "true", nil
	}
	return p.element(result, "n", depth+1)
}

// orderedBy is how values of the type are compared by <: as they are, or by their first field that can be.
func orderedBy(t types.Type) (field string, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return "", u.Info()&types.IsOrdered != 0
	case *types.Pointer:
		if s, isStruct := u.Elem().Underlying().(*types.Struct); isStruct {
			return orderedField(s)
		}
	case *types.Struct:
		return orderedField(u)
	}
	return "", false
}

func orderedField(s *types.Struct) (string, bool) {
	for field := range s.Fields() {
		if b, ok := field.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsOrdered != 0 {
			return "." + field.Name(), true
		}
	}
	return "", false
}

// mentions tells whether an expression uses a variable.
func mentions(expr, name string) bool {
	return regexp.MustCompile(`(^|[^\w."])` + name + `($|[^\w":])`).MatchString(expr)
}

// capital is the name with its first letter in upper case.
func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
