package report

import (
	"cmp"
	"slices"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// A tree is the call tree in columns, parents before their children. Values are self
// values of the nodes.
type tree struct {
	Known     bool    `json:"known"`
	Parent    []int   `json:"parent"`    // -1 of a root
	Component []int   `json:"component"` // or one of the nodes below
	TimeMS    numbers `json:"time_ms"`
	EnergyJ   numbers `json:"energy_j"` // of all domains
	N         numbers `json:"n"`
	Cut       []int   `json:"cut"` // roots whose callers are not known
	// How says how the energy of each node is known, see howNames; absent if nothing is known of that.
	How []int `json:"how,omitempty"`
}

// howNames are the numbers in tree.How: energy by the power under the caller, or shared by time and why.
// 0 stands for shared by time, without a reason.
var howNames = map[record.ByTime]int{record.Alike: 2, record.Interleaved: 3, record.Few: 4}

const fitted = 1

// how is the number of a node in tree.How.
func how(n *record.CallNode) int {
	if n.Power > 0 {
		return fitted
	}
	return howNames[n.ByTime]
}

// Nodes that are not components.
const (
	smallCalls     = -1 // the sum of calls that are too small to be drawn
	unknownCallers = -2 // above components that no sample of the stack saw
)

// maxNodes limits the nodes that are drawn; the smallest are left out.
const maxNodes = 30_000

// newTree returns the call tree of a run; it is empty if the run has none.
func newTree(r *record.Run) tree {
	t := tree{Known: len(r.CallTree) > 0, Parent: []int{}, Component: []int{}, Cut: []int{}}
	if !t.Known {
		return t
	}
	energyJ, n := calltree.Own(r)
	for i, node := range r.CallTree {
		if node.Cut {
			t.Cut = append(t.Cut, len(t.Parent))
		}
		t.add(node.Parent, node.Component, node.TimeMS, energyJ[i], n[i], how(&node))
	}
	if unseen := calltree.Unseen(r); len(unseen) > 0 {
		above := len(t.Parent)
		t.add(-1, unknownCallers, 0, 0, 0, 0)
		for _, u := range unseen {
			t.add(above, u.Component, u.TimeMS, u.EnergyJ, r.Components[u.Component].N, 0)
		}
	}
	t = t.pruned(maxNodes)
	if !slices.ContainsFunc(t.How, func(how int) bool { return how != 0 }) {
		t.How = nil
	}
	return t
}

func (t *tree) add(parent, component int, timeMS, energyJ, n float64, how int) {
	t.Parent, t.Component = append(t.Parent, parent), append(t.Component, component)
	t.TimeMS, t.EnergyJ, t.N = append(t.TimeMS, timeMS), append(t.EnergyJ, energyJ), append(t.N, n)
	t.How = append(t.How, how)
}

// pruned keeps the nodes with the largest cumulative time. The values of the others are
// summed up in one node for each parent.
func (t *tree) pruned(most int) tree {
	if len(t.Parent) <= most {
		return *t
	}
	keep := t.largest(most)
	small := tree{Known: true, Parent: []int{}, Component: []int{}, Cut: []int{}}
	to, rest := make([]int, len(t.Parent)), make(map[int]int) // nodes of small; the rest by its parent
	for i, parent := range t.Parent {
		above := -1
		if parent >= 0 {
			above = to[parent]
		}
		switch at, known := rest[above]; {
		case keep[i]:
			to[i] = len(small.Parent)
			small.add(above, t.Component[i], t.TimeMS[i], t.EnergyJ[i], t.N[i], t.How[i])
			if _, is := slices.BinarySearch(t.Cut, i); is {
				small.Cut = append(small.Cut, to[i])
			}
			continue
		case parent >= 0 && !keep[parent]:
			to[i] = above // which is a rest
		case known:
			to[i] = at
		default:
			to[i], rest[above] = len(small.Parent), len(small.Parent)
			small.add(above, smallCalls, 0, 0, 0, 0)
		}
		small.TimeMS[to[i]] += t.TimeMS[i]
		small.EnergyJ[to[i]] += t.EnergyJ[i]
		small.N[to[i]] += t.N[i]
	}
	return small
}

// largest marks the nodes with the largest cumulative time. A parent's cumulative time
// includes its children's and ties go to the parent, so the parent of a marked node is
// marked.
func (t *tree) largest(most int) []bool {
	whole := slices.Clone(t.TimeMS)
	order := make([]int, len(whole))
	for i := len(whole) - 1; i >= 0; i-- {
		order[i] = i
		if parent := t.Parent[i]; parent >= 0 {
			whole[parent] += whole[i]
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(whole[j], whole[i]) })
	keep := make([]bool, len(whole))
	for _, i := range order[:most] {
		keep[i] = true
	}
	return keep
}
