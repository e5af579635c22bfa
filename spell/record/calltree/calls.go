package calltree

import (
	"cmp"
	"slices"

	"spell-lsp/spell/record"
)

// Calls holds callers and callees of every component of a run.
type Calls struct {
	callers, callees [][]Edge // by component
	totals           []Edge
	under            [][]Under // by component
}

// Callers lists the callers of a component by cost, the highest first: what the component
// and its callees used on behalf of each. Recursion counts once: calls of the component
// below itself are not listed. Unknown callers are not listed either. The list is empty
// if the run has no call tree.
func (c *Calls) Callers(component int) []Edge { return c.callers[component] }

// Callees lists the callees of a component by cost, the highest first. Recursion counts
// once here, too.
func (c *Calls) Callees(component int) []Edge { return c.callees[component] }

// Total is the cumulative cost of a component, recursion counted once. It includes calls
// from unknown callers. Shares of callers and callees refer to it.
func (c *Calls) Total(component int) Edge { return c.totals[component] }

// Of finds callers and callees of all components in one pass over the call
// tree.
func Of(r *record.Run) *Calls {
	w := callWalk{run: r, below: make([]int, len(r.Components)), of: make([]int, len(r.CallTree)), totals: make([]Edge, len(r.Components))}
	w.timeMS, w.energyJ = subtrees(r)
	numbers := map[edge]int{}
	for node := range r.CallTree {
		c := edge{callerOf(r, node), r.CallTree[node].Component}
		number, ok := numbers[c]
		if !ok {
			number = len(w.calls)
			numbers[c] = number
			w.calls = append(w.calls, edgeWalk{edge: c})
		}
		w.of[node] = number
	}
	walk(r, func(node int, enter bool) {
		if enter {
			w.enter(node)
		} else {
			w.leave(node)
		}
	})
	return w.result()
}

// An edge is a caller and a callee, as indices of components; the caller may be -1, which
// stands for code outside of all components.
type edge struct{ caller, callee int }

// An edgeWalk sums up an edge: for the list of callers over nodes that are not below
// another node of the callee, for the list of callees over nodes that are not below the
// same edge. So recursion counts once in either list.
type edgeWalk struct {
	edge
	asCaller edgeSum // of the callee
	asCallee edgeSum // of the caller
	open     int     // nodes of this edge above the current one
}

// An edgeSum is the sum of an edge; seen is false until something was added.
type edgeSum struct {
	edge Edge
	seen bool
}

// A callWalk visits a call tree from the roots, depth first.
type callWalk struct {
	run             *record.Run
	timeMS, energyJ []float64 // by node, cumulative
	below           []int     // by component: nodes of it above the current one
	of              []int     // index into calls, by node
	calls           []edgeWalk
	totals          []Edge // by component
}

func (w *callWalk) enter(node int) {
	c := &w.calls[w.of[node]]
	if w.below[c.callee] == 0 {
		total := &w.totals[c.callee]
		total.Component, total.TimeMS, total.EnergyJ = c.callee, total.TimeMS+w.timeMS[node], total.EnergyJ+w.energyJ[node]
		if !w.run.CallTree[node].Cut {
			c.asCaller.add(c.caller, w.timeMS[node], w.energyJ[node])
		}
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
	result := &Calls{callers: make([][]Edge, len(w.run.Components)), callees: make([][]Edge, len(w.run.Components)), totals: w.totals, under: underCallers(w.run)}
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
