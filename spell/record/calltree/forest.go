package calltree

import (
	"cmp"
	"slices"

	"spell-lsp/spell/record"
)

// A Forest merges call trees: nodes with the same stack of components become one. The zero
// value is empty.
type Forest struct {
	nodes []record.CallNode
	at    map[call]int // index of its node
}

// A call identifies a node among its siblings.
type call struct {
	parent, component int
	cut               bool
}

// Add adds nodes, each of which stands behind its parent, with their times multiplied by
// weight. of maps their components; a negative result leaves a node out, so that its
// callees become those of its parent. A caller and a callee that map to the same component
// become one node.
func (f *Forest) Add(nodes []record.CallNode, weight float64, of func(component int) int) {
	if f.at == nil {
		f.at = make(map[call]int)
	}
	to, cut := make([]int, len(nodes)), make([]bool, len(nodes))
	for i, n := range nodes {
		parent := -1
		cut[i] = n.Cut
		if n.Parent >= 0 {
			parent, cut[i] = to[n.Parent], cut[n.Parent]
		}
		component := of(n.Component)
		to[i] = f.place(call{parent, component, cut[i] && parent < 0})
		if component >= 0 {
			f.nodes[to[i]].TimeMS += n.TimeMS * weight
		}
	}
}

// place is the index of a call's node.
func (f *Forest) place(c call) int {
	if c.component < 0 || c.parent >= 0 && f.nodes[c.parent].Component == c.component {
		return c.parent
	}
	at, known := f.at[c]
	if !known {
		at = len(f.nodes)
		f.at[c] = at
		f.nodes = append(f.nodes, record.CallNode{Parent: c.parent, Component: c.component, Cut: c.cut})
	}
	return at
}

// Nodes lists the merged nodes: each behind its parent, siblings by component. Subtrees
// without time are left out.
func (f *Forest) Nodes() []record.CallNode {
	timeMS := make([]float64, len(f.nodes)) // cumulative
	for i := len(f.nodes) - 1; i >= 0; i-- {
		timeMS[i] += f.nodes[i].TimeMS
		if parent := f.nodes[i].Parent; parent >= 0 {
			timeMS[parent] += timeMS[i]
		}
	}
	first, next := links(f.nodes)
	var list []record.CallNode
	var open []int
	push := func(above int) {
		from := len(open)
		for i := first[above+1]; i >= 0; i = next[i] {
			if timeMS[i] > 0 {
				open = append(open, i)
			}
		}
		slices.SortFunc(open[from:], func(a, b int) int { return compareSiblings(f.nodes[b], f.nodes[a]) })
	}
	at := make([]int, len(f.nodes)) // in the list
	for push(-1); len(open) > 0; {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		n := f.nodes[i]
		if n.Parent >= 0 {
			n.Parent = at[n.Parent]
		}
		at[i] = len(list)
		list = append(list, n)
		push(i)
	}
	return list
}

// compareSiblings orders nodes of one parent.
func compareSiblings(n, o record.CallNode) int {
	switch {
	case n.Component != o.Component:
		return cmp.Compare(n.Component, o.Component)
	case n.Cut:
		return 1
	}
	return -1
}
