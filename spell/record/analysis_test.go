package record_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
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
	r := park()
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

// By the definition (design: sum of products): g of Sort is 4*2*30 + 0.75*1*7,
// g of Add 0.25*100*1, both times the weight of cpu, which cancels out.
func TestAnalyze(t *testing.T) {
	r := park()
	ranking := r.Analyze(spell.Options{}, false)
	const sort, add = 4*2*30 + 0.75*1*7, 0.25 * 100 * 1
	want := []struct {
		id       string
		psi, epi float64
		zone     spell.Zone
	}{
		{"example.com/park.(*Park).Sort", sort / (sort + add), 4.75 / 3, spell.Red},
		{"example.com/park.(*Park).Add", add / (sort + add), 0.0025, spell.Yellow},
		{"example.com/park.(*Park).Oldest", 0, 0, spell.Green},
	}
	for i, w := range want {
		c := r.Components[i]
		if c.ID != w.id || c.Rank != i+1 || c.Zone != w.zone || math.Abs(c.Psi-w.psi) > 1e-12 || math.Abs(c.EPIJ-w.epi) > 1e-12 {
			t.Errorf("rank %d is %s (rank %d, %s, psi %v, epi %v), want %+v", i+1, c.ID, c.Rank, c.Zone, c.Psi, c.EPIJ, w)
		}
		if c.Explanation == "" {
			t.Errorf("%s has no explanation", c.ID)
		}
		if ranking.Rows[i].Component != i {
			t.Errorf("row %d of the ranking is for component %d", i, ranking.Rows[i].Component)
		}
	}
	wantPhi := map[string]float64{"cpu": 0.95, "dram": 0, "n": 3.0 / 103, "time": 37.0 / 38}
	if diff := cmp.Diff(wantPhi, r.Components[0].Phi); diff != "" {
		t.Errorf("phi of Sort (-want +got):\n%s", diff)
	}
}

// The matrix points at components by index: sorting those must not change
// which function a cell is about.
func TestAnalyzeMovesCells(t *testing.T) {
	about := func(r *record.Run) []string {
		list := make([]string, len(r.Matrix.Cells))
		for i, c := range r.Matrix.Cells {
			list[i] = r.Tests[c.Test].Name + " " + r.Components[c.Component].ID
		}
		return list
	}
	r := park()
	before := about(r)
	r.Analyze(spell.Options{}, false)
	if diff := cmp.Diff(before, about(r)); diff != "" {
		t.Errorf("cells moved (-before +after):\n%s", diff)
	}
	once := written(t, r)
	r.Analyze(spell.Options{}, false)
	if again := written(t, r); again != once {
		t.Errorf("a second analysis changed the run:\n%s", cmp.Diff(once, again))
	}
}

func TestAnalyzeIncludesFailed(t *testing.T) {
	r := park()
	r.Analyze(spell.Options{}, true)
	if first := r.Components[0].ID; first != "example.com/park.(*Park).Add" {
		t.Errorf("first is %s, want Add, which the failed test ran a million times", first)
	}
}

func TestAnalyzeHoldsBackUnresolved(t *testing.T) {
	r := park()
	r.Components[2].BelowResolution = true
	r.Analyze(spell.Options{}, false)
	if c := r.Components[0]; c.ID != "example.com/park.(*Park).Sort" || c.Zone == spell.Red {
		t.Errorf("%s is %s though it is below resolution", c.ID, c.Zone)
	}
}

// A function that only calls others has a wall time far above its own running
// time, but it does not wait; one whose callees did not run meanwhile does.
func TestExplanationOfWaiting(t *testing.T) {
	for _, test := range []struct {
		name      string
		wall, cum float64
		failed    bool // it also ran in the test that is left out, so its wall time there is unknown
		blocks    bool // its blocks are components of their own, whose time is in its wall time
		waits     bool
	}{
		{"calls others", 3000, 3000, false, false, false},
		{"waits", 3000, 37, false, false, true},
		{"time of callees not known", 3000, 0, false, false, false},
		{"ran in a failed test", 3000, 37, true, false, false},
		{"its blocks did the work", 3000, 37, false, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := park()
			sort := &r.Components[2]
			sort.TimeMS, sort.WallMS, sort.CumTimeMS = 37, test.wall, test.cum
			if test.failed {
				r.Matrix.Cells[3].Component = 2
			}
			if test.blocks {
				r.Granularity = spell.KindBlock
			}
			r.Analyze(spell.Options{}, false)
			if got := strings.Contains(r.Components[0].Explanation, "waits"); got != test.waits {
				t.Errorf("says that it waits: %t, want %t: %s", got, test.waits, r.Components[0].Explanation)
			}
		})
	}
}

