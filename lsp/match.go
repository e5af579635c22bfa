package lsp

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// A mark is a measured component where it stands now.
type mark struct {
	result    *result
	component int // index into result.run.Components
	outline.Function
	stale   bool // the body is not the one that was measured
	covered bool // something newer is shown in its place
}

// counted is the component with what it used in the tests that the ranking is of.
func (m *mark) counted() *record.Component { return &m.result.counted().Components[m.component] }

func (m *mark) of() *record.Component { return &m.result.run.Components[m.component] }

// sources gives the text of a file as it stands, nil if there is none.
type sources func(path string) *outline.Source

// match finds the components of a result in a file. Those of functions that
// are gone are left out. A function that moved here from another file of the
// package is known by its name, one that was renamed or came from elsewhere by
// its body. It says too whether another function here has the name or the body of
// one that is still where it was: a change elsewhere may make it a moved one.
func (r *result) match(path string, found *outline.Outline, sourceOf sources, around *surroundings) (marks []mark, stray bool) {
	add := func(component int, f outline.Function, stale bool) {
		marks = append(marks, mark{result: r, component: component, Function: f, stale: stale})
	}
	groups := &groupHashes{result: r, path: path, sourceOf: sourceOf, around: around}
	search := &search{result: r, file: path, around: around}
	components, functions := r.files[path], map[string][]outline.Function{}
	for _, f := range found.Functions {
		functions[f.Name] = append(functions[f.Name], f)
	}
	var strangers []outline.Function
	for name, fs := range functions {
		if indices := components[name]; len(indices) > 0 {
			r.pair(indices, fs, func(i int, f outline.Function) { add(i, f, r.stale(i, f, groups)) })
			continue
		}
		if r.idle[path][name] {
			continue
		}
		moved, known := search.moved(fs[0])
		stray = stray || known
		if moved >= 0 {
			add(moved, fs[0], r.stale(moved, fs[0], groups))
		} else {
			strangers = append(strangers, fs...)
		}
	}
	bodies := map[string]int{}
	for _, f := range strangers {
		bodies[f.Hash]++
	}
	for _, f := range strangers {
		component, known := search.renamed(f, bodies)
		stray = stray || known
		if component >= 0 {
			add(component, f, f.Touched || !r.sameReceiver(component, f))
		}
	}
	for _, m := range slices.Clone(marks) {
		r.matchBlocks(&m, found, add)
	}
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.component, b.component))
	})
	return marks, stray
}

// stale reports whether what was measured is not what stands there.
func (r *result) stale(component int, f outline.Function, groups *groupHashes) bool {
	c := &r.run.Components[component]
	if f.Kind == spell.KindFunction {
		return f.Touched || c.Hash != f.Hash
	}
	return groups.of(c) != c.Hash
}

// sameReceiver reports whether a renamed method has a receiver of the same kind:
// what copies its receiver now is not what was measured.
func (r *result) sameReceiver(component int, f outline.Function) bool {
	name, _ := localName(&r.run.Components[component])
	return strings.HasPrefix(name, "(*") == strings.HasPrefix(f.Name, "(*")
}

// matchBlocks finds the blocks of a function by where they are in it. Of a function
// that was edited, a block is known by its body where no other has the same; and if
// there are as many as before, by where it is. Most of the blocks that are alike
// are alike in many places, and some of them did not run and are no components.
func (r *result) matchBlocks(of *mark, found *outline.Outline, add func(int, outline.Function, bool)) {
	components := r.blocks[of.of().ID]
	if len(components) == 0 {
		return
	}
	blocks := found.Blocks(of.Function)
	place := func(component int, b *gosource.Block) {
		f := outline.Function{Kind: spell.KindBlock, Start: b.Start.Offset, From: b.Start.Offset, To: b.KeywordTo.Offset, End: b.End.Offset + 1}
		add(component, f, of.stale || b.Hash != r.run.Components[component].Hash)
	}
	if of.stale {
		r.editedBlocks(components, blocks, place)
		return
	}
	for _, component := range components {
		if i := slices.IndexFunc(blocks, r.isAt(component)); i >= 0 {
			place(component, &blocks[i])
		}
	}
}

// editedBlocks finds the blocks of a function that was edited.
func (r *result) editedBlocks(components []int, blocks []gosource.Block, place func(int, *gosource.Block)) {
	known := map[string][]int{} // components by hash
	for _, component := range components {
		hash := r.run.Components[component].Hash
		known[hash] = append(known[hash], component)
	}
	there := map[string][]int{} // the same of blocks
	for i := range blocks {
		there[blocks[i].Hash] = append(there[blocks[i].Hash], i)
	}
	taken := map[int]bool{}
	var rest []int
	for _, component := range components {
		hash := r.run.Components[component].Hash
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
		if i := slices.IndexFunc(blocks, r.isAt(component)); i >= 0 && !taken[i] {
			place(component, &blocks[i])
		}
	}
}

// isAt reports whether a block is where that of a component was.
func (r *result) isAt(component int) func(gosource.Block) bool {
	_, path, _ := strings.Cut(r.run.Components[component].ID, "#")
	return func(b gosource.Block) bool { return b.Path == path }
}

// pair matches components with functions of the same name: first those that
// are the same, then in order. Only init functions, literals, and names that
// are declared twice while someone types have more than one.
func (r *result) pair(components []int, functions []outline.Function, add func(int, outline.Function)) {
	rest := slices.Clone(functions)
	var changed []int
	for _, i := range components {
		same := slices.IndexFunc(rest, func(f outline.Function) bool { return f.Hash == r.run.Components[i].Hash })
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

// matchLines places the components that are known by a line only, as those of
// other languages: they hold to it, and are stale as soon as their file is not
// what it was.
func (r *result) matchLines(path string, s *outline.Source) []mark {
	var marks []mark
	stale := s.Text != r.texts[path]
	for _, i := range r.lines[path] {
		c := &r.run.Components[i]
		f, ok := s.Line(c.Line, c.Column)
		if !ok {
			continue // a deleted function has no line
		}
		f.Kind = c.Kind
		marks = append(marks, mark{result: r, component: i, Function: f, stale: stale})
	}
	return marks
}
