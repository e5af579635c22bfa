package comparison_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/wording"
)

// suite is a run of two tests in which F ran, and of G, which ran in the first
// only. Each test has so many joules of each.
func suite(tests map[string]record.Outcome, joules float64, rounds bool) *record.Run {
	each := recordtest.Around(uint64(joules*100), 10, joules, 0.001)
	r := recordtest.Program(recordtest.Part{ID: "m.F", Joules: each}, recordtest.Part{ID: "m.G", Joules: each})
	r.Tests, r.Matrix = nil, record.MatrixOf(r.Meter.Domains)
	for _, name := range []string{"m.TestOld", "m.TestNew"} {
		outcome, has := tests[name]
		if !has {
			continue
		}
		at := len(r.Tests)
		test := record.Test{Name: name, Outcome: outcome, EnergyJ: record.Energy{spell.CPU: 3 * joules}, TimeMS: 2000}
		if rounds {
			test.RoundEnergyJ, test.RoundTimeMS = recordtest.ByRound(recordtest.Around(uint64(joules*100)+1, 10, 3*joules, 0.001)), recordtest.Around(9, 10, 2000, 0.001)
		}
		r.Tests = append(r.Tests, test)
		r.Matrix.Add(record.Cell{T: at, C: 0, N: 1, TimeMS: 500 * joules, EnergyJ: record.Energy{spell.CPU: joules}})
		if name == "m.TestOld" {
			r.Matrix.Add(record.Cell{T: at, C: 1, N: 1, TimeMS: 500 * joules, EnergyJ: record.Energy{spell.CPU: joules}})
		}
	}
	return r
}

// HEAD has a new test: the comparison is over the tests that both have, the
// values are those of these tests alone, and what also ran in the new one has no
// verdict. The total is then that of the tests, whose rounds are known.
func TestNewTest(t *testing.T) {
	both := map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Pass}
	failing := map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Fail}
	for _, tt := range []struct {
		why    string
		base   map[string]record.Outcome
		head   map[string]record.Outcome
		rounds bool
		of     string
		total  comparison.Verdict
		only   comparison.TestsOnly
	}{
		{"added", map[string]record.Outcome{"m.TestOld": record.Pass}, both, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{}, Head: []string{"m.TestNew"}, Neither: []string{}}},
		{"fails now", both, map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Fail}, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{"m.TestNew"}, Head: []string{}, Neither: []string{}}},
		{"fails in both", failing, failing, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{}, Head: []string{}, Neither: []string{"m.TestNew"}}},
		{"failed in BASE, is skipped now", failing, map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Skip}, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{}, Head: []string{}, Neither: []string{"m.TestNew"}}},
		{"rounds not known", both, map[string]record.Outcome{"m.TestOld": record.Pass}, false, comparison.OfComponents, comparison.Undecided, comparison.TestsOnly{Base: []string{"m.TestNew"}, Head: []string{}, Neither: []string{}}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			c := compared(t, suite(tt.base, 9, tt.rounds), suite(tt.head, 6, tt.rounds), comparison.Options{})
			f, g := find(t, c, "m.F"), find(t, c, "m.G")
			if f.EnergyJ.Base != 9 || f.EnergyJ.Head != 6 || f.N.Head != 1 || f.EnergyJ.Verdict != comparison.Undecided || !f.Restricted || !f.EnergyJ.Is(note.RanInOtherTestsCode) {
				t.Errorf("F, which ran in all tests, is %+v", f)
			}
			if g.EnergyJ.Verdict != comparison.Better || g.Restricted {
				t.Errorf("G, which ran in the common test alone, is %+v", g)
			}
			if c.Total.Of != tt.of || c.Total.EnergyJ.Verdict != tt.total {
				t.Errorf("the total is of %s, %s (%s)", c.Total.Of, c.Total.EnergyJ.Verdict, c.Total.EnergyJ.Reason)
			}
			if diff := cmp.Diff(tt.only, c.TestsOnly); diff != "" {
				t.Error(diff)
			}
			if len(c.Tests) != 1 || c.Tests[0].Name != "m.TestOld" {
				t.Errorf("compared tests: %+v", c.Tests)
			}
		})
	}
	// With failed tests included, none is missing.
	c := compared(t, suite(both, 9, true), suite(map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Crash}, 6, true), comparison.Options{IncludeFailed: true})
	if c.Total.Of != comparison.OfComponents || len(c.Tests) != 2 || find(t, c, "m.F").EnergyJ.Verdict != comparison.Better {
		t.Errorf("with failed tests: %+v", c.Total)
	}
}

// Who hides a function has saved nothing: the runs are of different code as far as
// their components go, so the total is that of the tests, or undecided.
func TestHiddenFunction(t *testing.T) {
	for _, rounds := range []bool{true, false} {
		base, head := suite(map[string]record.Outcome{"m.TestOld": record.Pass}, 10, rounds), suite(map[string]record.Outcome{"m.TestOld": record.Pass}, 10, rounds)
		base.Settings, head.Settings = map[string]any{"exclude": []string{}}, map[string]any{"exclude": []string{"m.F"}}
		c := compared(t, base, head, comparison.Options{})
		if v := c.Total.EnergyJ.Verdict; v == comparison.Better || v == comparison.Worse || rounds != (c.Total.Of == comparison.OfTests) {
			t.Errorf("rounds %v: the total of %s is %s", rounds, c.Total.Of, v)
		}
		if !rounds && !c.Total.EnergyJ.Is(note.ExcludesDifferCode) {
			t.Errorf("the reason is %q", c.Total.EnergyJ.Reason)
		}
	}
}

