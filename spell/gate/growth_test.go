package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

var sizes = recordtest.Alone(16, 64, 256, 1024, 4096, 16384)

// sorting is a benchmark whose function Sort grows with a power of n; Log is a hundredth of it.
func sorting(power float64) *record.Run {
	sort, log := recordtest.Power(1e-6, power), recordtest.Power(1e-8, power)
	return ranked(recordtest.Series("BenchmarkSort/n=%d", sizes, recordtest.Growing{ID: "example.com/m.(*List).Sort", Self: sort, All: sort}, recordtest.Growing{ID: "example.com/m.Log", Self: log, All: log}))
}

func ranked(r *record.Run) *record.Run {
	ranking.Analyze(r, spell.Options{}, false)
	return r
}

// noisy is sorting with errors of a fifth at each size, so that the interval of the exponent is wide.
func noisy(power float64) *record.Run {
	r := sorting(power)
	for i := range r.Tests {
		off := []float64{1.2, 0.8, 1.1, 0.9, 1.25, 0.85}[i]
		t := &r.Tests[i]
		t.EnergyJ[spell.CPU] *= off
		for k := range t.RoundTimeMS {
			t.RoundEnergyJ[spell.CPU][k] *= off
		}
	}
	return r
}

// Why: quadratic code passes every test with small inputs. A rule is broken only if the whole interval of the
// exponent is above the limit.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		rules  string
		head   *record.Run
		broken []string // what the violations begin with
		holds  []string // and the remarks
	}{
		{"growth(BenchmarkSort)>1.2", sorting(2), []string{"growth(BenchmarkSort)>1.2: example.com/m.BenchmarkSort/n=* grows with the exponent 2.00 (1.96 to 2.04)."}, nil},
		{"growth(List.Sort)>1.2", sorting(2), []string{"growth(List.Sort)>1.2: example.com/m.(*List).Sort grows with the exponent 2.00 (1.96 to 2.04) in example.com/m.BenchmarkSort/n=*."}, nil},
		{"growth(Log)>1.2", sorting(2), []string{"growth(Log)>1.2: example.com/m.Log grows with"}, nil},
		{"growth(*)>1.2", sorting(2), []string{"growth(*)>1.2: example.com/m.BenchmarkSort/n=* grows", "growth(*)>1.2: example.com/m.(*List).Sort grows"}, nil},
		{"growth(*)>1.2, growth(Sort)>1.2", sorting(1), nil, nil},
		{"growth(BenchmarkSort)>0.95", noisy(1), nil, []string{"growth(BenchmarkSort)>0.95 holds: example.com/m.BenchmarkSort/n=* grows with the exponent 0.98, but its interval (0.89 to 1.08) is not above the limit"}},
	} {
		broken, remarks := checked(t, c.rules, nil, c.head)
		if !begin(broken, c.broken) || !begin(remarks, c.holds) {
			t.Errorf("%s: broken %q, remarks %q; want %q, %q", c.rules, broken, remarks, c.broken, c.holds)
		}
	}
}

func begin(texts, with []string) bool {
	for i := range texts {
		if i >= len(with) || !strings.HasPrefix(texts[i], with[i]) {
			return false
		}
	}
	return len(texts) == len(with)
}

// Against a base, the interval of the difference counts: two of them may overlap although each is narrow.
func TestGrowthAgainstBase(t *testing.T) {
	for i, c := range []struct {
		rules      string
		base, head *record.Run
		broken     []string
		holds      []string
	}{
		{"growth(*)>+0.3", sorting(1), sorting(2), []string{
			"growth(*)>+0.3: example.com/m.BenchmarkSort/n=* grows with the exponent 2.00 (1.96 to 2.04), and in BASE with 1.00 (0.96 to 1.04).",
			"growth(*)>+0.3: example.com/m.(*List).Sort grows with the exponent 2.00 (1.96 to 2.04) in example.com/m.BenchmarkSort/n=*, and in BASE with 1.00 (0.96 to 1.04).",
		}, nil},
		{"growth(*)>+0.3", sorting(2), sorting(2), nil, nil},
		{"growth(*)>+0.3", sorting(2), sorting(1), nil, nil},
		{"growth(BenchmarkSort)>+0.3", noisy(1), noisy(1.35), nil, []string{"growth(BenchmarkSort)>+0.3 holds: example.com/m.BenchmarkSort/n=* grows with the exponent 1.33, and in BASE with 0.98, but the interval of the difference begins at 0.2"}},
		{"growth(*)>+0.3", noisy(1), noisy(1.37), []string{"growth(*)>+0.3: example.com/m.(*List).Sort grows"}, []string{"growth(*)>+0.3 holds: 1 other growth is beyond the limit, but with intervals that reach below it"}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			broken, remarks := checked(t, c.rules, c.base, c.head)
			if !begin(broken, c.broken) || !begin(remarks, c.holds) {
				t.Errorf("%s: broken %q, remarks %q; want %q, %q", c.rules, broken, remarks, c.broken, c.holds)
			}
		})
	}
}

