package budgets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/wording"
)

// program has F, which calls G, in two tests. F uses 1 J of its own and 4 J with G in TestA, and 1 J
// alone in TestB.
func program() *record.Run {
	domains := []spell.Domain{spell.CPU}
	joules := func(j float64) record.Energy { return record.Energy{spell.CPU: j} }
	r := &record.Run{
		Schema: record.Schema, Mode: "instrument", Granularity: spell.KindFunction, Rounds: 2,
		Meter: record.Meter{Name: "model", Source: record.Estimated, Domains: domains},
		Tests: []record.Test{
			{Name: "m.TestA", Package: "m", Outcome: record.Pass, EnergyJ: joules(6), TimeMS: 600, RoundEnergyJ: recordtest.ByRound([]float64{5.9, 6.1}), RoundTimeMS: []float64{599, 601}},
			{Name: "m.TestB", Package: "m", Outcome: record.Pass, EnergyJ: joules(2), TimeMS: 200, RoundEnergyJ: recordtest.ByRound([]float64{2, 2}), RoundTimeMS: []float64{200, 200}},
			{Name: "m.TestB/sub", Package: "m", Outcome: record.Pass, EnergyJ: joules(1), TimeMS: 100, RoundEnergyJ: recordtest.ByRound([]float64{1, 1}), RoundTimeMS: []float64{100, 100}},
			{Name: "m.TestC", Package: "m", Outcome: record.Fail, EnergyJ: joules(50), TimeMS: 5000},
		},
		Components: []record.Component{
			{ID: "m.F", Kind: spell.KindFunction, File: "f.go", Hash: "0123", N: 12, TimeMS: 200, CumTimeMS: 500, EnergyJ: joules(2), CumEnergyJ: joules(5), RoundEnergyJ: recordtest.ByRound([]float64{1.9, 2.1}), RoundTimeMS: []float64{200, 200}},
			{ID: "m.G", Kind: spell.KindFunction, File: "f.go", N: 5, TimeMS: 300, CumTimeMS: 300, EnergyJ: joules(3), CumEnergyJ: joules(3), EnergyCI: map[spell.Domain][2]float64{spell.CPU: {2, 4}}},
		},
		Matrix: record.MatrixOf(domains,
			record.Cell{T: 0, C: 0, N: 10, TimeMS: 100, CumTimeMS: 400, EnergyJ: joules(1), CumEnergyJ: joules(4)},
			record.Cell{T: 0, C: 1, N: 5, TimeMS: 300, CumTimeMS: 300, EnergyJ: joules(3), CumEnergyJ: joules(3)},
			record.Cell{T: 1, C: 0, N: 2, TimeMS: 100, CumTimeMS: 100, EnergyJ: joules(1), CumEnergyJ: joules(1)},
		),
	}
	return r
}

// uncounted makes a run one by samples, which count no calls.
func uncounted(r *record.Run) {
	r.Mode = "sample"
	for i := range r.Components {
		r.Components[i].N = 0
	}
	for i := range r.Matrix.Cells {
		r.Matrix.Cells[i].N = 0
	}
}

