package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/pprof/profile"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

var about = cmpopts.EquateApprox(0, 1e-9)

// twoFunctions is a row of a test that ran twice: in each run Hot used 12 J, Cool 4 J
// and Rare 0.1 J, and the idle machine 8 W for 2 s.
func twoFunctions(t *testing.T) *row {
	t.Helper()
	w := &workload{name: "two", functions: []function{{"Hot", 24, computes}, {"Cool", 8, computes}, {"Rare", 1, waitsAlways}}, bars: bars{median: 6, worst: 11, waiting: 1}}
	component := func(name string, joules, low, high float64, below bool) record.Component {
		return record.Component{ID: workModule + "." + name, EnergyJ: record.Energy{spell.CPU: joules}, BelowResolution: below, EnergyCI: map[spell.Domain][2]float64{spell.CPU: {low, high}}}
	}
	run := &record.Run{
		Meter: record.Meter{Domains: []spell.Domain{spell.CPU}},
		Tests: []record.Test{{Name: workModule + ".TestWork", Rounds: 2, EnergyJ: record.Energy{spell.CPU: 32}, UnattributedJ: record.Energy{spell.CPU: 15.5}}},
		Components: []record.Component{
			component("Cool", 4.4, 4.2, 4.6, false), component("Hot", 12, 11, 13, false), component("Rare", 0.1, 0.2, 0.3, true),
		},
		Matrix: record.MatrixOf([]spell.Domain{spell.CPU}, record.Cell{C: 0, EnergyJ: record.Energy{spell.CPU: 4.4}}, record.Cell{C: 1, EnergyJ: record.Energy{spell.CPU: 12}}, record.Cell{C: 2, EnergyJ: record.Energy{spell.CPU: 0.1}}),
	}
	used := map[int]functionUsed{
		0: {Joules: 24, BracketJ: 40, BracketSeconds: 1, SplitJ: 20}, 1: {Joules: 8, BracketJ: 20, BracketSeconds: 1, SplitJ: 12},
		2: {Joules: 0.2, BracketJ: 7, BracketSeconds: 1},
	}
	test := testUsed{Runs: 2, Joules: 32.2, Seconds: 4}
	r := &row{Name: w.name, bars: w.bars}
	if err := r.take(w, run, &truth{Functions: used, Test: test}); err != nil {
		t.Fatal(err)
	}
	without := &record.Run{
		Meter:      run.Meter,
		Tests:      []record.Test{{Name: workModule + ".TestWork", Rounds: 2, EnergyJ: record.Energy{spell.CPU: 32}, UnattributedJ: record.Energy{spell.CPU: 15}}},
		Components: []record.Component{component("Cool", 5, 4.5, 5.5, false), component("Hot", 12, 11, 13, false)},
		Matrix:     record.MatrixOf([]spell.Domain{spell.CPU}, record.Cell{C: 0, EnergyJ: record.Energy{spell.CPU: 5}}, record.Cell{C: 1, EnergyJ: record.Energy{spell.CPU: 12}}),
	}
	if err := r.takeSampled(w, without, &truth{Functions: used, Test: test}); err != nil {
		t.Fatal(err)
	}
	plain := &record.Run{Tests: without.Tests, Components: []record.Component{component("Cool", 6, 5, 7, false), component("Hot", 9, 8, 10, false)}}
	if err := r.takeSimpler(w, plain, &truth{Functions: used, Test: test}); err != nil {
		t.Fatal(err)
	}
	if err := r.takeOthers(w, &truth{Functions: used, Test: test}, map[string]float64{"Hot": 0.5, "Cool": 0.5}); err != nil {
		t.Fatal(err)
	}
	r.score()
	return r
}

// Why: the whole table depends on these few divisions. Truth and results are joules
// in one run of the test; the other methods' results exclude the idle machine; a
// function with little energy does not count.
func TestRowsAreScored(t *testing.T) {
	r := twoFunctions(t)
	want := []method{
		{"spell-lsp", 0.05, 0.1},
		{"without probes", 0.125, 0.25},
		{"simpler model", 0.375, 0.5},
		{"bracketing", (4./12 + 2./4) / 2, 2. / 4}, // 32/2 J for 12, 12/2 J for 4
		{"equal split", (2./12 + 2./4) / 2, 2. / 4},
		{"CPU profile", ((12-8.05)/12 + 4.05/4) / 2, 4.05 / 4},
	}
	if diff := cmp.Diff(want, r.Methods, about); diff != "" {
		t.Errorf("errors of the methods (-want +got):\n%s", diff)
	}
	if got := r.Functions[2].Got[bracketing]; got != 0 {
		t.Errorf("bracketing gives %g J to what used less than the idle machine, want none", got)
	}
	if math.Abs(r.TruthJ-32.1) > 1e-9 {
		t.Errorf("the test used %g J, want the accounts' 16.1 J and 8 W for 2 s", r.TruthJ)
	}
	var checks []string
	for _, c := range r.Checks {
		checks = append(checks, c.What+" "+c.Value+" "+verdict(c))
	}
	wantChecks := []string{
		"median error 5.00 % pass", "worst error 10.00 % pass", "energy of what waits 0.31 % pass",
		"counter 0.31 % pass", "parts 0.00 % pass", "counter without probes 0.31 % pass", "parts without probes 0.00 % pass", "nearest to the truth 5.00 % pass",
	}
	if diff := cmp.Diff(wantChecks, checks); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

// Why: a round may have been executed and dropped: its duration may differ from that
// of the rounds in the record, but its functions used the same energy.
func TestTruthOfRoundsThatWereKept(t *testing.T) {
	w := &workload{functions: []function{{"Hot", 24, computes}}}
	all := &truth{Functions: map[int]functionUsed{0: {Joules: 30}, neighbourFunction: {Joules: 6}}, Test: testUsed{Runs: 3, Joules: 36, Seconds: 4}}
	for _, tt := range []struct {
		rounds  int
		repeats float64
		ms      float64
		want    float64
	}{
		{3, 0, 9999, (36 + 8*4) / 3.},
		{1, 3, 9999, (36 + 8*4) / 3.},
		{2, 0, 1000, 10 + 1.5*1 + 8*1},
	} {
		run := &record.Run{Tests: []record.Test{{Rounds: tt.rounds, Repeats: tt.repeats, TimeMS: tt.ms}}}
		if got := testJoules(w, run, all); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%d rounds of %g: %g J, want %g", tt.rounds, tt.repeats, got, tt.want)
		}
	}
}

