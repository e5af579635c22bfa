package view

import (
	"cmp"
	"slices"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// match finds the components of a result in a Go file; components whose functions were deleted are
// left out. A function that moved here from another file of the folder is found by its name; a
// function that was renamed or came from another folder by its body. crossFile reports whether a
// function here has the name or the body of a component of another file: it takes that component
// over as soon as the other file loses its function.
func match(r *results.Result, path string, found *outline.Outline, sourceOf func(path string) *outline.Source, around *surroundings) (marks []Mark, crossFile bool) {
	add := func(component int, f outline.Function, stale bool) {
		marks = append(marks, Mark{Result: r, Index: component, Function: f, Stale: stale})
	}
	groups := &groupHashes{result: r, path: path, sourceOf: sourceOf, around: around}
	search := &search{Result: r, file: path, around: around}
	components, functions := r.In(path), map[string][]outline.Function{}
	for _, f := range found.Functions {
		functions[f.Name] = append(functions[f.Name], f)
	}
	var unknown []outline.Function // functions without a component of their name
	for name, fs := range functions {
		if indices := components[name]; len(indices) > 0 {
			pair(r, indices, fs, func(i int, f outline.Function) { add(i, f, isStale(r, i, f, groups)) })
			continue
		}
		if r.Unranked(path, name) {
			continue
		}
		moved, known := search.moved(fs[0])
		crossFile = crossFile || known
		if moved >= 0 {
			add(moved, fs[0], isStale(r, moved, fs[0], groups))
		} else {
			unknown = append(unknown, fs...)
		}
	}
	bodies := map[string]int{} // number of functions in unknown by the hash of their body
	for _, f := range unknown {
		bodies[f.Hash]++
	}
	for _, f := range unknown {
		component, known := search.renamed(f, bodies)
		crossFile = crossFile || known
		if component >= 0 {
			add(component, f, f.Touched || !sameReceiver(r, component, f))
		}
	}
	for _, m := range slices.Clone(marks) {
		matchBlocks(r, &m, found, add)
	}
	slices.SortFunc(marks, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Index, b.Index))
	})
	return marks, crossFile
}

// isStale reports whether the function at the place of a component differs from the measured one.
func isStale(r *results.Result, component int, f outline.Function, groups *groupHashes) bool {
	c := &r.Run.Components[component]
	if f.Kind == spell.KindFunction {
		return f.Touched || c.Hash != f.Hash
	}
	return groups.of(c) != c.Hash
}

// sameReceiver reports whether a renamed method still has a pointer receiver, or still none: a
// method that copies its receiver now is another one.
func sameReceiver(r *results.Result, component int, f outline.Function) bool {
	name, _ := results.LocalName(&r.Run.Components[component])
	return strings.HasPrefix(name, "(*") == strings.HasPrefix(f.Name, "(*")
}

// matchBlocks finds the blocks of a function by their paths in it (for1.if2). In an edited function
// a block is found by its body if no other block has the same body, and by its path if there are
// as many blocks as before. Bodies alone are not enough: the same body often occurs in many
// places, and blocks that did not run are no components.
func matchBlocks(r *results.Result, of *Mark, found *outline.Outline, add func(int, outline.Function, bool)) {
	components := r.Blocks(of.Component().ID)
	if len(components) == 0 {
		return
	}
	blocks := found.Blocks(of.Function)
	place := func(component int, b *gosource.Block) {
		f := outline.Function{Kind: spell.KindBlock, Start: b.Start.Offset, From: b.Start.Offset, To: b.KeywordTo.Offset, End: b.End.Offset + 1}
		add(component, f, of.Stale || b.Hash != r.Run.Components[component].Hash)
	}
	if of.Stale {
		editedBlocks(r, components, blocks, place)
		return
	}
	for _, component := range components {
		if i := slices.IndexFunc(blocks, isAt(r, component)); i >= 0 {
			place(component, &blocks[i])
		}
	}
}

// editedBlocks finds the blocks of a function that was edited.
func editedBlocks(r *results.Result, components []int, blocks []gosource.Block, place func(int, *gosource.Block)) {
	known := map[string][]int{} // components by hash
	for _, component := range components {
		hash := r.Run.Components[component].Hash
		known[hash] = append(known[hash], component)
	}
	there := map[string][]int{} // blocks by hash
	for i := range blocks {
		there[blocks[i].Hash] = append(there[blocks[i].Hash], i)
	}
	taken := map[int]bool{}
	var rest []int
	for _, component := range components {
		hash := r.Run.Components[component].Hash
		if len(known[hash]) == 1 && len(there[hash]) == 1 {
			i := there[hash][0]
			taken[i] = true
			place(component, &blocks[i])
			continue
		}
		rest = append(rest, component)
	}
	if len(blocks) != len(components) {
		return
	}
	for _, component := range rest {
		if i := slices.IndexFunc(blocks, isAt(r, component)); i >= 0 && !taken[i] {
			place(component, &blocks[i])
		}
	}
}

// isAt reports whether a block has the path of a component.
func isAt(r *results.Result, component int) func(gosource.Block) bool {
	_, path := spell.SplitBlock(r.Run.Components[component].ID)
	return func(b gosource.Block) bool { return b.Path == path }
}

// pair matches components with functions of the same name: first those with the same body, then in
// order. Init functions and literals share a name, and so do functions that are declared twice
// while the user types.
func pair(r *results.Result, components []int, functions []outline.Function, add func(int, outline.Function)) {
	rest := slices.Clone(functions)
	var changed []int
	for _, i := range components {
		same := slices.IndexFunc(rest, func(f outline.Function) bool { return f.Hash == r.Run.Components[i].Hash })
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

// matchLines places the components that are known only by their line, for example those of other
// languages: they stay on their line, and are stale once their file has changed.
func matchLines(r *results.Result, path string, s *outline.Source) []Mark {
	var marks []Mark
	stale := s.Text != r.Text(path)
	for _, i := range r.ByLine(path) {
		c := &r.Run.Components[i]
		f, ok := s.Line(c.Line, c.Column)
		if !ok {
			continue // a deleted function has no line
		}
		f.Kind = c.Kind
		marks = append(marks, Mark{Result: r, Index: i, Function: f, Stale: stale})
	}
	return marks
}