// Nothing in common is said, not divided by, and no amount is told that was not
// compared.
func TestNoCommonTest(t *testing.T) {
	one := func(name string, outcome record.Outcome, joules float64) *record.Run {
		return suite(map[string]record.Outcome{name: outcome}, joules, true)
	}
	for _, tt := range []struct {
		why        string
		base, head *record.Run
		list       string
	}{
		{"other tests", one("m.TestOld", record.Pass, 9), one("m.TestNew", record.Pass, 6), "Tests that count in BASE only, not compared:\n  - m.TestOld"},
		{"failed in both", one("m.TestOld", record.Fail, 9), one("m.TestOld", record.Fail, 12), "Tests that failed, not compared:\n  - m.TestOld"},
		{"failed in one", one("m.TestOld", record.Pass, 9), one("m.TestOld", record.Crash, 12), "Tests that count in BASE only, not compared:\n  - m.TestOld"},
	} {
		tt.head.Components[1].ID = "m.New"
		c := compared(t, tt.base, tt.head, comparison.Options{})
		if q := c.Total.EnergyJ; q.Verdict != comparison.Undecided || !strings.HasPrefix(q.Reason, "no test counts in both runs") || c.Total.Greenup != nil {
			t.Errorf("%s: the total is %+v", tt.why, q)
		}
		text := rendered(t, rendering.Text, c)
		if want := "BASE and HEAD cannot be compared: no test counts in both runs (all failed, were skipped or are in one run only)."; rendering.Headline(c, wording.CommandLine) != want {
			t.Errorf("%s: headline %q, want %q", tt.why, rendering.Headline(c, wording.CommandLine), want)
		}
		if !strings.Contains(text, tt.list) || strings.Contains(text, " J") || strings.Contains(text, "%") {
			t.Errorf("%s: the page does not list %q, or tells amounts:\n%s", tt.why, tt.list, text)
		}
	}
}

// What the common tests do not use is no change.
func TestNothingUsed(t *testing.T) {
	run := func() *record.Run { return recordtest.Program(recordtest.Part{ID: "m.F", Joules: make([]float64, 3)}) }
	c := compared(t, run(), run(), comparison.Options{})
	if want := "Not decided: neither run uses any energy (estimated) (p 1). Too few rounds:"; !strings.HasPrefix(rendering.Headline(c, wording.CommandLine), want) {
		t.Errorf("headline %q, want %q", rendering.Headline(c, wording.CommandLine), want)
	}
}

// HEAD has a new test, which runs F: psi, rank and zone are those that the old test
// gives, in the way in which the runs were analysed. Those of the runs stay.
func TestStandingByCommonTests(t *testing.T) {
	old := map[string]record.Outcome{"m.TestOld": record.Pass}
	both := map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Pass}
	for _, tt := range []struct {
		why string
		o   spell.Options
	}{
		{"usual", spell.Options{}},
		{"oracle", spell.Options{Oracle: spell.ProductOfSums}},
		{"weights", spell.Options{Weights: spell.Weights{spell.CPU: 0}}},
		{"zones", spell.Options{Zones: spell.ZoneRule{Red: 0.8, Yellow: 0.9}}},
		{"absolute zones", spell.Options{Zones: spell.ZoneRule{Absolute: true, Red: 0.8, Yellow: 0.2}}},
	} {
		analysed := func(tests map[string]record.Outcome, joules float64) *record.Run {
			r := suite(tests, joules, true)
			r.Matrix.EnergyJ[0] *= 3 // of F in the old test: psi is 0.75, and 0.5 without energy
			r.Components[0].BelowResolution = tt.why == "usual"
			ranking.Analyze(r, tt.o, false)
			for i := range r.Components { // so narrow that any change is one
				r.Components[i].PsiCI = [2]float64{r.Components[i].Psi, r.Components[i].Psi}
			}
			return r
		}
		base, head, alike := analysed(old, 9), analysed(both, 6), analysed(old, 6)
		before, beforeHead := fmt.Sprintf("%+v", base), fmt.Sprintf("%+v", head)
		for _, pair := range [][4]*record.Run{{base, head, base, alike}, {head, base, alike, base}} {
			got, want := standing(t, pair[0], pair[1]), standing(t, pair[2], pair[3])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", tt.why, diff)
			}
		}
		if fmt.Sprintf("%+v", base) != before || fmt.Sprintf("%+v", head) != beforeHead {
			t.Errorf("%s: the comparison changed a run", tt.why)
		}
	}
}

// standing says where F and G stand in two runs.
func standing(t *testing.T, base, head *record.Run) []string {
	t.Helper()
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, id := range []string{"m.F", "m.G"} {
		k := find(t, c, id)
		list = append(list, fmt.Sprintf("%s: psi %.9f and %.9f, rank %d and %d, %s and %s", id, k.Psi.Base, k.Psi.Head, k.BaseRank, k.HeadRank, k.BaseZone, k.HeadZone))
		if k.PsiApart && math.Abs(*k.Psi.Change) > 1e-9 {
			t.Errorf("the psi of %s, %v and %v, are taken for apart", id, k.Psi.Base, k.Psi.Head)
		}
	}
	return list
}

// Rounds that only one run has are left out of the pairs.
func TestDifferentRounds(t *testing.T) {
	c := compared(t, recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 12, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 7, 6, 0.01)}), comparison.Options{})
	if c.Pairs != 7 || *c.Total.EnergyJ.P != 2./128 || c.Total.EnergyJ.Verdict != comparison.Better {
		t.Errorf("%d pairs, %+v", c.Pairs, c.Total.EnergyJ)
	}
}
