package record_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// Ids sort by age, wherever the clock stands.
func TestNewID(t *testing.T) {
	at := time.Date(2026, 11, 20, 19, 0, 0, 0, time.FixedZone("", 3600))
	last := ""
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "20261120T180000Z-0000"}, {time.Millisecond, "20261120T180000Z-0041"}, {time.Second - 1, "20261120T180000Z-ffff"}, {time.Second, "20261120T180001Z-0000"}} {
		got := record.NewID(at.Add(c.after))
		if got != c.want || got <= last {
			t.Errorf("after %v: %s, want %s", c.after, got, c.want)
		}
		last = got
	}
}

// A test that failed has done something else than it was written for: its row
// counts only on request. A skipped one has a row without cells.
func TestSpellMatrixRows(t *testing.T) {
	r := recordtest.Unranked()
	r.Matrix.Add(record.Cell{T: 3, C: 1, N: 5}) // before it skipped
	for _, test := range []struct {
		includeFailed bool
		tests, cells  int
	}{{false, 3, 3}, {true, 4, 4}} {
		m := r.SpellMatrix(test.includeFailed)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		if len(m.Tests) != test.tests || len(m.Cells) != test.cells {
			t.Errorf("include failed %t: %d tests and %d cells, want %d and %d", test.includeFailed, len(m.Tests), len(m.Cells), test.tests, test.cells)
		}
		for i, c := range m.Cells {
			if m.Tests[c.Test] == "example.com/park.TestLater" {
				t.Errorf("cell %d is of the skipped test", i)
			}
		}
	}
	m := r.SpellMatrix(false)
	if got, want := m.Components[2], (spell.Component{
		ID: "example.com/park.(*Park).Sort", Kind: spell.KindFunction, Package: "example.com/park",
		File: "park.go", Line: 14, Column: 16, EndLine: 17, Hash: "00ff",
	}); got != want {
		t.Errorf("component is %+v, want %+v", got, want)
	}
	if got := m.Joules(2); !slices.Equal(got, []float64{0.75, 0}) {
		t.Errorf("Sort used %v J in TestAdd, want [0.75 0]", got)
	}
}

// What the product promises about a test: the components' energy and what is
// not attributed are its energy.
func TestImbalance(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*record.Run)
		want   float64
	}{
		{"exact", func(*record.Run) {}, 0},
		{"too little", func(r *record.Run) { r.Matrix.EnergyJ[0] = 3 }, 0.2},
		{"too much", func(r *record.Run) { r.Tests[0].UnattributedJ = recordtest.Joules(2, 0.5) }, 0.2},
		{"one domain makes up for the other", func(r *record.Run) { r.Tests[0].UnattributedJ = recordtest.Joules(1.25, 0.25) }, 0.5},
		{"parts of nothing", func(r *record.Run) { r.Tests[3].UnattributedJ = recordtest.Joules(1, 0) }, 1},
		{"no tests", func(r *record.Run) { r.Tests, r.Matrix = nil, record.MatrixOf(r.Meter.Domains) }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := recordtest.Unranked()
			test.change(r)
			if got := r.Imbalance(); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("imbalance is %v, want %v", got, test.want)
			}
		})
	}
}

// What the errors of the powers explain is no difference between two runs.
func TestApart(t *testing.T) {
	component := func(joules, half float64) *record.Component {
		c := &record.Component{EnergyJ: record.Energy{spell.CPU: joules}}
		if half > 0 {
			c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {max(0, joules-half), joules + half}}
		}
		return c
	}
	for _, test := range []struct {
		a, b *record.Component
		want bool
	}{
		{component(10, 1), component(12, 1), true},
		{component(10, 1), component(11.3, 1), false},
		{component(1, 2), component(3, 2), false},
		{component(10, 0), component(10.1, 0), true},
	} {
		if got := test.a.Apart(test.b, spell.CPU); got != test.want {
			t.Errorf("%v and %v apart: %t", test.a.EnergyCI, test.b.EnergyCI, got)
		}
	}
}

// A page that shows other sums than the ranking is of would contradict itself: tests
// that the analysis leaves out do not count.
func TestTalliesAreOfTheAnalysis(t *testing.T) {
	for _, test := range []struct {
		name    string
		analyze func(*record.Run)
		want    []record.Tally // of Add, Sort and Oldest
	}{
		{"failed tests are left out", func(r *record.Run) { ranking.Analyze(r, spell.Options{}, false) }, []record.Tally{
			{N: 100, TimeMS: 1, EnergyJ: []float64{0.25, 0}}, {N: 3, TimeMS: 37, EnergyJ: []float64{4.75, 0}}, {EnergyJ: []float64{0, 0}}}},
		{"failed tests count", func(r *record.Run) { ranking.Analyze(r, spell.Options{}, true) }, []record.Tally{
			{N: 1_000_100, TimeMS: 91, EnergyJ: []float64{9.25, 0}}, {N: 3, TimeMS: 37, EnergyJ: []float64{4.75, 0}}, {EnergyJ: []float64{0, 0}}}},
		{"with callees", func(r *record.Run) {
			if _, err := ranking.AnalyzeInclusive(r, spell.Options{}, false); err != nil {
				t.Fatal(err)
			}
		}, []record.Tally{
			{N: 100, TimeMS: 1, EnergyJ: []float64{0.25, 0}}, {N: 3, TimeMS: 38, EnergyJ: []float64{5.25, 0}}, {EnergyJ: []float64{0, 0}}}},
	} {
		r := recordtest.Complete()
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
	r := recordtest.Complete()
	ranking.Analyze(r, spell.Options{}, false)
	parts, left, all := r.Unattributed()
	if left != 1.5 || all != 6.5 {
		t.Errorf("%v J of %v J are not attributed, want 1.5 of 6.5: the failed test is left out", left, all)
	}
	if diff := cmp.Diff(map[record.Part]float64{record.Idle: 1, record.Sampler: 0.5}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestEnergyIntervalOfAllDomains(t *testing.T) {
	c := record.Component{EnergyJ: recordtest.Joules(3, 0.5)}
	if _, _, ok := c.EnergyInterval(); ok {
		t.Error("there is an interval, but none is known")
	}
	c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {2, 5}}
	if low, high, ok := c.EnergyInterval(); !ok || low != 2.5 || high != 5.5 {
		t.Errorf("interval is %v to %v, %v, want 2.5 to 5.5: dram is exact", low, high, ok)
	}
}
