package calltree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// randomCalls is a run with a call tree of that many nodes, in which recursion
// of all kinds is frequent.
func randomCalls(random *rand.Rand, components, nodes int) *record.Run {
	r := &record.Run{}
	for i := range components {
		r.Components = append(r.Components, record.Component{ID: fmt.Sprint("p.F", i), EnergyJ: record.Energy{spell.CPU: random.Float64()}})
	}
	for i := range nodes {
		n := record.CallNode{Parent: random.IntN(i+1) - 1, Component: random.IntN(components), TimeMS: float64(random.IntN(4))}
		n.Cut = n.Parent < 0 && random.IntN(3) == 0
		r.CallTree = append(r.CallTree, n)
	}
	return r
}

// callsOf sums up, by the definition, the nodes of a component, of its callers
// and callees: those that are not below another one of the same kind.
func callsOf(r *record.Run, component int) (callers, callees []Edge, total Edge) {
	timeMS, energyJ := subtrees(r)
	above := func(node int, same func(node int) bool) bool {
		for up := r.CallTree[node].Parent; up >= 0; up = r.CallTree[up].Parent {
			if same(up) {
				return true
			}
		}
		return false
	}
	from, to := map[int]Edge{}, map[int]Edge{}
	for i, n := range r.CallTree {
		sum := func(e Edge, name int) Edge { return Edge{name, e.TimeMS + timeMS[i], e.EnergyJ + energyJ[i]} }
		caller := callerOf(r, i)
		if n.Component == component && !above(i, func(up int) bool { return r.CallTree[up].Component == component }) {
			total = sum(total, component)
			if !n.Cut {
				from[caller] = sum(from[caller], caller)
			}
		}
		called := func(up int) bool { return r.CallTree[up].Component == n.Component && callerOf(r, up) == component }
		if caller == component && n.Component != component && !above(i, called) {
			to[n.Component] = sum(to[n.Component], n.Component)
		}
	}
	return slices.Collect(maps.Values(from)), slices.Collect(maps.Values(to)), total
}

// One pass over the tree must say of every component what the definition says
// of it alone, recursion counted once.
func TestCallsAreThoseOfEachComponent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	near := cmp.Options{ // sums in another order differ in the last bits, which can change the order of equals
		cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b Edge) bool { return a.Component < b.Component }),
	}
	for range 200 {
		r := randomCalls(random, 1+random.IntN(6), random.IntN(60))
		all := Of(r)
		for c := range r.Components {
			callers, callees, total := callsOf(r, c)
			if diff := cmp.Diff(callers, all.Callers(c), near); diff != "" {
				t.Fatalf("callers of %d in %v (-want +got):\n%s", c, r.CallTree, diff)
			}
			if diff := cmp.Diff(callees, all.Callees(c), near); diff != "" {
				t.Fatalf("callees of %d in %v (-want +got):\n%s", c, r.CallTree, diff)
			}
			if diff := cmp.Diff(total, all.Total(c), near, cmpopts.IgnoreFields(Edge{}, "Component")); diff != "" {
				t.Fatalf("total of %d in %v (-want +got):\n%s", c, r.CallTree, diff)
			}
		}
	}
}

func BenchmarkCalls(b *testing.B) {
	r := randomCalls(rand.New(rand.NewPCG(3, 4)), 100_000, 100_000)
	for b.Loop() {
		Of(r)
	}
}
