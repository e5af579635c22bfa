package comparison_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// suite is a run of two tests in which F ran, and of G, which ran in the first
// only. Each test has so many joules of each.
func suite(tests map[string]record.Outcome, joules float64, rounds bool) *record.Run {
	each := around(uint64(joules*100), 10, joules, 0.001)
	r := program(part{id: "m.F", joules: each}, part{id: "m.G", joules: each})
	r.Tests, r.Matrix = nil, record.MatrixOf(r.Meter.Domains)
	for _, name := range []string{"m.TestOld", "m.TestNew"} {
		outcome, has := tests[name]
		if !has {
			continue
		}
		at := len(r.Tests)
		test := record.Test{Name: name, Outcome: outcome, EnergyJ: record.Energy{spell.CPU: 3 * joules}, TimeMS: 2000}
		if rounds {
			test.RoundEnergyJ, test.RoundTimeMS = byRound(around(uint64(joules*100)+1, 10, 3*joules, 0.001)), around(9, 10, 2000, 0.001)
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
	for _, tt := range []struct {
		why    string
		base   map[string]record.Outcome
		head   map[string]record.Outcome
		rounds bool
		of     string
		total  comparison.Verdict
		only   comparison.TestsOnly
	}{
		{"added", map[string]record.Outcome{"m.TestOld": record.Pass}, both, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{}, Head: []string{"m.TestNew"}}},
		{"fails now", both, map[string]record.Outcome{"m.TestOld": record.Pass, "m.TestNew": record.Fail}, true, comparison.OfTests, comparison.Better, comparison.TestsOnly{Base: []string{"m.TestNew"}, Head: []string{}}},
		{"rounds not known", both, map[string]record.Outcome{"m.TestOld": record.Pass}, false, comparison.OfComponents, comparison.Undecided, comparison.TestsOnly{Base: []string{"m.TestNew"}, Head: []string{}}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			c := compared(t, suite(tt.base, 9, tt.rounds), suite(tt.head, 6, tt.rounds), comparison.Options{})
			f, g := find(t, c, "m.F"), find(t, c, "m.G")
			if f.EnergyJ.Base != 9 || f.EnergyJ.Head != 6 || f.N.Head != 1 || f.EnergyJ.Verdict != comparison.Undecided || !f.Restricted {
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

// Nothing in common is said, not divided by.
func TestNoCommonTest(t *testing.T) {
	c := compared(t, suite(map[string]record.Outcome{"m.TestOld": record.Pass}, 9, true), suite(map[string]record.Outcome{"m.TestNew": record.Pass}, 6, true), comparison.Options{})
	if q := c.Total.EnergyJ; q.Verdict != comparison.Undecided || q.Reason != "the runs have no test in common" || c.Total.Greenup != nil {
		t.Errorf("the total is %+v", q)
	}
}

// Rounds that only one run has are left out of the pairs.
func TestDifferentRounds(t *testing.T) {
	c := compared(t, program(part{id: "m.F", joules: around(1, 12, 9, 0.01)}), program(part{id: "m.F", joules: around(2, 7, 6, 0.01)}), comparison.Options{})
	if c.Pairs != 7 || *c.Total.EnergyJ.P != 2./128 || c.Total.EnergyJ.Verdict != comparison.Better {
		t.Errorf("%d pairs, %+v", c.Pairs, c.Total.EnergyJ)
	}
}
