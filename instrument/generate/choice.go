package generate

import (
	"fmt"
	"go/types"
	"regexp"
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
// changes them, they are made anew for each call of each. Arguments are named as one of the functions does. The
// name of a sub-benchmark begins with func= and its function. Errors are as those of Of, a *SignatureError, or say why the
// comparison would not be fair.
func Alternatives(functions []Function, p Params) ([]*Benchmark, error) {
	p.orders, p.prefix = allOrders[:1], alternatives.Generated
	list, err := ofAll(functions, p)
	if err != nil {
		return nil, err
	}
	if err := fair(list); err != nil {
		return nil, err
	}
	has := func(of func(*plan) bool) bool {
		return slices.ContainsFunc(list, func(b *Benchmark) bool { return of(b.plan) })
	}
	p.container, p.renew = has(func(pl *plan) bool { return pl.container }), has((*plan).renews)
	if list, err = ofAll(functions, p); err != nil {
		return nil, err
	}
	label(list)
	for i, b := range list {
		if len(b.Orders) == 0 && has(func(pl *plan) bool { return pl.ordered }) {
			b.Orders = p.orders // of which it has nothing, but names are alike
		}
		for _, other := range list[:i] {
			if other.Dir == b.Dir {
				b.taken = append(b.taken, other.fileName())
			}
		}
	}
	return list, nil
}

// fair refuses functions that cannot be compared fairly.
func fair(list []*Benchmark) error {
	first := list[0]
	for i, b := range list {
		if slices.ContainsFunc(list[:i], func(other *Benchmark) bool { return other.Function == b.Function }) {
			return fmt.Errorf("%s is named twice", b.Function)
		}
		if first.signature != b.signature {
			return &SignatureError{first.Function, first.signature, b.Function, b.signature}
		}
		if b.plan.changes {
			return fmt.Errorf("%s may change its receiver, which would have to be made anew for each call: that would be taken for its own time. Compare such methods by a benchmark", b.Function)
		}
	}
	return alikeFilled(list)
}

// alikeFilled refuses methods of which some have a receiver with elements, and others an empty one.
func alikeFilled(list []*Benchmark) error {
	for _, full := range list {
		for _, empty := range list {
			if full.plan.filled && empty.Empty() {
				return fmt.Errorf("%s has a receiver with n elements, and that of %s is empty: no method was found that adds one (such as %s). Compare them by a benchmark", full.Function, empty.Function, strings.Join(fillers[:4], ", "))
			}
		}
	}
	return nil
}

func ofAll(functions []Function, p Params) (list []*Benchmark, err error) {
	arguments := p.Arguments
	for _, f := range functions {
		p.Function = f.ID
		if p.Arguments, err = renamed(arguments, functions, f); err != nil {
			return nil, err
		}
		b, err := Of(f.Pkgs, p)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// renamed are the arguments with the names that a function has for them.
func renamed(arguments map[string]string, functions []Function, f Function) (map[string]string, error) {
	own := namesOf(f)
	all := make(map[string]string)
	for name, generator := range arguments {
		to, known := name, false
		for _, other := range functions {
			for kind, names := range namesOf(other) {
				if at := slices.Index(names, name); at >= 0 {
					known = true
					to = ""
					if at < len(own[kind]) {
						to = own[kind][at]
						if to == "" || to == "_" {
							return nil, fmt.Errorf("%s has no name for its %s %d, which is %s in %s: name it in the source, or leave --arg %s out", f.ID, [...]string{"parameter", receiverName, "type parameter"}[kind], at+1, name, other.ID, name)
						}
					}
				}
			}
			if known {
				break
			}
		}
		if to != "" { // else this function has none, as a function has no receiver
			all[to] = generator
		}
	}
	return all, nil
}

// namesOf are the names of the parameters of a function, its receiver and its type parameters.
func namesOf(f Function) (names [3][]string) {
	_, function := find(f.Pkgs, f.ID)
	if function == nil {
		return names
	}
	s := function.Signature()
	for v := range s.Params().Variables() {
		names[0] = append(names[0], v.Name())
	}
	if s.Recv() != nil {
		names[1] = []string{receiverName}
	}
	for _, list := range []*types.TypeParamList{s.TypeParams(), s.RecvTypeParams()} {
		for parameter := range list.TypeParams() {
			names[2] = append(names[2], parameter.Obj().Name())
		}
	}
	return names
}

// mostElements of a path are tried: paths may differ in dots and slashes alone.
const mostElements = 100

// label names the functions as short as tells them apart: by themselves if they are of one package, else with the name of the
// package or, where that is not enough, with more and more of its path. Benchmarks of one name get numbers.
func label(list []*Benchmark) {
	elements := 0
	if slices.ContainsFunc(list, func(b *Benchmark) bool { return b.Package != list[0].Package }) {
		elements = 1
	}
	for labels := map[string]bool{}; len(labels) < len(list) && elements < mostElements; elements++ {
		clear(labels)
		for _, b := range list {
			b.label = b.labelWith(elements)
			labels[b.label] = true
		}
	}
	for i, b := range list {
		name := b.Name
		for number := 2; slices.ContainsFunc(list[:i], func(other *Benchmark) bool { return other.Package == b.Package && other.Name == b.Name }); number++ {
			b.Name = fmt.Sprintf("%s%d", name, number)
		}
	}
}

// labelWith is the function without its package, with the name of its package, or with one, two, ... elements of its path.
func (b *Benchmark) labelWith(elements int) string {
	function := strings.NewReplacer("(*", "", ")", "").Replace(b.shortName())
	switch elements {
	case 0:
		return function
	case 1:
		return b.plan.types.Name() + "." + function
	}
	path := strings.Split(b.Package, "/")
	return strings.Join(path[max(0, len(path)-elements+1):], ".") + "." + function
}

// signatureOf is the types of parameters and results, without their names.
func signatureOf(s *types.Signature) string {
	unnamed := func(list *types.Tuple) *types.Tuple {
		var all []*types.Var
		for v := range list.Variables() {
			all = append(all, types.NewParam(0, nil, "", types.Unalias(v.Type())))
		}
		return types.NewTuple(all...)
	}
	text := types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()), nil)
	return predeclared.ReplaceAllStringFunc(text, func(name string) string {
		return map[string]string{"byte": "uint8", "rune": "int32", "any": "interface{}"}[name]
	})
}

// predeclared are the names of types that have another name too.
var predeclared = regexp.MustCompile(`\b(byte|rune|any)\b`)
