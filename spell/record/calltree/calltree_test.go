package calltree_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
)

// Components of the trees below.
const (
	add, oldest, sort, sell = iota, 1, 2, 3
	none                    = -1
)

// calling is recordtest.Town, in which Add is called by Sell for 3 ms, by itself within Oldest
// for 1 ms, and by a test for 0.
func calling() *record.Run {
	r := recordtest.Town()
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
		got, want []calltree.Edge
	}{
		{"callers of Add", calltree.Of(r).Callers(add), []calltree.Edge{{sell, 3, 1.25 * 3 / 4}, {sort, 1, 1.25 / 4}}},
		{"callers of Sort", calltree.Of(r).Callers(sort), []calltree.Edge{{sell, 20, 3.5 * 2 / 3}, {none, 11, 3.5/3 + 1.25/4}}},
		{"callers of Oldest", calltree.Of(r).Callers(oldest), []calltree.Edge{{sort, 11, 3.5/3 + 1.25/4}}},
		{"callers of Sell", calltree.Of(r).Callers(sell), []calltree.Edge{{none, 30, 0.75 + 1.25*3/4 + 3.5*2/3}}},
		{"callees of Sell", calltree.Of(r).Callees(sell), []calltree.Edge{{sort, 20, 3.5 * 2 / 3}, {add, 3, 1.25 * 3 / 4}}},
		{"callees of Sort", calltree.Of(r).Callees(sort), []calltree.Edge{{oldest, 11, 3.5/3 + 1.25/4}, {add, 1, 1.25 / 4}}},
		{"callees of Add", calltree.Of(r).Callees(add), nil},
		{"callers where nothing is known", calltree.Of(recordtest.Town()).Callers(add), nil},
		{"callees where nothing is known", calltree.Of(recordtest.Town()).Callees(add), nil},
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
	for _, e := range calltree.Of(r).Callees(add) {
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
	if got := calltree.Of(r).Callers(sort); len(got) != 1 || got[0].Component != none || got[0].TimeMS != 1 {
		t.Errorf("callers of Sort are %+v, want no component for 1 ms", got)
	}
	if got := calltree.Of(r).Callers(add); len(got) != 1 || got[0].Component != sort {
		t.Errorf("callers of Add are %+v, want Sort", got)
	}
}

// An analysis puts the components into another order: the tree must say the same of
// them, in this run and in those that it was made of.
func TestAnalysisKeepsCalls(t *testing.T) {
	r := calling()
	before := r.CallTree
	want := named(r)
	ranking.Analyze(r, spell.Options{}, false)
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
	g, err := grouping.Regroup(calling(), spell.KindPackage)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"park 11 false", "park/shop 7 false", "park/shop park 23 false"}
	if diff := cmp.Diff(want, named(g)); diff != "" {
		t.Errorf("calls by package (-want +got):\n%s", diff)
	}
	ranking.Analyze(g, spell.Options{}, false)
	written(t, g)
}

// Samples are few, and see the probes too. What is said of a component must add up
// to its own time; of a function whose blocks are components, to that of both.
func TestCallTimesAreThoseOfTheRun(t *testing.T) {
	r := recordtest.Town()
	r.Granularity = spell.KindBlock
	r.Components[oldest] = record.Component{ID: r.Components[sort].ID + "#for1", Kind: spell.KindBlock, Package: "example.com/park", File: "park.go", TimeMS: 10, EnergyJ: recordtest.Joules(1, 0)}
	calltree.Set(r, []record.CallNode{
		{Parent: -1, Component: sell, TimeMS: 2}, {Parent: 0, Component: sort, TimeMS: 5}, {Parent: -1, Component: sort, TimeMS: 15}, {Parent: 2, Component: add},
	})

	var got []float64
	for _, n := range r.CallTree {
		got = append(got, n.TimeMS)
	}
	if diff := cmp.Diff([]float64{7, 10, 30, 0}, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	if e := calltree.Of(r).Callers(sort); len(e) != 2 || e[0].Component != none || math.Abs(e[0].EnergyJ-4.5*3/4) > 1e-12 {
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
		var f calltree.Forest
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
	var nothing calltree.Forest
	if got := nothing.Nodes(); got != nil {
		t.Errorf("nothing is %v", got)
	}
}

// deep has a tree of n nodes one below the other, of two components in turns, and
// as many beside them.
func deep(n int) *record.Run {
	r := recordtest.Town()
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
	if got := calltree.Of(r).Callers(0); len(got) != 1 || got[0].TimeMS != 2*n {
		t.Errorf("callers are %+v, want none for all time", got)
	}
	callees := calltree.Of(r).Callees(0)
	if len(callees) != 2 || callees[0].TimeMS+callees[1].TimeMS != 2*n-2+n/2 {
		t.Errorf("callees are %+v", callees)
	}
}

func BenchmarkCallers(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		r := deep(n / 2)
		b.Run(fmt.Sprintf("%d nodes/callers", n), func(b *testing.B) {
			for b.Loop() {
				calltree.Of(r).Callers(2)
			}
		})
		b.Run(fmt.Sprintf("%d nodes/callees", n), func(b *testing.B) {
			for b.Loop() {
				calltree.Of(r).Callees(0)
			}
		})
	}
}

// The widths of a flame graph: what a component used is all of it there, once.
func TestCallTreeOwn(t *testing.T) {
	r := calling()
	energyJ, n := calltree.Own(r)
	near := cmpopts.EquateApprox(1e-12, 0)
	if diff := cmp.Diff([]float64{0.75, 1.25 * 3 / 4, 3.5 * 2 / 3, 0, 0, 3.5 / 3, 1.25 / 4}, energyJ, near); diff != "" {
		t.Errorf("energy (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 105 * 3. / 4, 2 * 2. / 3, 0, 0, 2. / 3, 105. / 4}, n, near); diff != "" {
		t.Errorf("executions (-want +got):\n%s", diff)
	}
	if unseen := calltree.Unseen(r); unseen != nil {
		t.Errorf("%v were not seen, but all that used something is in the tree", unseen)
	}
	r.CallTree = r.CallTree[:1]
	if diff := cmp.Diff([]calltree.Edge{{Component: add, TimeMS: 4, EnergyJ: 1.25}, {Component: sort, TimeMS: 30, EnergyJ: 3.5}}, calltree.Unseen(r)); diff != "" {
		t.Errorf("not seen (-want +got):\n%s", diff)
	}
}

func written(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
