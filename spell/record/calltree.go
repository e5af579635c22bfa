package record

import (
	"cmp"
	"slices"
)

// A CallNode is a component that was seen on the stack above what called it:
// the nodes of a run are a forest, whose roots were called by what is no
// component, as a test. What a component used divides among its nodes as their
// time does.
type CallNode struct {
	Parent    int     `json:"p"`       // index of the caller's node, less than its own; -1 of a root
	Component int     `json:"c"`       // index into Run.Components
	TimeMS    float64 `json:"time_ms"` // CPU time per round for which it was on top; 0 if it only called others
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
// listed. It is empty where the run has no call tree.
func (r *Run) Callers(component int) []Edge {
	return r.edges(func(node int, above func(caller, callee int) bool) (int, bool) {
		n := r.CallTree[node]
		return r.callerOf(node), n.Component == component && !above(-2, component)
	})
}

// Callees lists what a component called, those that used most on its behalf
// first; see Callers.
func (r *Run) Callees(component int) []Edge {
	return r.edges(func(node int, above func(caller, callee int) bool) (int, bool) {
		callee := r.CallTree[node].Component
		counts := callee != component && r.callerOf(node) == component && !above(component, callee)
		return callee, counts
	})
}

func (r *Run) callerOf(node int) int {
	if parent := r.CallTree[node].Parent; parent >= 0 {
		return r.CallTree[parent].Component
	}
	return -1
}

// edges sums up the subtrees of the nodes that count, by what pick says they
// are to be called. Pick may ask whether a node above is of a callee, called by
// the caller if that is not -2.
func (r *Run) edges(pick func(node int, above func(caller, callee int) bool) (name int, counts bool)) []Edge {
	timeMS, energyJ := r.subtrees()
	sums := map[int]*Edge{}
	for node := range r.CallTree {
		above := func(caller, callee int) bool {
			for up := r.CallTree[node].Parent; up >= 0; up = r.CallTree[up].Parent {
				if r.CallTree[up].Component == callee && (caller == -2 || r.callerOf(up) == caller) {
					return true
				}
			}
			return false
		}
		name, counts := pick(node, above)
		if !counts {
			continue
		}
		if sums[name] == nil {
			sums[name] = &Edge{Component: name}
		}
		sums[name].TimeMS += timeMS[node]
		sums[name].EnergyJ += energyJ[node]
	}
	list := make([]Edge, 0, len(sums))
	for _, e := range sums {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.EnergyJ, a.EnergyJ), cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Component, b.Component))
	})
	return list
}

// subtrees gives time and energy of each node with all below it.
func (r *Run) subtrees() (timeMS, energyJ []float64) {
	of := make(map[int]float64)
	for _, n := range r.CallTree {
		of[n.Component] += n.TimeMS
	}
	timeMS, energyJ = make([]float64, len(r.CallTree)), make([]float64, len(r.CallTree))
	for i := len(r.CallTree) - 1; i >= 0; i-- {
		n := r.CallTree[i]
		timeMS[i] += n.TimeMS
		if all := of[n.Component]; all > 0 {
			energyJ[i] += r.Components[n.Component].EnergyJ.Total() * n.TimeMS / all
		}
		if n.Parent >= 0 {
			timeMS[n.Parent] += timeMS[i]
			energyJ[n.Parent] += energyJ[i]
		}
	}
	return timeMS, energyJ
}
