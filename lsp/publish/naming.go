package publish

import (
	"slices"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
)

// naming lists the files whose diagnostics may name a component that is in a file
// now or was when it was measured.
func naming(rs *results.Layers, path string, v *view.View) []string {
	all := callers{}
	for _, r := range rs.List {
		for _, components := range r.Files[path] {
			for _, i := range components {
				all.add(r, i)
			}
		}
	}
	if v != nil {
		for _, m := range v.Marks {
			all.add(m.Result, m.Index)
		}
	}
	return all.named()
}

// Callers are components of results that diagnostics may name.
type callers map[*results.Result]map[int]bool

func (c callers) add(r *results.Result, component int) {
	if c[r] == nil {
		c[r] = map[int]bool{}
	}
	c[r][component] = true
}

// named lists the files of the functions whose diagnostics name one of the callers.
// Each function is looked at once, as many may call the same.
func (c callers) named() []string {
	var paths []string
	for r, components := range c {
		seen := map[int]bool{}
		for component := range components {
			for _, callee := range r.Callees(component) {
				if seen[callee.Component] {
					continue
				}
				seen[callee.Component] = true
				if slices.ContainsFunc(r.Costliest(callee.Component), func(p results.CallShare) bool { return components[p.Component] }) {
					paths = append(paths, r.Path(r.Run.Components[callee.Component].File))
				}
			}
		}
	}
	return paths
}
