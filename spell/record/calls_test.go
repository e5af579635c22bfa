package record

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
)

// randomCalls is a run with a call tree of that many nodes, in which recursion
// of all kinds is frequent.
func randomCalls(random *rand.Rand, components, nodes int) *Run {
	r := &Run{}
	for i := range components {
		r.Components = append(r.Components, Component{ID: fmt.Sprint("p.F", i), EnergyJ: Energy{spell.CPU: random.Float64()}})
	}
	for i := range nodes {
		r.CallTree = append(r.CallTree, CallNode{Parent: random.IntN(i+1) - 1, Component: random.IntN(components), TimeMS: float64(random.IntN(4))})
	}
	return r
}

// One pass over the tree must say of every component what the search for one
// says, recursion counted once.
func TestCallsAreThoseOfEachComponent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	near := cmp.Options{ // sums in another order differ in the last bits, which can change the order of equals
		cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b Edge) bool { return a.Component < b.Component }),
	}
	for range 200 {
		r := randomCalls(random, 1+random.IntN(6), random.IntN(60))
		all := r.Calls()
		for c := range r.Components {
			if diff := cmp.Diff(r.Callers(c), all.Callers(c), near); diff != "" {
				t.Fatalf("callers of %d in %v (-one +all):\n%s", c, r.CallTree, diff)
			}
			if diff := cmp.Diff(r.Callees(c), all.Callees(c), near); diff != "" {
				t.Fatalf("callees of %d in %v (-one +all):\n%s", c, r.CallTree, diff)
			}
		}
	}
}

func BenchmarkCalls(b *testing.B) {
	r := randomCalls(rand.New(rand.NewPCG(3, 4)), 100_000, 100_000)
	for b.Loop() {
		r.Calls()
	}
}
