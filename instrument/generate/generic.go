package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// instantiate is the signature of a function with its type parameters replaced: by the types that were chosen, else
// by the first of int, string and float64 that its constraints allow. The text is that of the type arguments of
// a function, such as "[int]"; those of a method are in the type of its receiver.
func (p *plan) instantiate(f *types.Func) (*types.Signature, string, error) {
	signature := f.Signature()
	parameters := signature.TypeParams()
	if signature.RecvTypeParams().Len() > 0 {
		parameters = signature.RecvTypeParams()
	}
	if parameters.Len() == 0 {
		return signature, "", nil
	}
	chosen, err := p.typeArgumentsOf(parameters)
	if err != nil {
		return nil, "", err
	}
	if signature.RecvTypeParams().Len() == 0 {
		instance, err := types.Instantiate(nil, signature, chosen, true)
		if err != nil {
			return nil, "", fmt.Errorf("%s cannot be instantiated: %w", f.Name(), err)
		}
		instantiated, _ := instance.(*types.Signature)
		list := make([]string, len(chosen))
		for i, t := range chosen {
			list[i], _ = p.typeName(t)
		}
		return instantiated, "[" + strings.Join(list, ", ") + "]", nil
	}
	named, _ := namedOf(signature.Recv().Type())
	instance, err := types.Instantiate(nil, named.Origin(), chosen, true)
	if err != nil {
		return nil, "", fmt.Errorf("%s cannot be instantiated: %w", named.Obj().Name(), err)
	}
	of, _ := instance.(*types.Named)
	for method := range of.Methods() {
		if method.Name() == f.Name() {
			return method.Signature(), "", nil
		}
	}
	return nil, "", fmt.Errorf("%s has no method %s", named.Obj().Name(), f.Name())
}

// typeArgumentsOf chooses a type for each type parameter.
func (p *plan) typeArgumentsOf(parameters *types.TypeParamList) ([]types.Type, error) {
	chosen := make([]types.Type, parameters.Len())
	for i := range parameters.Len() {
		parameter := parameters.At(i)
		if g := p.given[parameter.Obj().Name()]; g != nil {
			if g.typed == nil {
				return nil, fmt.Errorf("--arg %s=%s: %s is a type parameter: choose int, string, float64, byte or bool", parameter.Obj().Name(), g.text, parameter.Obj().Name())
			}
			chosen[i] = g.typed
		}
	}
	for i := range parameters.Len() {
		if chosen[i] == nil {
			chosen[i] = p.fitting(parameters, chosen, i)
		}
		if chosen[i] == nil {
			return nil, fmt.Errorf("type parameter %s: none of int, string and float64 fits its constraint %s: choose a type with --arg %s=TYPE", parameters.At(i).Obj().Name(), p.shown(parameters.At(i).Constraint()), parameters.At(i).Obj().Name())
		}
	}
	return chosen, nil
}

// fitting is a type for a type parameter: the core type of its constraint, such as ~[]E, with what was chosen for
// other parameters, or a basic type.
func (p *plan) fitting(parameters *types.TypeParamList, chosen []types.Type, i int) types.Type {
	constraint, ok := parameters.At(i).Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	if core := coreOf(constraint); core != nil {
		switch core := core.(type) {
		case *types.Slice:
			if e := p.ofParameter(parameters, chosen, core.Elem()); e != nil {
				return types.NewSlice(e)
			}
		case *types.Map:
			k, e := p.ofParameter(parameters, chosen, core.Key()), p.ofParameter(parameters, chosen, core.Elem())
			if k != nil && e != nil {
				return types.NewMap(k, e)
			}
		}
	}
	for _, kind := range []types.BasicKind{types.Int, types.String, types.Float64, types.Uint8, types.Bool} {
		if types.Satisfies(types.Typ[kind], constraint) {
			return types.Typ[kind]
		}
	}
	return nil
}

// ofParameter is t, or what was or is now chosen for it if it is a type parameter.
func (p *plan) ofParameter(parameters *types.TypeParamList, chosen []types.Type, t types.Type) types.Type {
	parameter, ok := t.(*types.TypeParam)
	if !ok {
		return t
	}
	i := slices.IndexFunc(slices.Collect(parameters.TypeParams()), func(other *types.TypeParam) bool { return other == parameter })
	if i >= 0 && chosen[i] == nil {
		chosen[i] = p.fitting(parameters, chosen, i)
	}
	if i < 0 {
		return nil
	}
	return chosen[i]
}

// coreOf is the type of the only term of a constraint; nil if there are several.
func coreOf(constraint *types.Interface) types.Type {
	if constraint.NumEmbeddeds() != 1 {
		return nil
	}
	switch t := constraint.EmbeddedType(0).(type) {
	case *types.Union:
		if t.Len() == 1 {
			return t.Term(0).Type().Underlying()
		}
	case *types.Slice, *types.Map:
		return t
	}
	return nil
}

// typeArguments is their text, such as "[int, string]".
func (p *plan) typeArguments(list *types.TypeList) string {
	var names []string
	for t := range list.Types() {
		name, _ := p.typeName(t)
		names = append(names, name)
	}
	return "[" + strings.Join(names, ", ") + "]"
}