// Why: an interval without the truth in it is a miss, unless the function is marked as
// below resolution; a missing interval is a miss too.
func TestIntervalsAreCounted(t *testing.T) {
	r := twoFunctions(t)
	functions, known, covered := r.intervals(spellLSP)
	if functions != 3 || known != 3 || covered != 2 {
		t.Errorf("%d functions, %d with an interval, %d covered; want 3, 3, and all but Cool", functions, known, covered)
	}
	// No sample fell in Rare: it is below resolution.
	if functions, known, covered := r.intervals(sampling); functions != 3 || known != 3 || covered != 2 {
		t.Errorf("without probes, %d functions, %d with an interval, %d covered; want 3, 3, and all but Cool", functions, known, covered)
	}
	r.Functions[0].Interval = nil
	if _, known, covered := r.intervals(spellLSP); known != 2 || covered != 1 {
		t.Errorf("without Hot's interval %d are known and %d covered, want 2 and 1", known, covered)
	}
	if all := (&report{outside: notCovered, Rows: []*row{r}}).checks(); all[0].OK || !strings.Contains(all[0].Value, "1 have no interval") {
		t.Errorf("two of three are not covered, and the check is %+v", all[0])
	}
}

// Why: a row without values, or a table without rows, proves nothing.
func TestNothingMeasuredDoesNotPass(t *testing.T) {
	good := twoFunctions(t)
	good.Functions[1].BelowResolution, good.Functions[1].SampledBelowResolution = true, true
	other := twoFunctions(t)
	other.Methods[equalSplit].Median = 0.01
	other.Checks = nil
	other.nearest()
	notANumber := &row{Name: "x"}
	notANumber.atMost("counter", math.NaN(), 1)
	for name, tt := range map[string]struct {
		report report
		want   bool
	}{
		"good":          {report{outside: notCovered, Rows: []*row{good}}, true},
		"no row":        {report{}, false},
		"fault":         {report{outside: notCovered, Rows: []*row{good, {Name: "x", Fault: "did not build"}}}, false},
		"other nearer":  {report{outside: notCovered, Rows: []*row{good, other}}, false},
		"pairs missing": {report{outside: notCovered, Rows: []*row{good}, Same: &same{Fault: "no values"}}, false},
		"pairs alike":   {report{outside: notCovered, Rows: []*row{good}, Same: &same{Pairs: 1, Compared: 20, Different: []string{"a"}}}, true},
		"zones differ":  {report{outside: notCovered, Rows: []*row{good}, Same: &same{Pairs: 1, Compared: 19, Zones: []string{"a"}}}, false},
		"pairs differ":  {report{outside: notCovered, Rows: []*row{good}, Same: &same{Pairs: 1, Compared: 19, Different: []string{"a"}}}, false},
		"not a number":  {report{outside: notCovered, Rows: []*row{notANumber}}, false},
	} {
		if got := tt.report.passed(); got != tt.want {
			t.Errorf("%s: passes is %t, want %t", name, got, tt.want)
		}
		var b strings.Builder
		if err := tt.report.write(&b, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Why: a sample belongs to the workload's function nearest to the leaf, whatever that
// function called; function literals count for the function around them.
func TestSamplesBelongToTheLeafmostFunction(t *testing.T) {
	function := func(name string) *profile.Location {
		return &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}}
	}
	spin, cool, hot, calls := function("example.com/burn.spin"), function(workModule+".Cool"), function(workModule+".Hot.func1"), function(workModule+".calls")
	got := shares(&profile.Profile{Sample: []*profile.Sample{
		{Location: []*profile.Location{spin, cool, hot, calls}, Value: []int64{1, 30}},
		{Location: []*profile.Location{hot, calls}, Value: []int64{2, 50}},
		{Location: []*profile.Location{function("runtime.gcDrain")}, Value: []int64{1, 20}},
	}})
	if diff := cmp.Diff(map[string]float64{"Cool": 0.3, "Hot": 0.5}, got, about); diff != "" {
		t.Error(diff)
	}
}

func TestWorst(t *testing.T) {
	if w := worst([]float64{9, 1, 2, 4}); w != 9 || worst(nil) != 0 {
		t.Errorf("worst %g, of nothing %g; want 9, 0", w, worst(nil))
	}
}
