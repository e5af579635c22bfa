package instrument

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/suggestion"
)

// chosenFunction finds the function that a user names: by its ID, or by the
// end of one, from behind a dot or slash, if no other function has that end.
// (*T).M and T.M are the same. The result is an index of components; the error
// lists the functions that may have been meant.
func chosenFunction(components []spell.Component, name string) (int, error) {
	wanted := withoutPointer(name)
	parts := strings.FieldsFunc(wanted, separator)
	var found, functions []int
	var ends []string
	for i, c := range components {
		if c.Kind != spell.KindFunction || c.ID == "" {
			continue
		}
		if c.ID == name {
			return i, nil
		}
		end := lastParts(withoutPointer(c.ID), len(parts))
		if end == wanted && end != "" {
			found = append(found, i)
		}
		functions, ends = append(functions, i), append(ends, end)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return 0, fmt.Errorf("the function %q could be any of %s: name more of one", name, listed(components, found))
	}
	var near []int
	for _, i := range suggestion.Nearest(wanted, ends, mostListed) {
		near = append(near, functions[i])
	}
	if len(near) > 0 {
		return 0, fmt.Errorf("no function %q is measured; did you mean %s?", name, listed(components, near))
	}
	return 0, fmt.Errorf("no function %q is measured: name one of the packages' functions with its type, like park.Sort or Park.Add, without arguments", name)
}

const mostListed = 8

// listed gives the names of components, of many the first ones.
func listed(components []spell.Component, which []int) string {
	var names []string
	for _, i := range which {
		names = append(names, components[i].ID)
	}
	if more := len(names) - mostListed; more > 0 {
		names = append(slices.Clone(names[:mostListed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// withoutPointer makes pkg.T.M of pkg.(*T).M.
func withoutPointer(id string) string {
	return strings.NewReplacer("(*", "", ")", "").Replace(id)
}

func separator(r rune) bool { return r == '.' || r == '/' }

// lastParts returns the last n of the parts of id that stand between dots and
// slashes.
func lastParts(id string, n int) string {
	for at := len(id); n > 0; n-- {
		if at = strings.LastIndexAny(id[:at], "./"); at < 0 {
			return id
		}
		if n == 1 {
			return id[at+1:]
		}
	}
	return ""
}
