package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/spell/alternatives"
)

// A Function is one of those that are alternatives.
type Function struct {
	ID   string
	Pkgs []*packages.Package // as for Of
}

// A SignatureError says that two functions cannot be alternatives.
type SignatureError struct {
	Function, Signature string
	Other, Another      string // the other function, and its signature
}

func (e *SignatureError) Error() string {
	return fmt.Sprintf("%s and %s are no alternatives, because they differ in parameters or results: %s and %s", e.Function, e.Other, e.Signature, e.Another)
}

// Alternatives plans the benchmarks of functions that have one signature, apart from their receivers. All are
// called with the same arguments, in the order random unless an argument has another. If one of the functions
// changes them, they are made anew for each call of each, so that this takes the same time. The name of a
// subbenchmark begins with func= and its function. Errors are as those of Of, or a *SignatureError.
func Alternatives(functions []Function, p Params) (list []*Benchmark, err error) {
	p.orders, p.prefix = allOrders[:1], alternatives.Generated
	if list, err = ofAll(functions, p); err != nil {
		return nil, err
	}
	first := list[0]
	for i, b := range list[1:] {
		if slices.ContainsFunc(list[:i+1], func(other *Benchmark) bool { return other.Function == b.Function }) {
			return nil, fmt.Errorf("%s is named twice", b.Function)
		}
		if first.signature != b.signature {
			return nil, &SignatureError{first.Function, first.signature, b.Function, b.signature}
		}
	}
	if slices.ContainsFunc(list, (*Benchmark).Renews) {
		p.renew = true
		if list, err = ofAll(functions, p); err != nil {
			return nil, err
		}
	}
	label(list)
	return list, nil
}

func ofAll(functions []Function, p Params) (list []*Benchmark, err error) {
	for _, f := range functions {
		p.Function = f.ID
		b, err := Of(f.Pkgs, p)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// label names the functions as short as tells them apart.
func label(list []*Benchmark) {
	one := !slices.ContainsFunc(list, func(b *Benchmark) bool { return b.Package != list[0].Package })
	for _, b := range list {
		b.label = strings.NewReplacer("(*", "", ")", "").Replace(b.shortName())
		if !one {
			b.label = b.plan.types.Name() + "." + b.label
		}
	}
}

// signatureOf is the types of parameters and results, without their names.
func signatureOf(s *types.Signature) string {
	unnamed := func(list *types.Tuple) *types.Tuple {
		var all []*types.Var
		for v := range list.Variables() {
			all = append(all, types.NewParam(0, nil, "", v.Type()))
		}
		return types.NewTuple(all...)
	}
	return types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()), nil)
}
