package record

import (
	"cmp"
	"slices"
)

// Calls is who called whom in a run, of all components at once.
type Calls struct {
	callers, callees [][]Edge // by component
}

// Callers are those of Run.Callers.
func (c *Calls) Callers(component int) []Edge { return c.callers[component] }

// Callees are those of Run.Callees.
func (c *Calls) Callees(component int) []Edge { return c.callees[component] }

// Calls finds callers and callees of all components in one pass over the call
// tree.
func (r *Run) Calls() *Calls {
	w := callWalk{run: r, below: make([]int, len(r.Components)), of: make([]int, len(r.CallTree))}
	w.timeMS, w.energyJ = r.subtrees()
	numbers := map[[2]int]int{}
	for node := range r.CallTree {
		c := [2]int{r.callerOf(node), r.CallTree[node].Component}
		number, ok := numbers[c]
		if !ok {
			number = len(w.calls)
			numbers[c] = number
			w.calls = append(w.calls, call{caller: c[0], callee: c[1]})
		}
		w.of[node] = number
	}
	w.walk()
	return w.result()
}

// A call is a pair of components, with what the callee used where it is not
// below itself, and where it is not below the same call.
type call struct {
	caller, callee int     // the caller may be -1, which is no component
	asCaller       edgeSum // of the callee
	asCallee       edgeSum // of the caller
	open           int     // how many nodes above were called so
}

// An edgeSum is an edge, once something was added.
type edgeSum struct {
	edge Edge
	seen bool
}

// A callWalk goes through a call tree from the roots, depth first.
type callWalk struct {
	run             *Run
	timeMS, energyJ []float64 // of each node with all below it
	below           []int     // by component: how many nodes of it stand above
	of              []int     // index into calls, by node
	calls           []call
}

func (w *callWalk) walk() {
	first, next := w.run.children()
	at := first[0]
	var path []int
	for at >= 0 || len(path) > 0 {
		if at >= 0 {
			w.enter(at)
			path = append(path, at)
			at = first[at+1]
			continue
		}
		done := path[len(path)-1]
		path = path[:len(path)-1]
		w.leave(done)
		at = next[done]
	}
}

// children gives the first child of each node, at its index plus 1, that of no
// node at 0, and the next child of the same parent; -1 for none.
func (r *Run) children() (first, next []int) {
	first, next = make([]int, len(r.CallTree)+1), make([]int, len(r.CallTree))
	for i := range first {
		first[i] = -1
	}
	for i := len(r.CallTree) - 1; i >= 0; i-- {
		parent := r.CallTree[i].Parent + 1
		next[i], first[parent] = first[parent], i
	}
	return first, next
}

func (w *callWalk) enter(node int) {
	c := &w.calls[w.of[node]]
	if w.below[c.callee] == 0 {
		c.asCaller.add(c.caller, w.timeMS[node], w.energyJ[node])
	}
	if c.caller >= 0 && c.caller != c.callee && c.open == 0 {
		c.asCallee.add(c.callee, w.timeMS[node], w.energyJ[node])
	}
	w.below[c.callee]++
	c.open++
}

func (w *callWalk) leave(node int) {
	c := &w.calls[w.of[node]]
	w.below[c.callee]--
	c.open--
}

func (s *edgeSum) add(component int, timeMS, energyJ float64) {
	s.edge.Component = component
	s.edge.TimeMS += timeMS
	s.edge.EnergyJ += energyJ
	s.seen = true
}

func (w *callWalk) result() *Calls {
	result := &Calls{callers: make([][]Edge, len(w.run.Components)), callees: make([][]Edge, len(w.run.Components))}
	for i := range w.calls {
		c := &w.calls[i]
		if c.asCaller.seen {
			result.callers[c.callee] = append(result.callers[c.callee], c.asCaller.edge)
		}
		if c.asCallee.seen {
			result.callees[c.caller] = append(result.callees[c.caller], c.asCallee.edge)
		}
	}
	for i := range w.run.Components {
		slices.SortFunc(result.callers[i], mostFirst)
		slices.SortFunc(result.callees[i], mostFirst)
	}
	return result
}

func mostFirst(a, b Edge) int {
	return cmp.Or(cmp.Compare(b.EnergyJ, a.EnergyJ), cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Component, b.Component))
}
