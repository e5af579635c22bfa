package generate

import (
	"fmt"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A generator is what was chosen for an argument.
type generator struct {
	text    string
	order   string     // random, sorted, reversed or equal
	size    bool       // the size itself
	element bool       // one element, whatever has size n
	fixed   string     // a Go expression, which may use n
	typed   types.Type // of a type parameter
}

// Generators are what a generator can be, for messages.
const Generators = "random, sorted, reversed, equal, n, element, fixed:EXPRESSION or, of a type parameter, int, string, float64, byte or bool"

// parseArguments reads generators: the name of a parameter to one of Generators. The receiver of a method has the
// name receiver.
func parseArguments(list map[string]string) (map[string]*generator, error) {
	given := make(map[string]*generator, len(list))
	for _, name := range slices.Sorted(maps.Keys(list)) {
		text := list[name]
		g := &generator{text: text}
		expr, fixed := strings.CutPrefix(text, "fixed:")
		switch {
		case fixed:
			if _, err := parser.ParseExpr(expr); err != nil {
				return nil, fmt.Errorf("--arg %s=%s: %q is no Go expression", name, text, expr)
			}
			g.fixed = expr
		case slices.Contains(allOrders, text):
			g.order = text
		case text == "n":
			g.size = true
		case text == "element":
			g.element = true
		default:
			object, _ := types.Universe.Lookup(text).(*types.TypeName)
			if object == nil {
				return nil, fmt.Errorf("--arg %s=%s: no generator %q: it must be %s", name, text, text, Generators)
			}
			g.typed = object.Type()
		}
		given[name] = g
	}
	return given, nil
}

// checkGiven refuses generators for what the function does not have.
func (p *plan) checkGiven(f *types.Func, signature *types.Signature) error {
	var known []string
	if signature.Recv() != nil {
		known = append(known, receiverName)
	}
	for v := range signature.Params().Variables() {
		known = append(known, v.Name())
	}
	for _, list := range []*types.TypeParamList{f.Signature().TypeParams(), f.Signature().RecvTypeParams()} {
		for parameter := range list.TypeParams() {
			known = append(known, parameter.Obj().Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.given)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--arg %s=%s: %s has no parameter %s; there are %s", name, p.given[name].text, f.Name(), name, strings.Join(known, ", "))
		}
	}
	return nil
}
