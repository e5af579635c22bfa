package benchfmt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/benchfmt"
	"spell-lsp/spell/record"
)

type writer func(w io.Writer, r *record.Run, o benchfmt.Options) error

func written(t *testing.T, write writer, r *record.Run, o benchfmt.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	runs := recordtest.All()
	runs["benchmark"] = recordtest.Benchmark
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			r := recordtest.InRounds(run())
			recordtest.Golden(t, name+".txt", written(t, benchfmt.Write, r, benchfmt.Options{}))
			recordtest.Golden(t, name+".json", written(t, benchfmt.WriteGitHub, r, benchfmt.Options{}))
		})
	}
}

// lines are those with a value in the unit.
func lines(text, unit string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Benchmark") && strings.Contains(line, " "+unit) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// Why: a value below the resolution of the counter is noise, and benchstat would judge it.
func TestNoJoulesBelowResolution(t *testing.T) {
	r := recordtest.InRounds(recordtest.Benchmark())
	r.Tests[1].BelowResolution = true
	for i := range r.Components {
		r.Components[i].BelowResolution = true
	}
	text := written(t, benchfmt.Write, r, benchfmt.Options{})
	if got := lines(text, "J/op"); len(got) != 10 || !strings.HasPrefix(got[0], "BenchmarkTest/TestMany ") {
		t.Errorf("lines with joules are %q, want those of TestMany", got)
	}
	if got := lines(text, "sec/op"); len(got) != 20 {
		t.Errorf("%d lines have wall time, want 20", len(got))
	}
	if strings.Contains(written(t, benchfmt.WriteGitHub, r, benchfmt.Options{}), "Few/cars=1 - J/op") {
		t.Error("the JSON has joules below resolution")
	}
}

// Why: two runs of the same code had 25 ns and 2,300 ns for functions that ran for less than a
// millisecond, and benchstat called it significant. Their calls are exact.
func TestTooShortHasCallsAlone(t *testing.T) {
	text := written(t, benchfmt.Write, recordtest.InRounds(recordtest.Park()), benchfmt.Options{})
	if want := "\nBenchmarkFunc/Open 3 2.5 calls/round\n"; strings.Count(text, want) == 0 {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}

// Without probes and counts, a call is not known: the operation is a round, and the unit says so.
func TestUncountedCalls(t *testing.T) {
	r := recordtest.InRounds(recordtest.Park())
	for i := range r.Components {
		r.Components[i].N = 0
	}
	text := written(t, benchfmt.Write, r, benchfmt.Options{})
	if got := lines(text, "J/round"); len(got) != 30 || !strings.Contains(got[0], " 1 ") || !strings.Contains(got[0], " cpu-sec/round") {
		t.Errorf("lines in joules per round are %q, want 10 of 3 functions with one operation", got)
	}
	if strings.Contains(text, "calls/round") {
		t.Error("calls were not counted, and are there")
	}
}

// A matrix is one round, whose file may not say where its energy comes from.
func TestMatrixIsOneRound(t *testing.T) {
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU}, Tests: []string{"t"}, Energy: []float64{4},
		Components: []spell.Component{{ID: "read file", Kind: spell.KindBlock}},
		Cells:      []spell.Cell{{N: 2, TimeMS: 3000}},
	}
	text := written(t, benchfmt.Write, record.FromMatrix(m, ""), benchfmt.Options{})
	for _, want := range []string{
		"energy: unknown\nmeter: file\n", "\nkind: test\nBenchmarkTest/t 1 4 est-J/op 3 sec/op\n",
		"\nkind: block\nBenchmarkBlock/read_file 2 2 est-J/op 1.5 cpu-sec/op 2 calls/round\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Why: an empty file would look as if nothing had been measured.
func TestNoValuesByRound(t *testing.T) {
	if err := benchfmt.Write(io.Discard, recordtest.Park(), benchfmt.Options{}); !errors.Is(err, benchfmt.ErrNoRounds) {
		t.Errorf("the error is %v, want %v", err, benchfmt.ErrNoRounds)
	}
	text := written(t, benchfmt.WriteGitHub, recordtest.Park(), benchfmt.Options{})
	if !strings.Contains(text, `"name": "test example.com/park.TestMany - J/op"`) || strings.Contains(text, "±") {
		t.Errorf("want means without intervals, have\n%s", text)
	}
}

// A test that did not run in all rounds has no values by round: it is left out, not written as one
// round.
func TestFlakyTestIsLeftOut(t *testing.T) {
	r := recordtest.InRounds(recordtest.Park())
	r.Tests[0].RoundEnergyJ, r.Tests[0].RoundTimeMS = nil, nil
	text := written(t, benchfmt.Write, r, benchfmt.Options{})
	if strings.Contains(text, "TestMany") || !strings.Contains(text, "BenchmarkTest/TestFew/one_by_one 1 ") {
		t.Errorf("want TestFew alone, have\n%s", text)
	}
}

// Why: names that differ only in what the format cannot have would be one benchmark.
func TestNamesStayApart(t *testing.T) {
	r := recordtest.InRounds(recordtest.Park())
	for i, name := range []string{"b_c#01", "b_c", "b c"} { // as they rank, which the names must not follow
		r.Components[i].Package, r.Components[i].ID, r.Components[i].N = "a", "a."+name, float64(i+10)
	}
	text := written(t, benchfmt.Write, r, benchfmt.Options{})
	for _, want := range []string{"BenchmarkFunc/b_c 12 ", "BenchmarkFunc/b_c#01 11 ", "BenchmarkFunc/b_c#01#01 10 "} {
		if strings.Count(text, want) != 10 {
			t.Errorf("%q is there %d times, want 10, in\n%s", want, strings.Count(text, want), text)
		}
	}
}

// --top keeps the components that rank first, and all tests.
func TestTop(t *testing.T) {
	r := recordtest.InRounds(recordtest.Park())
	for unit, want := range map[string]int{"cpu-sec/op": 10, "sec/op": 20} {
		if got := lines(written(t, benchfmt.Write, r, benchfmt.Options{Top: 1}), unit); len(got) != want {
			t.Errorf("%d lines are in %s, want %d", len(got), unit, want)
		}
	}
}

// What one call used of 1e300 J in 1e-300 calls is no number. JSON has no word for it.
func TestNoInfinity(t *testing.T) {
	r := recordtest.InRounds(recordtest.Park())
	c := &r.Components[0]
	c.N, c.EnergyJ = 1e-300, record.Energy{spell.CPU: 1e300}
	r.Components[1].RoundTimeMS[3] = record.MaxNumber // whose square is none
	text := written(t, benchfmt.Write, r, benchfmt.Options{}) + written(t, benchfmt.WriteGitHub, r, benchfmt.Options{})
	if strings.Contains(text, "Inf") || strings.Contains(text, "NaN") {
		t.Errorf("there are values that are no numbers in\n%s", text)
	}
}

// A point has the fields that the action documents for its tool customSmallerIsBetter.
type point struct {
	Name  *string  `json:"name"`
	Unit  *string  `json:"unit"`
	Value *float64 `json:"value"`
	Range string   `json:"range"`
	Extra string   `json:"extra"`
}

func points(t *testing.T, r *record.Run) map[string]point {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(written(t, benchfmt.WriteGitHub, r, benchfmt.Options{})))
	d.DisallowUnknownFields()
	var list []point
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	named := make(map[string]point)
	for _, p := range list {
		if p.Name == nil || p.Unit == nil || p.Value == nil {
			t.Fatalf("%+v lacks a name, a unit or a value", p)
		}
		if _, twice := named[*p.Name]; twice {
			t.Errorf("%s is there twice", *p.Name)
		}
		named[*p.Name] = p
	}
	return named
}

// Why: the action compares points of the same name, and does not look at their units.
func TestPoints(t *testing.T) {
	for name, run := range recordtest.All() {
		for _, p := range points(t, recordtest.InRounds(run())) {
			if !strings.HasSuffix(*p.Name, " - "+*p.Unit) {
				t.Errorf("%s: the name %q is without its unit, %s", name, *p.Name, *p.Unit)
			}
		}
	}
}

// The fitted power of a function is uncertain in all rounds alike: its interval is that of the
// record, not that of the rounds.
func TestIntervalOfAFunction(t *testing.T) {
	r := recordtest.Measured(recordtest.Program(recordtest.Part{ID: "m.F", Joules: []float64{4, 4, 4, 4}, N: 2}), 0.25)
	if p := points(t, r)["func m.F - J/op"]; p.Range != "± 0.5" || p.Value == nil || math.Abs(*p.Value-2) > 1e-9 {
		t.Errorf("the point is %+v, want 2 ± 0.5 J", p)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	for _, write := range []writer{benchfmt.Write, benchfmt.WriteGitHub} {
		if err := write(brokenPipe{}, recordtest.InRounds(recordtest.Park()), benchfmt.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
			t.Errorf("the error is %v", err)
		}
	}
}
