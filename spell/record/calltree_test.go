package record_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Components of the trees below.
const (
	add, oldest, sort, sell = iota, 1, 2, 3
	none                    = -1
)

// calling is town, in which Add is called by Sell for 3 ms, by itself within Oldest
// for 1 ms, and by a test for 0.
func calling() *record.Run {
	r := town()
	r.CallTree = []record.CallNode{
		{Parent: -1, Component: sell, TimeMS: 7},
		{Parent: 0, Component: add, TimeMS: 3},
		{Parent: 0, Component: sort, TimeMS: 20},
		{Parent: -1, Component: sort},
		{Parent: 3, Component: oldest},
		{Parent: 4, Component: sort, TimeMS: 10},
		{Parent: 5, Component: add, TimeMS: 1},
	}
	return r
}

// Whoever looks at a function asks who made it costly, and what it spent on whom.
// Recursion must not count twice: Sort below itself is no caller of Sort.
func TestCallersAndCallees(t *testing.T) {
	r := calling()
	for _, test := range []struct {
		name      string
		got, want []record.Edge
	}{
		{"callers of Add", r.Callers(add), []record.Edge{{sell, 3, 1.25 * 3 / 4}, {sort, 1, 1.25 / 4}}},
		{"callers of Sort", r.Callers(sort), []record.Edge{{sell, 20, 3.5 * 2 / 3}, {none, 11, 3.5/3 + 1.25/4}}},
		{"callers of Oldest", r.Callers(oldest), []record.Edge{{sort, 11, 3.5/3 + 1.25/4}}},
		{"callers of Sell", r.Callers(sell), []record.Edge{{none, 30, 0.75 + 1.25*3/4 + 3.5*2/3}}},
		{"callees of Sell", r.Callees(sell), []record.Edge{{sort, 20, 3.5 * 2 / 3}, {add, 3, 1.25 * 3 / 4}}},
		{"callees of Sort", r.Callees(sort), []record.Edge{{oldest, 11, 3.5/3 + 1.25/4}, {add, 1, 1.25 / 4}}},
		{"callees of Add", r.Callees(add), nil},
		{"callers where nothing is known", town().Callers(add), nil},
		{"callees where nothing is known", town().Callees(add), nil},
	} {
		if diff := cmp.Diff(test.want, test.got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A calls C through B, which calls C again below itself: C counts once as what B
// called, with all that is below it.
func TestCalleesOfRecursion(t *testing.T) {
	r := calling()
	r.CallTree = []record.CallNode{
		{Parent: -1, Component: add},
		{Parent: 0, Component: sort, TimeMS: 1},
		{Parent: 1, Component: add, TimeMS: 2},
		{Parent: 2, Component: sort, TimeMS: 4},
		{Parent: 2, Component: oldest, TimeMS: 8},
		{Parent: -1, Component: add, TimeMS: 16},
		{Parent: 5, Component: sort, TimeMS: 32},
	}
	got := make(map[int]float64)
	for _, e := range r.Callees(add) {
		got[e.Component] = e.TimeMS
	}
	if diff := cmp.Diff(map[int]float64{sort: 47, oldest: 8}, got); diff != "" {
		t.Errorf("time of callees (-want +got):\n%s", diff)
	}
}

// The callers of a stack that was too deep are not known: they are not "no
// component", or a deep recursion would seem to begin in the tests.
func TestCallersOfCutStacksAreUnknown(t *testing.T) {
	r := calling()
	r.CallTree = []record.CallNode{{Parent: -1, Component: sort, TimeMS: 5, Cut: true}, {Parent: 0, Component: add, TimeMS: 1}, {Parent: -1, Component: sort, TimeMS: 1}}
	if got := r.Callers(sort); len(got) != 1 || got[0].Component != none || got[0].TimeMS != 1 {
		t.Errorf("callers of Sort are %+v, want no component for 1 ms", got)
	}
	if got := r.Callers(add); len(got) != 1 || got[0].Component != sort {
		t.Errorf("callers of Add are %+v, want Sort", got)
	}
}

// An analysis puts the components into another order: the tree must say the same of
// them, in this run and in those that it was made of.
func TestAnalysisKeepsCalls(t *testing.T) {
	r := calling()
	before := r.CallTree
	want := named(r)
	r.Analyze(spell.Options{}, false)
	if r.Components[add].ID == "example.com/park.(*Park).Add" {
		t.Fatal("the order is the same: this test shows nothing")
	}
	if diff := cmp.Diff(want, named(r)); diff != "" {
		t.Errorf("calls after an analysis (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(calling().CallTree, before); diff != "" {
		t.Errorf("the tree that another run may share was written (-want +got):\n%s", diff)
	}
}

// named are the nodes of a tree, each with all above it.
func named(r *record.Run) []string {
	stacks := make([]string, len(r.CallTree))
	lines := make([]string, len(r.CallTree))
	for i, n := range r.CallTree {
		stacks[i] = r.Components[n.Component].ID
		if n.Parent >= 0 {
			stacks[i] = stacks[n.Parent] + " " + stacks[i]
		}
		lines[i] = strings.ReplaceAll(fmt.Sprint(stacks[i], " ", n.TimeMS, " ", n.Cut), "example.com/park", "park")
	}
	return lines
}

// Of packages, the calls between them are left.
func TestRegroupedCalls(t *testing.T) {
	g, err := calling().Regroup(spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"park 11 false", "park/shop 7 false", "park/shop park 23 false"}
	if diff := cmp.Diff(want, named(g)); diff != "" {
		t.Errorf("calls by package (-want +got):\n%s", diff)
	}
	g.Analyze(spell.Options{}, false)
	written(t, g)
}

// Samples are few, and see the probes too. What is said of a component must add up
// to its own time; of a function whose blocks are components, to that of both.
func TestCallTimesAreThoseOfTheRun(t *testing.T) {
	r := town()
	r.Granularity = spell.KindBlock
	r.Components[oldest] = record.Component{ID: r.Components[sort].ID + "#for1", Kind: spell.KindBlock, Package: "example.com/park", File: "park.go", TimeMS: 10, EnergyJ: joules(1, 0)}
	r.SetCallTree([]record.CallNode{
		{Parent: -1, Component: sell, TimeMS: 2}, {Parent: 0, Component: sort, TimeMS: 5}, {Parent: -1, Component: sort, TimeMS: 15}, {Parent: 2, Component: add},
	})
	var got []float64
	for _, n := range r.CallTree {
		got = append(got, n.TimeMS)
	}
	if diff := cmp.Diff([]float64{7, 10, 30, 0}, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	if e := r.Callers(sort); len(e) != 2 || e[0].Component != none || math.Abs(e[0].EnergyJ-4.5*3/4) > 1e-12 {
		t.Errorf("callers of Sort are %+v, want three quarters of the 4.5 J of it and its block without a component", e)
	}
}

// Trees of rounds and tests are put together: the same stack is one node, in one
// order, whichever came first. What took no time is left out.
func TestForestsAreMerged(t *testing.T) {
	first := []record.CallNode{{Parent: -1, Component: 2, TimeMS: 1}, {Parent: 0, Component: 1, TimeMS: 2}, {Parent: 0, Component: 0}}
	second := []record.CallNode{
		{Parent: -1, Component: 5}, {Parent: 0, Component: 2, TimeMS: 4}, {Parent: 1, Component: 1, TimeMS: 8},
		{Parent: -1, Component: 2, TimeMS: 16, Cut: true}, {Parent: -1, Component: 5, Cut: true}, {Parent: 4, Component: 5}, {Parent: 5, Component: 1, TimeMS: 32},
		{Parent: 2, Component: 1, TimeMS: 64},
	}
	want := []record.CallNode{
		{Parent: -1, Component: 1, TimeMS: 16, Cut: true},
		{Parent: -1, Component: 2, TimeMS: 3}, {Parent: 1, Component: 1, TimeMS: 38},
		{Parent: -1, Component: 2, TimeMS: 8, Cut: true},
	}
	of := func(component int) int { // 5 is none
		if component == 5 {
			return -1
		}
		return component
	}
	for range 2 {
		var f record.CallForest
		f.Add(first, 1, of)
		f.Add(second, 0.5, of)
		if diff := cmp.Diff(want, f.Nodes()); diff != "" {
			t.Errorf("forest (-want +got):\n%s", diff)
		}
		first, second = second, first
		for i := range first {
			first[i].TimeMS /= 2
		}
		for i := range second {
			second[i].TimeMS *= 2
		}
	}
	var nothing record.CallForest
	if got := nothing.Nodes(); got != nil {
		t.Errorf("nothing is %v", got)
	}
}

// deep has a tree of n nodes one below the other, of two components in turns, and
// as many beside them.
func deep(n int) *record.Run {
	r := town()
	for i := range n {
		r.CallTree = append(r.CallTree, record.CallNode{Parent: i - 1, Component: i % 2, TimeMS: 1})
	}
	for i := range n {
		r.CallTree = append(r.CallTree, record.CallNode{Parent: i, Component: 2, TimeMS: 1})
	}
	return r
}

// A file may have a tree as deep as it has nodes: that shall neither take minutes
// nor end the program.
func TestCallersOfDeepTrees(t *testing.T) {
	const n = 500_000
	r := deep(n)
	if got := r.Callers(0); len(got) != 1 || got[0].TimeMS != 2*n {
		t.Errorf("callers are %+v, want none for all time", got)
	}
	callees := r.Callees(0)
	if len(callees) != 2 || callees[0].TimeMS+callees[1].TimeMS != 2*n-2+n/2 {
		t.Errorf("callees are %+v", callees)
	}
}

func BenchmarkCallers(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		r := deep(n / 2)
		b.Run(fmt.Sprintf("%d nodes/callers", n), func(b *testing.B) {
			for b.Loop() {
				r.Callers(2)
			}
		})
		b.Run(fmt.Sprintf("%d nodes/callees", n), func(b *testing.B) {
			for b.Loop() {
				r.Callees(0)
			}
		})
	}
}