// Neighbours are tied where their intervals overlap; after a single round, or
// without an interval, nothing is known about that.
func TestTies(t *testing.T) {
	type ci = [2]float64
	for _, test := range []struct {
		name              string
		rounds            int
		sort, add, oldest ci
		want              []bool // by rank: Sort, Add, Oldest
	}{
		{"apart", 10, ci{0.8, 0.95}, ci{0.05, 0.2}, ci{0.01, 0.02}, []bool{false, false, false}},
		{"first two", 10, ci{0.4, 0.95}, ci{0.05, 0.5}, ci{0.01, 0.02}, []bool{true, true, false}},
		{"touching", 10, ci{0.5, 0.95}, ci{0.05, 0.5}, ci{0.01, 0.02}, []bool{true, true, false}},
		{"all", 10, ci{0.4, 0.95}, ci{0.05, 0.5}, ci{0.01, 0.06}, []bool{true, true, true}},
		{"not neighbours", 10, ci{0.4, 0.95}, ci{0.1, 0.2}, ci{0.3, 0.5}, []bool{false, false, false}},
		{"one unknown", 10, ci{0, 0.95}, ci{}, ci{}, []bool{false, false, false}},
		{"one round", 1, ci{0, 1}, ci{0, 1}, ci{0, 1}, []bool{false, false, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := park()
			r.Rounds = test.rounds
			r.Components[2].PsiCI, r.Components[0].PsiCI, r.Components[1].PsiCI = test.sort, test.add, test.oldest
			r.Components[1].Tied = true // from an analysis before
			r.Analyze(spell.Options{}, false)
			got := make([]bool, len(r.Components))
			for i, c := range r.Components {
				got[i] = c.Tied
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("tied %v, want %v", got, test.want)
			}
			if r.Components[0].PsiCI != test.sort {
				t.Errorf("interval of Sort is now %v", r.Components[0].PsiCI)
			}
		})
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
		{"too much", func(r *record.Run) { r.Tests[0].UnattributedJ = joules(2, 0.5) }, 0.2},
		{"one domain makes up for the other", func(r *record.Run) { r.Tests[0].UnattributedJ = joules(1.25, 0.25) }, 0.5},
		{"parts of nothing", func(r *record.Run) { r.Tests[3].UnattributedJ = joules(1, 0) }, 1},
		{"no tests", func(r *record.Run) { r.Tests, r.Matrix = nil, record.MatrixOf(r.Meter.Domains) }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := park()
			test.change(r)
			if got := r.Imbalance(); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("imbalance is %v, want %v", got, test.want)
			}
		})
	}
}

func TestFromMatrix(t *testing.T) {
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1", "t2"},
		Components: []spell.Component{{ID: "c1"}, {ID: "c2", Kind: spell.KindType, File: "c2.java", Line: 3}},
	}
	m.Add(spell.Cell{Test: 0, Component: 0, N: 1, TimeMS: 75}, 0.037)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 2, TimeMS: 102}, 0.061)
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 103}, 0.05)
	r := record.FromMatrix(m, record.Measured)
	if r.Meter.Name != "matrix" || r.Meter.Source != record.Measured || r.Rounds != 1 {
		t.Errorf("meter %+v, %d rounds", r.Meter, r.Rounds)
	}
	if got := r.Components[1]; got.N != 3 || got.TimeMS != 205 || got.EnergyJ.Total() != 0.061+0.05 || got.Kind != spell.KindType || got.Line != 3 {
		t.Errorf("c2 is %+v", got)
	}
	if got := r.Components[0].Kind; got != spell.KindFunction {
		t.Errorf("kind of c1 is %q", got)
	}
	if got := r.Tests[0]; got.Outcome != record.Pass || got.TimeMS != 177 || r.Imbalance() != 0 {
		t.Errorf("t1 is %+v, imbalance %v", got, r.Imbalance())
	}
	m.Components[0].Kind = spell.KindFunction
	if diff := cmp.Diff(m, r.SpellMatrix(false)); diff != "" {
		t.Errorf("the matrix did not survive (-want +got):\n%s", diff)
	}
	if _, err := record.Read(strings.NewReader(written(t, r))); err != nil {
		t.Error(err)
	}
}

// A matrix may have sums beside what they are of: it is by the finest.
func TestFromMatrixOfSeveralKinds(t *testing.T) {
	for _, test := range []struct {
		kinds []spell.Kind
		want  spell.Kind
	}{
		{[]spell.Kind{spell.KindPackage, spell.KindFunction}, spell.KindFunction},
		{[]spell.Kind{spell.KindFunction, spell.KindBlock}, spell.KindBlock},
		{[]spell.Kind{spell.KindFile, spell.KindPackage}, spell.KindFile},
		{nil, spell.KindFunction},
	} {
		m := &spell.Matrix{}
		for _, kind := range test.kinds {
			m.Components = append(m.Components, spell.Component{ID: string(kind), Kind: kind})
		}
		if got := record.FromMatrix(m, "").Granularity; got != test.want {
			t.Errorf("%v: by %s, want by %s", test.kinds, got, test.want)
		}
	}
}

// Tests that were skipped say nothing of what they would have run.
func TestOutcomes(t *testing.T) {
	r := park()
	m, failed := r.Outcomes()
	if !slices.Equal(failed, []bool{false, false, true}) || len(m.Tests) != 3 || len(m.Cells) != 4 {
		t.Errorf("tests %v, failed %v, %d cells", m.Tests, failed, len(m.Cells))
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

// A warning is of the ranking that it was made for.
func TestWarningsOfAnotherAnalysis(t *testing.T) {
	r := park()
	r.Analyze(spell.Options{Weights: spell.Weights{spell.DRAM: 1}}, false)
	if !slices.ContainsFunc(r.AllWarnings(), func(w string) bool { return strings.Contains(w, "no weight") }) {
		t.Fatalf("no warning: %q", r.AllWarnings())
	}
	r.Analyze(spell.Options{}, false)
	if got := r.AllWarnings(); len(got) > 0 {
		t.Errorf("warnings %q are left", got)
	}
}

// Executions and times without energy must not look like measured zeros.
func TestFromMatrixWithoutEnergy(t *testing.T) {
	m := &spell.Matrix{Tests: []string{"t1"}, Components: []spell.Component{{ID: "c1"}}}
	m.Add(spell.Cell{N: 1, TimeMS: 2})
	if got := record.FromMatrix(m, record.Measured).Meter.Source; got != record.NoEnergy {
		t.Errorf("source is %s, want %s", got, record.NoEnergy)
	}
}