// What is new has nothing to compare with, and what has too few sizes has no formula: a rule about all holds, and says
// what it left out.
func TestGrowthsThatAreNotChecked(t *testing.T) {
	base, head := sorting(1), sorting(1)
	for _, other := range []*record.Run{
		recordtest.Series("BenchmarkNew/n=%d", sizes, recordtest.Growing{ID: "example.com/m.New", Self: recordtest.Power(1, 2), All: recordtest.Power(1, 2)}),
		recordtest.Series("BenchmarkFew/n=%d", sizes[:3], recordtest.Growing{ID: "example.com/m.Few", Self: recordtest.Power(1, 2), All: recordtest.Power(1, 2)}),
	} {
		head.Tests = append(head.Tests, other.Tests...)
	}
	broken, remarks := checked(t, "growth(*)>+0.3", base, ranked(head))
	want := []string{
		"growth(*)>+0.3 holds: 1 growth has no counterpart in BASE (new, without a formula there, or of time in one run and of energy in the other)",
		"growth(*)>+0.3 holds: 1 growth has no formula (too few sizes, or not enough spread)",
	}
	if diff := cmp.Diff(want, remarks); diff != "" || len(broken) > 0 {
		t.Errorf("broken %q, remarks (-want +got):\n%s", broken, diff)
	}
}

// What cannot be checked is an error, not a rule that holds.
func TestGrowthErrors(t *testing.T) {
	few := ranked(recordtest.Series("BenchmarkSort/n=%d", sizes[:3], recordtest.Growing{ID: "example.com/m.Sort", Self: recordtest.Power(1, 2), All: recordtest.Power(1, 2)}))
	tests := program(10, map[string]float64{"m.Sort": 8})
	for _, c := range []struct {
		rule       string
		base, head *record.Run
		want       string
	}{
		{"growth(Sort)>1.2", nil, tests, "the rule growth(Sort)>1.2: run  has no benchmarks"},
		{"growth(Srt)>1.2", nil, sorting(1), `no benchmark with sizes in its name is "Srt", nor a function that one called; did you mean example.com/m.(*List).Sort?`},
		{"growth(Zip)>1.2", nil, sorting(1), `no benchmark with sizes in its name is "Zip", nor a function that one called`},
		{"growth(BenchmarkSort)>1.2", nil, few, "there is no formula (not enough sizes): see spell-lsp grow"},
		{"growth(*)>+0.3", nil, sorting(1), "is about a change: give a run to compare with"},
	} {
		rules, err := gate.ParseAll(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.Check(rules, c.base, c.head, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", c.rule, err, c.want)
		}
	}
	rules, err := gate.ParseAll("growth(*)>+0.3")
	if err != nil {
		t.Fatal(err)
	}
	base := ranked(recordtest.Series("BenchmarkSort/n=%d", sizes, recordtest.Growing{ID: "example.com/m.Sort", Self: recordtest.Power(1, 2), All: recordtest.Power(1, 2)}))
	for i := range base.Tests {
		base.Tests[i].Name = strings.Replace(base.Tests[i].Name, "/n=", "-", 1)
	}
	compared, err := comparison.Compare(few, few, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Check(rules, base, sorting(1), compared); err == nil || !strings.Contains(err.Error(), "there is nothing to compare with: no benchmark of run") {
		t.Errorf("a base without sizes: the error is %v", err)
	}
}
