package record

import (
	"fmt"

	"spell-lsp/spell"
)

// A CallNode is a component that was seen on the stack above what called it:
// the nodes of a run are a forest, whose roots were called by what is no
// component, as a test or the start of a goroutine. What a component used divides
// among its nodes as their time does. What is no component is left out: its callees
// are those of the component below it. A component that calls itself, without
// another in between, is one node.
type CallNode struct {
	Parent    int     `json:"p"`             // index of the caller's node, less than its own; -1 of a root
	Component int     `json:"c"`             // index into Run.Components; a block's time is its function's
	TimeMS    float64 `json:"time_ms"`       // CPU time per round for which it was on top; 0 if it only called others
	Cut       bool    `json:"cut,omitempty"` // of a root: what called it is not known, as the stack was too deep, or not whole
}

// An Edge is what one component used on behalf of another, with its own
// callees. It rests on samples of the stack: what no sample saw has none.
type Edge struct {
	Component int // index into Run.Components; -1 is what is no component
	TimeMS    float64
	EnergyJ   float64 // all domains together
}

// Callers lists who called a component, those on whose behalf it used most
// first. Recursion counts once: calls of the component below itself are not
// listed. Neither are callers that are not known. It is empty where the run has no
// call tree.
func (r *Run) Callers(component int) []Edge { return r.Calls().Callers(component) }

// Callees lists what a component called, those that used most on its behalf
// first. Recursion counts once here, too.
func (r *Run) Callees(component int) []Edge { return r.Calls().Callees(component) }

func (r *Run) callerOf(node int) int {
	if parent := r.CallTree[node].Parent; parent >= 0 {
		return r.CallTree[parent].Component
	}
	return -1
}

// walk visits each node before all below it, and once more behind them. Trees may
// be as deep as they have nodes: it is no recursion.
func (r *Run) walk(visit func(node int, enter bool)) {
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

// links are the lists of the nodes with one parent: the first is at its index + 1,
// and -1 behind the last.
func links(nodes []CallNode) (first, next []int) {
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

// subtrees gives time and energy of each node with all below it.
func (r *Run) subtrees() (timeMS, energyJ []float64) {
	energyJ, _ = r.CallTreeOwn()
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

// CallTreeOwn gives what each node of the call tree used itself: joules of all
// domains together and executions, per round. Those of a component divide among its
// nodes as its time does, of which only the time is known; a function's joules are
// with those of its blocks.
func (r *Run) CallTreeOwn() (energyJ, n []float64) {
	seen := make([]float64, len(r.Components))
	for _, node := range r.CallTree {
		seen[node.Component] += node.TimeMS
	}
	_, joules := r.withBlocks()
	energyJ, n = make([]float64, len(r.CallTree)), make([]float64, len(r.CallTree))
	for i, node := range r.CallTree {
		if all := seen[node.Component]; all > 0 {
			energyJ[i] = joules[node.Component] * (node.TimeMS / all)
			n[i] = r.Components[node.Component].N * (node.TimeMS / all)
		}
	}
	return energyJ, n
}

// Unseen lists the components that used something which no node of the call tree
// has, as no sample saw them. Blocks are seen in their functions.
func (r *Run) Unseen() []Edge {
	seen := make([]float64, len(r.Components))
	for _, node := range r.CallTree {
		seen[node.Component] += node.TimeMS
	}
	timeMS, energyJ := r.withBlocks()
	var list []Edge
	for i := range r.Components {
		if seen[i] == 0 && (timeMS[i] > 0 || energyJ[i] > 0) {
			list = append(list, Edge{i, timeMS[i], energyJ[i]})
		}
	}
	return list
}

// withBlocks gives own time and energy of each component, a function's with those
// of its blocks.
func (r *Run) withBlocks() (timeMS, energyJ []float64) {
	timeMS, energyJ = make([]float64, len(r.Components)), make([]float64, len(r.Components))
	function := r.Functions()
	for i := range r.Components {
		timeMS[function[i]] += r.Components[i].TimeMS
		energyJ[function[i]] += r.Components[i].EnergyJ.Total()
	}
	return timeMS, energyJ
}

// Functions gives for each component the one in whose nodes its time is: for a
// block its function, if that is a component, for any other itself.
func (r *Run) Functions() []int {
	of := make([]int, len(r.Components))
	sources, blocks := make([]spell.Component, len(r.Components)), false
	for i := range of {
		of[i], sources[i] = i, r.Components[i].source()
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

// SetCallTree gives the run who called whom, as samples say it, whose times need
// not be those of the run: the nodes of each component are scaled to its own time.
// Components are those of the run as they are now.
func (r *Run) SetCallTree(nodes []CallNode) {
	r.CallTree = nodes
	own, _ := r.withBlocks()
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

func checkCallTree(r *Run) error {
	for i, n := range r.CallTree {
		at := place{"call_tree", i}
		if n.Parent < -1 || n.Parent >= i {
			return &fault{at.path("p"), fmt.Sprintf("is %d, must be the index of a node before it, or -1", n.Parent)}
		}
		if n.Cut && n.Parent >= 0 {
			return &fault{at.path("cut"), "is true of a node that has a caller, must be of one that has none"}
		}
		err := firstError(
			inList(at, "c", n.Component, len(r.Components), "components"),
			checkValue(at, "time_ms", n.TimeMS),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