// checked are the results of a budget of a component or test, in words.
func checked(r *record.Run, of, text string) []string {
	b := []record.Budget{{Text: text, Line: 3}}
	for i := range r.Components {
		if r.Components[i].ID == of {
			r.Components[i].Budgets = b
		}
	}
	for i := range r.Tests {
		if r.Tests[i].Name == of {
			r.Tests[i].Budgets = b
		}
	}
	var got []string
	for _, res := range budgets.Check(r) {
		got = append(got, fmt.Sprintf("%s: %s", res.Verdict, wording.Text(res.Measured)))
	}
	return got
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		why, of, text string
		alter         func(*record.Run)
		want          []string
	}{
		{"energy with what it calls, its interval from that of its own part and of the tests", "m.F", "0.1 J/call", nil, []string{"broken: 417 mJ estimated (394 mJ to 439 mJ)"}},
		{"the limit is in the interval", "m.F", "400mJ/call", nil, []string{"undecided: 417 mJ estimated (394 mJ to 439 mJ)"}},
		{"the limit is beyond", "m.F", "500mJ/call", nil, []string{"kept: 417 mJ estimated (394 mJ to 439 mJ)"}},
		{"time", "m.F", "41ms/call", nil, []string{"broken: 41.7 ms (41.6 ms to 41.7 ms)"}},
		{"the test in which it uses most", "m.F", "3 J/test, 100 ms/test", nil, []string{"broken: 4.00 J estimated (3.83 J to 4.17 J)", "broken: 400 ms (399 ms to 401 ms)"}},
		{"the test with the most calls", "m.F", "9 calls/test, 10 calls/test", nil, []string{"broken: 10 calls in TestA", "kept: 10 calls in TestA"}},
		{"the interval of the record", "m.G", "0.5 J/call", nil, []string{"undecided: 600 mJ estimated (400 mJ to 800 mJ)"}},
		{"one round has no interval", "m.F", "0.1 J/call", func(r *record.Run) {
			r.Components[0].RoundEnergyJ, r.Tests[0].RoundEnergyJ, r.Tests[1].RoundEnergyJ = nil, nil, nil
			r.Rounds = 1
		}, []string{"broken: 417 mJ estimated, in one round"}},
		{"measured energy", "m.F", "0.1 J/call", func(r *record.Run) { r.Meter.Source = record.Measured }, []string{"broken: 417 mJ (394 mJ to 439 mJ)"}},
		{"own values alone", "m.F", "0.1 J/call", func(r *record.Run) { r.Components[0].CumEnergyJ = nil }, []string{"broken: 167 mJ estimated (150 mJ to 183 mJ), without what it calls"}},
		{"own values alone keep no budget", "m.F", "1 J/call, 1 s/call", func(r *record.Run) { r.Components[0].CumEnergyJ = nil }, []string{"undecided: 167 mJ estimated (150 mJ to 183 mJ), without what it calls", "kept: 41.7 ms (41.6 ms to 41.7 ms)"}},
		{"below resolution", "m.G", "0.5 J/call", func(r *record.Run) { r.Components[1].BelowResolution = true }, []string{"undecided: 600 mJ estimated, below resolution"}},
		{"its own part is below resolution, and small", "m.F", "0.1 J/call", func(r *record.Run) { r.Components[0].BelowResolution = true }, []string{"broken: 417 mJ estimated (394 mJ to 439 mJ)"}},
		{"no energy is known", "m.F", "0.1 J/call, 3 calls/test", func(r *record.Run) {
			r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
			r.Matrix = record.MatrixOf(nil, record.Cell{N: 10})
		}, []string{"broken: 10 calls in TestA"}},
		{"calls that were not counted have no limit, and none per call", "m.F", "1 J/call, 0 calls/test, 1 J/test", uncounted, []string{"broken: 4.00 J estimated (3.83 J to 4.17 J)"}},
		{"nor have those of a test", "m.TestA", "1 calls/test, 1 s/test", uncounted, []string{"kept: 600 ms (598 ms to 602 ms)"}},
		{"no test that counts ran it", "m.G", "1 nJ/call", func(r *record.Run) { r.Tests[0].Outcome = record.Fail }, nil},
		{"benchmarks are no tests in this", "m.F", "3 calls/test, 1 nJ/test, 1 J/call", func(r *record.Run) { r.Tests[0].Name, r.Tests[1].Name = "m.BenchmarkA", "m.BenchmarkB" }, []string{"kept: 417 mJ estimated (394 mJ to 439 mJ)"}},
		{"but they have budgets of their own", "m.BenchmarkA", "14 calls/test", func(r *record.Run) { r.Tests[0].Name = "m.BenchmarkA" }, []string{"broken: 15 calls"}},
		{"what is not understood", "m.F", "1 nj/call", nil, nil},
		{"a test, per call or test", "m.TestA", "1 J/call, 1 s/test, 14 calls/test", nil, []string{"broken: 6.00 J estimated (5.80 J to 6.20 J)", "kept: 600 ms (598 ms to 602 ms)", "broken: 15 calls"}},
		{"a test with its subtests", "m.TestB", "2 J/test, 300 ms/test", nil, []string{"broken: 3.00 J estimated", "kept: 300 ms"}},
		{"the probes alone break no budget", "m.TestA", "400ms/test, 3 J/test, 700ms/test", func(r *record.Run) {
			r.Tests[0].ProbeMS, r.Tests[0].Unattributed = 250, map[record.Part]record.Unattributed{record.Probes: {EnergyJ: record.Energy{spell.CPU: 2}}}
		}, []string{"undecided: 600 ms (348 ms to 602 ms)", "broken: 6.00 J estimated (3.80 J to 6.20 J)", "kept: 600 ms (348 ms to 602 ms)"}},
		{"few probes are not worth a word", "m.TestC", "1 ms/test", func(r *record.Run) {
			r.Tests[2].Name, r.Tests[2].Outcome, r.Tests[3].Outcome, r.Tests[3].ProbeMS = "m.TestC/sub/deep", record.Pass, record.Pass, 1
		}, []string{"broken: 5.10 s"}},
		{"a test that does not count", "m.TestC", "1 J/test", nil, nil},
		{"a test below resolution", "m.TestA", "1 J/test", func(r *record.Run) { r.Tests[0].BelowResolution = true }, []string{"undecided: 6.00 J estimated, below resolution"}},
	} {
		r := program()
		if c.alter != nil {
			c.alter(r)
		}
		if diff := cmp.Diff(c.want, checked(r, c.of, c.text)); diff != "" {
			t.Errorf("%s: %s %s (-want +got):\n%s", c.why, c.of, c.text, diff)
		}
	}
}

// A result says where its comment is, and is a sentence with or without its subject.
func TestResult(t *testing.T) {
	r := program()
	r.Components[0].Budgets = []record.Budget{{Text: "0.1 J/call", Line: 3}}
	list := budgets.With(budgets.Check(r), budget.Broken)
	if len(list) != 1 {
		t.Fatalf("results %+v", list)
	}
	if at := fmt.Sprintf("%s:%d", list[0].File, list[0].Line); at != "f.go:3" {
		t.Errorf("it is at %s", at)
	}
	const want = "budget of 0.1 J per call is broken: 417 mJ"
	for subject, prefix := range map[string]string{"": "", "F": "F: "} {
		if got := wording.Text(list[0].Note(subject)); !strings.HasPrefix(got, prefix+want) {
			t.Errorf("with the subject %q it is %q", subject, got)
		}
	}
	r.Notes = []note.Note{note.NoProbeCalled(1), note.BudgetIgnored("f.go:9", "why")}
	r.Components[0].Budgets, r.Tests[1].File = nil, "g_test.go"
	r.Tests[1].Budgets = []record.Budget{{Text: "1 eV/test", Line: 7}}
	wanted := []string{"f.go:9: the budget is ignored: why", `g_test.go:7: the budget is ignored: column 3: "eV" is no unit`}
	got := wording.Texts(budgets.Ignored(r))
	if len(got) != 2 || got[0] != wanted[0] || !strings.HasPrefix(got[1], wanted[1]) {
		t.Errorf("ignored are %q, want %q", got, wanted)
	}
}
