package ranking_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
)

// What stands beside psi is of the tests that psi is of: what a failed test used is not
// in it, nor in the call tree.
func TestCountedLeavesOutFailedTests(t *testing.T) {
	r := recordtest.Complete()
	ranking.Analyze(r, spell.Options{}, false)
	at := slices.IndexFunc(r.Components, func(c record.Component) bool { return strings.HasSuffix(c.ID, ".Add") })
	add := &r.Components[at]
	add.N, add.TimeMS, add.EnergyJ, add.EnergyCI = 1_000_100, 91, recordtest.Joules(9.25, 0), map[spell.Domain][2]float64{spell.CPU: {9, 10}}
	calltree.Set(r, []record.CallNode{{Parent: -1, Component: at, TimeMS: 7}, {Parent: 0, Component: at, TimeMS: 3}})
	counted := ranking.Counted(r)
	c, tally := &counted.Components[at], r.Tallies()[at]
	if c.N != 100 || c.TimeMS != 1 || c.EnergyJ.Total() != 0.25 || c.N != tally.N || c.TimeMS != tally.TimeMS || c.EnergyJ.Total() != tally.TotalJ() {
		t.Errorf("%v executions, %v ms, %v J, want 100, 1 and 0.25, as %+v", c.N, c.TimeMS, c.EnergyJ.Total(), tally)
	}
	if c.EnergyCI != nil {
		t.Errorf("the interval is %v, but it is not known of these tests", c.EnergyCI)
	}
	var times []float64
	for _, n := range counted.CallTree {
		times = append(times, n.TimeMS)
	}
	if diff := cmp.Diff([]float64{0.7, 0.3}, times, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("times of the call tree (-want +got):\n%s", diff)
	}
	if add.N != 1_000_100 || add.EnergyCI == nil {
		t.Error("the run itself was changed")
	}
	ranking.Analyze(r, spell.Options{}, true)
	if ranking.Counted(r) != r {
		t.Error("all tests count, but the run was copied")
	}
}

// Of a matrix that knows them, cumulative values are those of the tests that count; else
// they are not known.
func TestCountedWithCallees(t *testing.T) {
	cumulative := func(r *record.Run) (timeMS, joules float64) {
		for _, c := range ranking.Counted(r).Components {
			if c.ID == "example.com/park.(*Park).Add" {
				return c.CumTimeMS, c.CumEnergyJ.Total()
			}
		}
		t.Fatal("there is no Add")
		return 0, 0
	}
	r := recordtest.Complete()
	ranking.Analyze(r, spell.Options{}, false)
	if ms, joules := cumulative(r); ms != 1 || joules != 0.25 {
		t.Errorf("%v ms and %v J with callees, want 1 and 0.25", ms, joules)
	}
	r.Matrix.CumTimeMS, r.Matrix.CumEnergyJ = nil, nil
	if ms, joules := cumulative(r); ms != 0 || joules != 0 {
		t.Errorf("%v ms and %v J with callees, but they are not known", ms, joules)
	}
}

// What a component spent in callees without a probe is known over all tests: of the tests that
// count they have the same share.
func TestCalleesKeepTheirShares(t *testing.T) {
	r := recordtest.Complete()
	const sort = 2
	r.Matrix.Add(record.Cell{T: 2, C: sort, N: 1, TimeMS: 63, EnergyJ: recordtest.Joules(9, 0)}) // of the test that failed
	r.Components[sort].TimeMS = 100
	r.Components[sort].Callees[0].TimeMS = 50
	ranking.Analyze(r, spell.Options{}, false)
	counted := ranking.Counted(r).Components[0]
	got := counted.Callees[0]
	if counted.TimeMS != 37 || got.TimeMS != 18.5 || got.EnergyJ[spell.CPU] != counted.EnergyJ[spell.CPU]/2 {
		t.Errorf("%+v of %g ms and %v J, want half of each, and 37 ms", got, counted.TimeMS, counted.EnergyJ)
	}
	if r.Components[0].Callees[0].TimeMS != 50 {
		t.Error("the run itself changed")
	}
}
