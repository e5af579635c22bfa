package ranking_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/wording"
)

// By the definition (design: sum of products): g of Sort is 4*2*30 + 0.75*1*7,
// g of Add 0.25*100*1, both times the weight of cpu, which cancels out.
func TestAnalyze(t *testing.T) {
	r := recordtest.Unranked()
	ranking := ranking.Analyze(r, spell.Options{}, false)
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
	r := recordtest.Unranked()
	before := about(r)
	ranking.Analyze(r, spell.Options{}, false)
	if diff := cmp.Diff(before, about(r)); diff != "" {
		t.Errorf("cells moved (-before +after):\n%s", diff)
	}
	once := written(t, r)
	ranking.Analyze(r, spell.Options{}, false)
	if again := written(t, r); again != once {
		t.Errorf("a second analysis changed the run:\n%s", cmp.Diff(once, again))
	}
}

func TestAnalyzeIncludesFailed(t *testing.T) {
	r := recordtest.Unranked()
	ranking.Analyze(r, spell.Options{}, true)
	if first := r.Components[0].ID; first != "example.com/park.(*Park).Add" {
		t.Errorf("first is %s, want Add, which the failed test ran a million times", first)
	}
}

func TestAnalyzeHoldsBackUnresolved(t *testing.T) {
	r := recordtest.Unranked()
	r.Components[2].BelowResolution = true
	ranking.Analyze(r, spell.Options{}, false)
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
			r := recordtest.Unranked()
			sort := &r.Components[2]
			sort.TimeMS, sort.WallMS, sort.CumTimeMS = 37, test.wall, test.cum
			if test.failed {
				r.Matrix.Cells[3].Component = 2
			}
			if test.blocks {
				r.Granularity = spell.KindBlock
			}
			ranking.Analyze(r, spell.Options{}, false)
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
			r := recordtest.Unranked()
			r.Rounds = test.rounds
			r.Components[2].PsiCI, r.Components[0].PsiCI, r.Components[1].PsiCI = test.sort, test.add, test.oldest
			r.Components[1].Tied = true // from an analysis before
			ranking.Analyze(r, spell.Options{}, false)
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

// By energy, neighbours are tied where either rank is possible for both.
func TestTiesByEnergy(t *testing.T) {
	type ci = [2]int
	for _, test := range []struct {
		name              string
		sort, add, oldest ci
		want              []bool // by rank: Sort, Add, Oldest
	}{
		{"certain", ci{1, 1}, ci{2, 2}, ci{3, 3}, []bool{false, false, false}},
		{"last two", ci{1, 1}, ci{2, 3}, ci{2, 3}, []bool{false, true, true}},
		{"unknown", ci{}, ci{}, ci{}, []bool{false, false, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := recordtest.Unranked()
			o := spell.Options{Order: spell.ByEnergy}
			r.Analysis = ranking.AnalysisOf(o, false, r.Matrix.Domains)
			r.Components[2].RankCI, r.Components[0].RankCI, r.Components[1].RankCI = test.sort, test.add, test.oldest
			for i := range r.Components {
				r.Components[i].PsiCI = [2]float64{0.1, 0.9} // they overlap, and give no order
			}
			ranking.Analyze(r, o, false)
			got := make([]bool, len(r.Components))
			for i, c := range r.Components {
				got[i] = c.Tied
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("tied %v, want %v", got, test.want)
			}
		})
	}
}

// The default depends on what is ranked: the papers' analysis is for any matrix, and weighting
// was shown to find leaks in functions, not in files or blocks.
func TestOrderOf(t *testing.T) {
	for _, test := range []struct {
		order   spell.Order
		program bool
		kind    spell.Kind
		want    spell.Order
	}{
		{"", true, "", spell.ByPsi},
		{spell.OrderAuto, true, "", spell.ByWeightedEnergy},
		{spell.OrderAuto, true, spell.KindFunction, spell.ByWeightedEnergy},
		{spell.OrderAuto, true, spell.KindFile, spell.ByEnergy},
		{spell.OrderAuto, true, spell.KindBlock, spell.ByEnergy},
		{spell.OrderAuto, false, spell.KindFunction, spell.ByPsi},
		{spell.ByPsi, true, "", spell.ByPsi},
		{spell.ByEnergy, true, "", spell.ByEnergy},
		{spell.ByWeightedEnergy, false, spell.KindFile, spell.ByWeightedEnergy},
	} {
		if got := ranking.OrderOf(test.order, test.program, test.kind); got != test.want {
			t.Errorf("%q of %q, of a program: %t, is %q, want %q", test.order, test.kind, test.program, got, test.want)
		}
	}
}

// A program is ranked by weighted energy, a matrix of another tool by psi, unless somebody chose. Another
// order than before leaves psi as it is, with its intervals; those of ranks mean nothing then.
func TestOrderOfARecord(t *testing.T) {
	for _, test := range []struct {
		name   string
		order  spell.Order
		matrix bool
		want   spell.Order
		first  string
	}{
		{"a program", spell.OrderAuto, false, spell.ByWeightedEnergy, "Sort"},
		{"a matrix", spell.OrderAuto, true, spell.ByPsi, "Add"},
		{"a program, psi chosen", spell.ByPsi, false, spell.ByPsi, "Add"},
		{"a matrix, energy chosen", spell.ByEnergy, true, spell.ByEnergy, "Sort"},
	} {
		for _, before := range []spell.Order{"", spell.ByPsi, spell.ByEnergy, spell.ByWeightedEnergy} {
			r := recordtest.Unranked()
			for i := range r.Matrix.Cells { // Add ran so often that its psi is the highest
				if c := &r.Matrix.Cells[i]; strings.HasSuffix(r.Components[c.Component].ID, "Add") {
					c.N *= 1000
				}
			}
			if test.matrix {
				r.Mode = ""
			}
			r.Analysis = ranking.AnalysisOf(spell.Options{Order: before}, false, r.Matrix.Domains)
			r.Analysis.Order = before // "" is as older versions wrote it
			for i := range r.Components {
				r.Components[i].PsiCI, r.Components[i].RankCI = [2]float64{0.1, 0.2}, [2]int{1, 3}
			}
			ranking.Analyze(r, spell.Options{Order: test.order}, false)
			if first := &r.Components[0]; r.Analysis.Order != test.want || !strings.HasSuffix(first.ID, test.first) {
				t.Errorf("%s, before %q: ranked by %s, first is %s; want %s, %s", test.name, before, r.Analysis.Order, first.ID, test.want, test.first)
			}
			kept := test.want == before || test.want == spell.ByPsi && before == ""
			if c := &r.Components[1]; c.PsiCI != [2]float64{0.1, 0.2} || (c.RankCI == [2]int{1, 3}) != kept {
				t.Errorf("%s, before %q: intervals of psi %v, of rank %v, must be kept: %t", test.name, before, c.PsiCI, c.RankCI, kept)
			}
		}
	}
}

// Tests that were skipped say nothing of what they would have run.
func TestOutcomes(t *testing.T) {
	r := recordtest.Unranked()
	m, failed := ranking.Outcomes(r)
	if !slices.Equal(failed, []bool{false, false, true}) || len(m.Tests) != 3 || len(m.Cells) != 4 {
		t.Errorf("tests %v, failed %v, %d cells", m.Tests, failed, len(m.Cells))
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

// A warning is of the ranking that it was made for.
func TestWarningsOfAnotherAnalysis(t *testing.T) {
	r := recordtest.Unranked()
	ranking.Analyze(r, spell.Options{Weights: spell.Weights{spell.DRAM: 1}}, false)
	if !slices.ContainsFunc(wording.Texts(r.AllNotes()), func(w string) bool { return strings.Contains(w, "no weight") }) {
		t.Fatalf("no warning: %q", wording.Texts(r.AllNotes()))
	}
	ranking.Analyze(r, spell.Options{}, false)
	if got := wording.Texts(r.AllNotes()); len(got) > 0 {
		t.Errorf("warnings %q are left", got)
	}
}

// A weight that was chosen for a domain that components lack does nothing, and the
// ranking says so. The usual weights, which the settings always have, were not chosen.
func TestWeightOfTestsOnly(t *testing.T) {
	for _, test := range []struct {
		disk float64
		want []note.Note
	}{
		{5, []note.Note{note.WeightUnused("disk", 5, "function")}},
		{spell.DefaultWeights()[spell.Disk], nil},
		{0, nil},
	} {
		r := recordtest.Disk()
		before := r.Components[0].Psi
		weights := spell.DefaultWeights()
		weights[spell.Disk] = test.disk
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto, Weights: weights}, false)
		if diff := cmp.Diff(test.want, r.Analysis.Notes); diff != "" {
			t.Errorf("weight %v (-want +got):\n%s", test.disk, diff)
		}
		if r.Components[0].Psi != before {
			t.Errorf("weight %v changes psi from %v to %v", test.disk, before, r.Components[0].Psi)
		}
	}
}

// With the values of callees, as the original tools had them, a caller comes
// before what it calls.
func TestAnalyzeInclusive(t *testing.T) {
	r := recordtest.Town()
	if _, err := ranking.AnalyzeInclusive(r, spell.Options{}, false); err != nil {
		t.Fatal(err)
	}
	c := &r.Components[0]
	// g = 4 x 2 x 33 of 4 x 2 x 33 + 1 x 5 x 3 + 0.25 x 100 x 1 + 1 x 1 x 8, up to dram's weight
	ef := func(cpu, dram float64) float64 { return 0.34*cpu + 0.01*dram }
	sort := ef(4, 0.5) * 2 * 33
	want := sort / (sort + ef(1, 0)*5*3 + ef(0.25, 0)*100 + ef(1, 0)*8)
	if !strings.HasSuffix(c.ID, "Sort") || math.Abs(c.Psi-want) > 1e-12 {
		t.Errorf("first is %s with psi %v, want Sort with %v", c.ID, c.Psi, want)
	}
	if c.PsiCI != [2]float64{} || !r.Analysis.Inclusive || !strings.HasPrefix(c.Explanation, "Counted with what it calls. ") {
		t.Errorf("interval %v, analysis %+v, explanation %q", c.PsiCI, r.Analysis, c.Explanation)
	}
	if c.TimeMS != 30 {
		t.Errorf("self time became %v", c.TimeMS)
	}
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t"}, Components: []spell.Component{{ID: "f"}}}
	m.Add(spell.Cell{N: 2, TimeMS: 3}, 4)
	traced := record.FromMatrix(m, "")
	traced.SetCumulative([]float64{5}, []float64{6})
	if c := traced.Components[0]; c.CumTimeMS != 5 || c.CumEnergyJ[spell.CPU] != 6 || c.TimeMS != 3 || c.EnergyJ[spell.CPU] != 4 {
		t.Errorf("component of a trace is %+v", c)
	}
	without := recordtest.Unranked()
	if _, err := ranking.AnalyzeInclusive(without, spell.Options{}, false); err == nil {
		t.Error("a run without cumulative values was ranked by them")
	}
}

// Intervals belong to the psi that they were made for.
func TestOtherAnalysisHasNoIntervals(t *testing.T) {
	for name, test := range map[string]struct {
		o             spell.Options
		includeFailed bool
		kept          bool
	}{
		"the same":                    {spell.Options{}, false, true},
		"zones":                       {spell.Options{Zones: spell.ZoneRule{Red: 0.2}}, false, true},
		"oracle":                      {spell.Options{Oracle: spell.ProductOfSums}, false, false},
		"an unanalysed run otherwise": {spell.Options{Oracle: spell.ProductOfSums}, false, false},
		"weights":                     {spell.Options{Weights: spell.Weights{spell.CPU: 1}}, false, false},
		"failed tests":                {spell.Options{}, true, false},
		"tests, of which none failed": {spell.Options{}, true, true},
	} {
		r := recordtest.Town()
		if name != "an unanalysed run otherwise" { // whose intervals are those of the usual analysis
			ranking.Analyze(r, spell.Options{}, false)
		}
		if name == "failed tests" {
			r.Tests[1].Outcome = record.Fail
		}
		ranking.Analyze(r, test.o, test.includeFailed)
		if kept := r.Components[0].PsiCI != [2]float64{}; kept != test.kept {
			t.Errorf("other %s: interval kept %t", name, kept)
		}
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
