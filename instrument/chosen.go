package instrument

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/suggestion"
)

// chosenFunction finds the function that a user names: by its ID, or by the end of its
// ID after a dot or slash, if that is unique. (*T).M and T.M are the same. The result is
// an index into components; the error lists the candidates.
func chosenFunction(components []spell.Component, name string) (int, error) {
	var functions []int
	var ids []string
	for i, c := range components {
		if c.Kind == spell.KindFunction && c.ID != "" {
			functions, ids = append(functions, i), append(ids, c.ID)
		}
	}
	found, near := suggestion.Match(name, ids, maxListed)
	switch {
	case len(found) == 1:
		return functions[found[0]], nil
	case len(found) > 1:
		return 0, fmt.Errorf("the function %q could be any of %s: name more of one", name, listed(ids, found))
	case len(near) > 0:
		return 0, &NoFunctionError{fmt.Sprintf("no function %q is measured; did you mean %s?", name, listed(ids, near))}
	}
	return 0, &NoFunctionError{fmt.Sprintf("no function %q is measured: name one of the packages' functions with its type, like park.Sort or Park.Add, without arguments", name)}
}

// A NoFunctionError says that no function has the name that a user gave.
type NoFunctionError struct{ text string }

func (e *NoFunctionError) Error() string { return e.text }

const maxListed = 8

// listed joins the IDs at the given indexes, at most maxListed of them.
func listed(ids []string, which []int) string {
	var names []string
	for _, i := range which {
		names = append(names, ids[i])
	}
	if more := len(names) - maxListed; more > 0 {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
