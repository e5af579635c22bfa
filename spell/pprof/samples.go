package pprof

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/google/pprof/profile"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// maxTestSamples limits the samples that are placed below tests, because viewers hold a
// profile in memory. Beyond it, components are placed at the root.
const maxTestSamples = 1 << 20

// maxStackDepth limits the components of a stack. spell-lsp's own stacks are shorter; the
// call tree of another tool may be as deep as it has nodes.
const maxStackDepth = 256

// maxValue limits the values of a sample, so that sums of a few fit into an int64.
const maxValue = 1 << 60

// add appends a sample; stack begins at the leaf. The remainder of rounding is carried
// over to the next sample, so that sums are right.
func (b *builder) add(stack []*profile.Location, values []float64, zone string) {
	s := &profile.Sample{Location: stack, Value: make([]int64, len(values))}
	empty := true
	for i, v := range values {
		exact := min(b.carry[i]+v, maxValue)
		whole := math.Floor(exact + 0.5) // never below 0: the carry is at least -0.5
		b.carry[i] = exact - whole
		s.Value[i] = int64(whole)
		empty = empty && whole == 0
	}
	if empty {
		return
	}
	if zone != "" {
		s.Label = map[string][]string{"zone": {zone}}
	}
	b.p.Sample = append(b.p.Sample, s)
}

// components adds the samples of all components. The samples of one component are
// consecutive, so that its sum is off by at most one.
func (b *builder) components() {
	t := b.tree()
	cells := b.cells(t)
	b.withLines = t.mayHaveLines(cells)
	for i := range b.r.Components {
		c := &b.r.Components[i]
		all := b.values(c.N, c.TimeMS, c.EnergyJ)
		if nodes := t.nodes(i); len(nodes) > 0 {
			for _, node := range nodes {
				stack := t.stack(b, node)
				if t.function[i] != i { // a block is called by the function around it
					stack = append([]*profile.Location{b.component(i)}, stack...)
				}
				b.addLines(i, stack, t.part(all, node))
			}
			continue
		}
		b.byTest(i, all, cells[i])
	}
}

// byTest adds a component that is in no stack below each test that ran it. cells are
// indices into the cells of the matrix; their values are scaled to add up to all.
func (b *builder) byTest(i int, all []float64, cells []int32) {
	m := &b.r.Matrix
	sums := make([]float64, len(all))
	for _, k := range cells {
		for v, x := range b.ofCell(k) {
			sums[v] += x
		}
	}
	rest := slices.Clone(all)
	for _, k := range cells {
		values := b.ofCell(k)
		for v := range values {
			if sums[v] > 0 {
				values[v] *= all[v] / sums[v]
				rest[v] = 0
			}
		}
		test := b.frame(b.r.Tests[m.Cells[k].Test].Name)
		b.addLines(i, []*profile.Location{b.component(i), test}, values)
	}
	b.addLines(i, []*profile.Location{b.component(i)}, rest)
}

// addLines appends the samples of a component in a stack: one for each line that is known, with the
// part of time and energy that the line has, and one for the rest and the calls.
func (b *builder) addLines(i int, stack []*profile.Location, values []float64) {
	c, rest := &b.r.Components[i], slices.Clone(values)
	if b.withLines {
		for _, l := range c.Lines {
			part := scaled(values, min(1, l.TimeMS/c.TimeMS))
			part[0] = 0 // calls are those of the function
			for v := range part {
				part[v] = min(part[v], rest[v])
				rest[v] -= part[v]
			}
			b.add(append([]*profile.Location{b.line(i, l.Line)}, stack[1:]...), part, string(c.Zone))
		}
	}
	b.add(stack, rest, string(c.Zone))
}

// mayHaveLines says whether the samples by line are few enough for a viewer.
func (t *tree) mayHaveLines(cells [][]int32) bool {
	n := 0
	for i := range t.r.Components {
		n += len(t.r.Components[i].Lines) * (1 + len(t.nodes(i)) + len(cells[i]))
	}
	return n <= maxTestSamples
}

func (b *builder) ofCell(k int32) []float64 {
	c := b.r.Matrix.Cells[k]
	return b.values(c.N, c.TimeMS, b.r.Matrix.Energy(int(k)))
}

// cells lists, for each component without a node, its cells in tests that count. It
// returns nil if there are too many.
func (b *builder) cells(t *tree) [][]int32 {
	of, n := make([][]int32, len(b.r.Components)), 0
	for k, c := range b.r.Matrix.Cells {
		if len(t.nodes(int(c.Component))) > 0 || !b.r.Tests[c.Test].InAnalysis(b.r.Analysis != nil && b.r.Analysis.IncludeFailed) {
			continue
		}
		if n++; n > maxTestSamples {
			return make([][]int32, len(b.r.Components))
		}
		of[c.Component] = append(of[c.Component], int32(k))
	}
	for _, list := range of {
		slices.SortFunc(list, func(i, j int32) int {
			return cmp.Compare(b.r.Matrix.Cells[i].Test, b.r.Matrix.Cells[j].Test)
		})
	}
	return of
}

// unattributed adds the unattributed energy of all tests that count.
func (b *builder) unattributed() {
	root := b.frame(unattributed)
	parts := b.r.Parts()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		stack := []*profile.Location{root}
		if name != "" {
			stack = []*profile.Location{b.frame(string(name)), root}
		}
		b.add(stack, b.values(0, parts[name].TimeMS, parts[name].EnergyJ), "")
	}
}

func scaled(values []float64, by float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = v * by
	}
	return list
}

// A tree is the call tree, indexed for dividing values among its nodes.
type tree struct {
	r        *record.Run
	function []int     // by component: the component whose nodes it uses; a block uses its function's
	of       [][]int   // by component, its nodes with time
	timeMS   []float64 // by component, of all its nodes
	used     []float64 // likewise, each multiplied by the power of its node
}

func (b *builder) tree() *tree {
	t := &tree{r: b.r, function: calltree.Functions(b.r), of: make([][]int, len(b.r.Components)), timeMS: make([]float64, len(b.r.Components)), used: make([]float64, len(b.r.Components))}
	for i, n := range b.r.CallTree {
		if n.TimeMS > 0 {
			t.of[n.Component] = append(t.of[n.Component], i)
			t.timeMS[n.Component] += n.TimeMS
			t.used[n.Component] += n.TimeMS * n.RelativePower()
		}
	}
	return t
}

// nodes returns the nodes whose top frame is a component, or the function around a block.
func (t *tree) nodes(component int) []int { return t.of[t.function[component]] }

// part is what a node gets of its component's values: calls and time by time, energies by time and
// power under its caller.
func (t *tree) part(all []float64, node int) []float64 {
	n := &t.r.CallTree[node]
	values := scaled(all, n.TimeMS/t.timeMS[n.Component])
	for v := energies; v < len(values); v++ {
		values[v] = all[v] * n.TimeMS * n.RelativePower() / t.used[n.Component]
	}
	return values
}

// energies is where energies begin in the values of a sample, behind calls and time.
const energies = 2

// stack returns a node and its callers.
func (t *tree) stack(b *builder, node int) []*profile.Location {
	var list []*profile.Location
	for i := node; i >= 0; i = t.r.CallTree[i].Parent {
		list = append(list, b.component(t.r.CallTree[i].Component))
		if t.r.CallTree[i].Cut || len(list) == maxStackDepth {
			return append(list, b.frame(cut))
		}
	}
	return list
}
