package lsp

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/record"
)

// A mark is a measured component where it stands now.
type mark struct {
	result    *result
	component int // index into result.run.Components
	function
	stale bool // the body is not the one that was measured
}

func (m *mark) of() *record.Component { return &m.result.run.Components[m.component] }

// match finds the components of a result in a file. Those of functions that
// are gone are left out. A function that moved here from another file of the
// package is known by its name.
func (r *result) match(path string, found *findings, sourceOf func(path string) *source) []mark {
	var marks []mark
	add := func(component int, f function) {
		c := &r.run.Components[component]
		stale := f.touched || c.Hash != f.hash
		marks = append(marks, mark{result: r, component: component, function: f, stale: stale})
	}
	components := r.files[path]
	functions := map[string][]function{}
	for _, f := range found.functions {
		functions[f.name] = append(functions[f.name], f)
	}
	for name, fs := range functions {
		if indices := components[name]; len(indices) > 0 {
			r.pair(indices, fs, add)
		} else if moved := r.moved(name, path, sourceOf); moved >= 0 {
			add(moved, fs[0])
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.from, b.from) })
	return marks
}

// pair matches components with functions of the same name: first those that
// are the same, then in order. Only init functions, literals, and names that
// are declared twice while someone types have more than one.
func (r *result) pair(components []int, functions []function, add func(int, function)) {
	rest := slices.Clone(functions)
	var changed []int
	for _, i := range components {
		same := slices.IndexFunc(rest, func(f function) bool { return f.hash == r.run.Components[i].Hash })
		if same < 0 {
			changed = append(changed, i)
			continue
		}
		add(i, rest[same])
		rest = slices.Delete(rest, same, same+1)
	}
	for n, i := range changed {
		if n < len(rest) {
			add(i, rest[n])
		}
	}
}

// moved finds the component of a name in another file of the folder that has
// no such function any more, or -1.
func (r *result) moved(name, path string, sourceOf func(string) *source) int {
	if name == "init" || name == "init.func" {
		return -1
	}
	for _, other := range r.folders[filepath.Dir(path)] {
		indices := r.files[other][name]
		if other == path || len(indices) == 0 {
			continue
		}
		if s := sourceOf(other); s == nil || !s.look().has(name) {
			return indices[0]
		}
	}
	return -1
}

func (f *findings) has(name string) bool {
	return slices.ContainsFunc(f.functions, func(g function) bool { return g.name == name })
}

var numbered = regexp.MustCompile(`^(init)\.(\d+)$|^(init\.func)(\d+)$`)

// localName gives the name that the source of a component's file has for it.
// Init functions and literals outside of functions have a number of their
// package, which is of use for their order only.
func localName(c *record.Component) (name string, number int) {
	name, ok := strings.CutPrefix(c.ID, c.Package+".")
	if !ok || c.Package == "" { // of a main package the linker says main
		_, name, _ = strings.Cut(c.ID[strings.LastIndex(c.ID, "/")+1:], ".")
	}
	m := numbered.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	number, _ = strconv.Atoi(m[2] + m[4]) // a number of more than 18 digits orders like any other
	return m[1] + m[3], number
}
