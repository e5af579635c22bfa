// Package calltree says who called whom in a run, as samples of the stack saw it:
// callers and callees with what they used on each other's behalf, what each node used
// itself, and several trees as one. It takes no samples.
package calltree

import (
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// An Edge is the cumulative cost of one component on behalf of another. It rests on
// samples of the stack: calls that no sample saw have no edge.
type Edge struct {
	Component int // index into Run.Components; -1 stands for code outside of all components
	TimeMS    float64
	EnergyJ   float64 // all domains together
}

func callerOf(r *record.Run, node int) int {
	if parent := r.CallTree[node].Parent; parent >= 0 {
		return r.CallTree[parent].Component
	}
	return -1
}

// walk visits each node before its descendants (enter) and again after them. It is not
// recursive, as a tree may be as deep as it has nodes.
func walk(r *record.Run, visit func(node int, enter bool)) {
	first, next := links(r.CallTree)
	var open []int // nodes to enter; those to leave are their complement
	push := func(above int) {
		for i := first[above+1]; i >= 0; i = next[i] {
			open = append(open, i)
		}
	}
	for push(-1); len(open) > 0; {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if i < 0 {
			visit(^i, false)
			continue
		}
		visit(i, true)
		open = append(open, ^i)
		push(i)
	}
}

// links returns the children of each node as linked lists: first[parent+1] is the first
// child, next[i] the sibling behind i; -1 ends a list.
func links(nodes []record.CallNode) (first, next []int) {
	first, next = make([]int, len(nodes)+1), make([]int, len(nodes))
	for i := range first {
		first[i] = -1
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		above := nodes[i].Parent + 1
		next[i], first[above] = first[above], i
	}
	return first, next
}

// subtrees gives cumulative time and energy by node.
func subtrees(r *record.Run) (timeMS, energyJ []float64) {
	energyJ, _ = Own(r)
	timeMS = make([]float64, len(r.CallTree))
	for i := len(r.CallTree) - 1; i >= 0; i-- {
		n := r.CallTree[i]
		timeMS[i] += n.TimeMS
		if n.Parent >= 0 {
			timeMS[n.Parent] += timeMS[i]
			energyJ[n.Parent] += energyJ[i]
		}
	}
	return timeMS, energyJ
}

// Own gives the self values of each node: joules of all domains together, and executions,
// per round. Samples tell only the time of a node, so executions of a component are divided
// among its nodes in proportion to their time, and energy in proportion to time and power, see
// record.CallNode. The joules of a function include those of its blocks.
func Own(r *record.Run) (energyJ, n []float64) {
	seen, used := make([]float64, len(r.Components)), make([]float64, len(r.Components))
	for _, node := range r.CallTree {
		seen[node.Component] += node.TimeMS
		used[node.Component] += node.TimeMS * node.RelativePower()
	}
	_, joules := OwnOfFunctions(r)
	energyJ, n = make([]float64, len(r.CallTree)), make([]float64, len(r.CallTree))
	for i, node := range r.CallTree {
		if all := seen[node.Component]; all > 0 {
			energyJ[i] = joules[node.Component] * (node.TimeMS * node.RelativePower() / used[node.Component])
			n[i] = r.Components[node.Component].N * (node.TimeMS / all)
		}
	}
	return energyJ, n
}

// Unseen lists the components with time or energy that no sample saw, so that no node of
// the call tree has them. Blocks are seen in their functions.
func Unseen(r *record.Run) []Edge {
	seen := make([]float64, len(r.Components))
	for _, node := range r.CallTree {
		seen[node.Component] += node.TimeMS
	}
	timeMS, energyJ := OwnOfFunctions(r)
	var list []Edge
	for i := range r.Components {
		if seen[i] == 0 && (timeMS[i] > 0 || energyJ[i] > 0) {
			list = append(list, Edge{i, timeMS[i], energyJ[i]})
		}
	}
	return list
}

// OwnOfFunctions gives self time and self energy by component; those of a function
// include its blocks.
func OwnOfFunctions(r *record.Run) (timeMS, energyJ []float64) {
	timeMS, energyJ = make([]float64, len(r.Components)), make([]float64, len(r.Components))
	function := Functions(r)
	for i := range r.Components {
		timeMS[function[i]] += r.Components[i].TimeMS
		energyJ[function[i]] += r.Components[i].EnergyJ.Total()
	}
	return timeMS, energyJ
}

// Functions gives, by component, the component whose nodes have its time: the function of
// a block, if that is a component, else the component itself.
func Functions(r *record.Run) []int {
	of := make([]int, len(r.Components))
	sources, blocks := r.Sources(), false
	for i := range of {
		of[i] = i
		blocks = blocks || sources[i].Kind == spell.KindBlock
	}
	if !blocks {
		return of
	}
	groups, group := spell.Group(sources, spell.KindFunction)
	at := make(map[string]int, len(of))
	for i := range sources {
		at[sources[i].ID] = i
	}
	for i := range of {
		if function, known := at[groups[group[i]].ID]; known {
			of[i] = function
		}
	}
	return of
}

// Set gives the run a call tree that samples saw. Times of samples differ from the
// measured ones, so the nodes of each component are scaled to its self time. Components
// of nodes are indices into the run as it is now.
func Set(r *record.Run, nodes []record.CallNode) {
	r.CallTree = nodes
	own, _ := OwnOfFunctions(r)
	seen := make([]float64, len(r.Components))
	for _, n := range nodes {
		seen[n.Component] += n.TimeMS
	}
	for i, n := range nodes {
		if n.TimeMS > 0 {
			nodes[i].TimeMS = own[n.Component] * (n.TimeMS / seen[n.Component])
		}
	}
}
