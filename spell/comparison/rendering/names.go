package rendering

import (
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
)

// names maps the names of components and tests to short ones: without the module path, if
// they stay unique.
type names map[string]string

func (c *view) names() names {
	var full []string
	seen := make(map[string]bool)
	take := func(name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			full = append(full, name)
		}
	}
	for i := range c.Components {
		take(c.Components[i].ID)
		take(c.Components[i].BaseID)
	}
	for _, o := range append(append([]comparison.Only{}, c.Added...), c.Removed...) {
		take(o.ID)
	}
	for i := range c.Tests {
		take(c.Tests[i].Name)
	}
	all := make(names, len(full))
	for i, short := range page.Shorten(full, c.Comparison.Head.Module) {
		all[full[i]] = short
	}
	return all
}

func (n names) of(full string) string {
	if short, ok := n[full]; ok {
		return short
	}
	return full
}
