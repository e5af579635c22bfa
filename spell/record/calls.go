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
	w := callWalk{
		run: r, below: make([]int, len(r.Components)), calling: map[pair]int{},
		callers: map[pair]*Edge{}, callees: map[pair]*Edge{},
	}
	w.timeMS, w.energyJ = r.subtrees()
	w.walk()
	return &Calls{
		callers: w.byComponent(w.callers, func(p pair) int { return p.callee }),
		callees: w.byComponent(w.callees, func(p pair) int { return p.caller }),
	}
}

// A pair is a call; the caller may be -1, which is no component.
type pair struct{ caller, callee int }

// A callWalk goes through a call tree from the roots, depth first.
type callWalk struct {
	run              *Run
	timeMS, energyJ  []float64    // of each node with all below it
	below            []int        // by component: how many nodes of it stand above
	calling          map[pair]int // how many nodes above were called so
	callers, callees map[pair]*Edge
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

func (w *callWalk) pairOf(node int) pair {
	return pair{w.run.callerOf(node), w.run.CallTree[node].Component}
}

func (w *callWalk) enter(node int) {
	p := w.pairOf(node)
	if w.below[p.callee] == 0 {
		w.add(w.callers, p, p.caller, node)
	}
	if p.caller >= 0 && p.caller != p.callee && w.calling[p] == 0 {
		w.add(w.callees, p, p.callee, node)
	}
	w.below[p.callee]++
	w.calling[p]++
}

func (w *callWalk) leave(node int) {
	p := w.pairOf(node)
	w.below[p.callee]--
	w.calling[p]--
}

func (w *callWalk) add(to map[pair]*Edge, p pair, name, node int) {
	e := to[p]
	if e == nil {
		e = &Edge{Component: name}
		to[p] = e
	}
	e.TimeMS += w.timeMS[node]
	e.EnergyJ += w.energyJ[node]
}

func (w *callWalk) byComponent(edges map[pair]*Edge, of func(pair) int) [][]Edge {
	lists := make([][]Edge, len(w.run.Components))
	for p, e := range edges {
		lists[of(p)] = append(lists[of(p)], *e)
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b Edge) int {
			return cmp.Or(cmp.Compare(b.EnergyJ, a.EnergyJ), cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Component, b.Component))
		})
	}
	return lists
}
