package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A page that shows other sums than the ranking is of would contradict itself: tests
// that the analysis leaves out do not count.
func TestTalliesAreOfTheAnalysis(t *testing.T) {
	for _, test := range []struct {
		name    string
		analyze func(*record.Run)
		want    []record.Tally // of Add, Sort and Oldest
	}{
		{"failed tests are left out", func(r *record.Run) { r.Analyze(spell.Options{}, false) }, []record.Tally{
			{N: 100, TimeMS: 1, EnergyJ: []float64{0.25, 0}}, {N: 3, TimeMS: 37, EnergyJ: []float64{4.75, 0}}, {EnergyJ: []float64{0, 0}}}},
		{"failed tests count", func(r *record.Run) { r.Analyze(spell.Options{}, true) }, []record.Tally{
			{N: 1_000_100, TimeMS: 91, EnergyJ: []float64{9.25, 0}}, {N: 3, TimeMS: 37, EnergyJ: []float64{4.75, 0}}, {EnergyJ: []float64{0, 0}}}},
		{"with callees", func(r *record.Run) {
			if _, err := r.AnalyzeInclusive(spell.Options{}, false); err != nil {
				t.Fatal(err)
			}
		}, []record.Tally{
			{N: 100, TimeMS: 1, EnergyJ: []float64{0.25, 0}}, {N: 3, TimeMS: 38, EnergyJ: []float64{5.25, 0}}, {EnergyJ: []float64{0, 0}}}},
	} {
		r := whole()
		test.analyze(r)
		tallies, at := r.Tallies(), map[string]record.Tally{}
		for i, c := range r.Components {
			at[c.ID] = tallies[i]
		}
		got := []record.Tally{at["example.com/park.(*Park).Add"], at["example.com/park.(*Park).Sort"], at["example.com/park.(*Park).Oldest"]}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestUnattributedIsOfTheAnalysis(t *testing.T) {
	r := whole()
	r.Analyze(spell.Options{}, false)
	parts, left, all := r.Unattributed()
	if left != 1.5 || all != 6.5 {
		t.Errorf("%v J of %v J are not attributed, want 1.5 of 6.5: the failed test is left out", left, all)
	}
	if diff := cmp.Diff(map[record.Part]float64{record.Idle: 1, record.Sampler: 0.5}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// The widths of a flame graph: what a component used is all of it there, once.
func TestCallTreeOwn(t *testing.T) {
	r := calling()
	energyJ, n := r.CallTreeOwn()
	near := cmpopts.EquateApprox(1e-12, 0)
	if diff := cmp.Diff([]float64{0.75, 1.25 * 3 / 4, 3.5 * 2 / 3, 0, 0, 3.5 / 3, 1.25 / 4}, energyJ, near); diff != "" {
		t.Errorf("energy (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 105 * 3. / 4, 2 * 2. / 3, 0, 0, 2. / 3, 105. / 4}, n, near); diff != "" {
		t.Errorf("executions (-want +got):\n%s", diff)
	}
	if unseen := r.Unseen(); unseen != nil {
		t.Errorf("%v were not seen, but all that used something is in the tree", unseen)
	}
	r.CallTree = r.CallTree[:1]
	if diff := cmp.Diff([]record.Edge{{Component: add, TimeMS: 4, EnergyJ: 1.25}, {Component: sort, TimeMS: 30, EnergyJ: 3.5}}, r.Unseen()); diff != "" {
		t.Errorf("not seen (-want +got):\n%s", diff)
	}
}

func TestEnergyIntervalOfAllDomains(t *testing.T) {
	c := record.Component{EnergyJ: joules(3, 0.5)}
	if _, _, ok := c.EnergyInterval(); ok {
		t.Error("there is an interval, but none is known")
	}
	c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {2, 5}}
	if low, high, ok := c.EnergyInterval(); !ok || low != 2.5 || high != 5.5 {
		t.Errorf("interval is %v to %v, %v, want 2.5 to 5.5: dram is exact", low, high, ok)
	}
}
