package lsp

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// A mark is a measured component where it stands now.
type mark struct {
	result    *result
	component int // index into result.run.Components
	function
	stale   bool // the body is not the one that was measured
	covered bool // something newer is shown in its place
}

func (m *mark) of() *record.Component { return &m.result.run.Components[m.component] }

// sources gives the text of a file as it stands, nil if there is none.
type sources func(path string) *source

// match finds the components of a result in a file. Those of functions that
// are gone are left out. A function that moved here from another file of the
// package is known by its name, one that was renamed or came from elsewhere by
// its body. It says too whether another function here has the body of one that
// is still where it was: a change elsewhere may make it a moved one.
func (r *result) match(path string, found *findings, sourceOf sources) (marks []mark, stray bool) {
	add := func(component int, f function, stale bool) {
		marks = append(marks, mark{result: r, component: component, function: f, stale: stale})
	}
	groups := &groupHashes{result: r, path: path, sourceOf: sourceOf}
	components, functions := r.files[path], map[string][]function{}
	for _, f := range found.functions {
		functions[f.name] = append(functions[f.name], f)
	}
	var strangers []function
	for name, fs := range functions {
		if indices := components[name]; len(indices) > 0 {
			r.pair(indices, fs, func(i int, f function) { add(i, f, r.stale(i, f, groups)) })
		} else if moved := r.moved(name, path, sourceOf); moved >= 0 {
			add(moved, fs[0], r.stale(moved, fs[0], groups))
		} else {
			strangers = append(strangers, fs...)
		}
	}
	for _, f := range strangers {
		switch component, known := r.renamed(f, strangers, sourceOf); {
		case component >= 0:
			stray = true // the former one may come back
			add(component, f, f.touched || !r.sameReceiver(component, f))
		case known:
			stray = true
		}
	}
	for _, m := range slices.Clone(marks) {
		r.matchBlocks(&m, found, add)
	}
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.component, b.component))
	})
	return marks, stray
}

// stale reports whether what was measured is not what stands there.
func (r *result) stale(component int, f function, groups *groupHashes) bool {
	c := &r.run.Components[component]
	if f.kind == spell.KindFunction {
		return f.touched || c.Hash != f.hash
	}
	return groups.of(c) != c.Hash
}

// maxAlike is how many components of the same body are looked at for one that was
// renamed. Of more it can hardly be told which, as of empty functions.
const maxAlike = 8

// renamed finds the component of a function whose name is not known: one of the
// same body that is not where it was, if no other may have become the function,
// nor the component another function. Otherwise it returns -1, and whether there
// are components of the same body.
func (r *result) renamed(f function, strangers []function, sourceOf sources) (component int, known bool) {
	same := func(g function) bool { return g.hash == f.hash }
	first := slices.IndexFunc(strangers, same)
	if f.kind != spell.KindFunction || f.touched || slices.ContainsFunc(strangers[first+1:], same) {
		return -1, false
	}
	alike := r.hashes[f.hash]
	if len(alike) > maxAlike {
		return -1, false
	}
	component = -1
	for _, i := range alike {
		c := &r.run.Components[i]
		name, _ := localName(c)
		if r.declared(name, r.path(c.File), sourceOf) {
			known = true
			continue
		}
		if component >= 0 {
			return -1, true
		}
		component = i
	}
	return component, known
}

// declared reports whether a name that a file declared is there still, or in
// another file of the folder.
func (r *result) declared(name, path string, sourceOf sources) bool {
	if s := sourceOf(path); s != nil && s.look().has(name) {
		return true
	}
	for _, other := range r.folders[filepath.Dir(path)] {
		if s := sourceOf(other); other != path && s != nil && s.look().has(name) {
			return true
		}
	}
	return false
}

// sameReceiver reports whether a renamed method has a receiver of the same kind:
// what copies its receiver now is not what was measured.
func (r *result) sameReceiver(component int, f function) bool {
	name, _ := localName(&r.run.Components[component])
	return strings.HasPrefix(name, "(*") == strings.HasPrefix(f.name, "(*")
}

// matchBlocks finds the blocks of a function: by their bodies, in their order,
// or where the function was edited but has as many blocks, by their order alone.
func (r *result) matchBlocks(of *mark, found *findings, add func(int, function, bool)) {
	components := r.blocks[of.of().ID]
	if len(components) == 0 {
		return
	}
	blocks := found.blocks(of.function)
	place := func(component int, b gosource.Block) {
		f := function{kind: spell.KindBlock, start: b.Start.Offset, from: b.Start.Offset, to: b.KeywordTo.Offset, end: b.End.Offset + 1}
		add(component, f, of.stale || b.Hash != r.run.Components[component].Hash)
	}
	if len(blocks) == len(components) {
		for i, component := range components {
			place(component, blocks[i])
		}
		return
	}
	for _, component := range components {
		i := slices.IndexFunc(blocks, func(b gosource.Block) bool { return b.Hash == r.run.Components[component].Hash })
		if i >= 0 {
			place(component, blocks[i])
			blocks = blocks[i+1:]
		}
	}
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
func (r *result) moved(name, path string, sourceOf sources) int {
	if name == "init" || name == "init.func" || name == packageClause {
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
