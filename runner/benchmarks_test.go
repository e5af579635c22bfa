package runner

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
)

// benchmarks returns a module whose benchmarks do so many operations as BENCHTIME says.
func benchmarks() map[string]string {
	return map[string]string{
		"m.go": `package m

import "fmt"

func Small(x int) int { return x + 1 }

//go:noinline
func Large(x int) string { return fmt.Sprint(x) }
`,
		"m_test.go": `package m

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.benchtime", os.Getenv("BENCHTIME"))
	os.Exit(m.Run())
}

// The operations of testing.Benchmark are the test's.
func TestRunsABenchmark(t *testing.T) {
	testing.Benchmark(func(b *testing.B) {
		for i := range 10 {
			Small(i)
		}
		b.SkipNow()
	})
}

func BenchmarkN(b *testing.B) {
	for i := range b.N {
		Large(Small(Small(i)))
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		Large(Small(1))
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Small(1)
		}
	})
}

func BenchmarkSubs(b *testing.B) {
	Large(1)
	b.Run("one", func(b *testing.B) {
		for i := range b.N {
			Small(i)
		}
	})
	b.Run("two", func(b *testing.B) {
		for i := range b.N {
			Small(Small(i))
		}
	})
	Large(2)
}

// What runs while the timer is off, or before it is reset, is no part of an operation.
func BenchmarkTimer(b *testing.B) {
	Large(1)
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		Large(i)
		b.StartTimer()
		Small(i)
	}
	b.StopTimer()
	Large(2)
}

func BenchmarkLoopTimer(b *testing.B) {
	Large(1)
	for b.Loop() {
		Small(1)
	}
	Large(2)
}

func BenchmarkStopped(b *testing.B) {
	b.StopTimer()
	Large(1)
	b.StartTimer()
	Large(1)
	b.StopTimer()
	b.ResetTimer()
	Large(1)
	b.StartTimer()
	for i := range b.N {
		Small(i)
	}
}

// More stops than are logged: as many operations count as were.
func BenchmarkManyStops(b *testing.B) {
	for range b.N {
		for range 30 {
			b.StopTimer()
			Large(1)
			b.StartTimer()
			Small(1)
		}
	}
}

// Stops before a reset are forgotten with what they were of.
func BenchmarkStopsBefore(b *testing.B) {
	for range 12_000 {
		b.StopTimer()
		b.StartTimer()
	}
	b.ResetTimer()
	for i := range b.N {
		Small(i)
	}
}

// The timer of a benchmark means nothing while a part of it runs.
func BenchmarkOuter(b *testing.B) {
	b.Run("part", func(part *testing.B) {
		for range part.N {
			b.StopTimer()
			Large(1)
			b.StartTimer()
			Small(1)
		}
		b.ResetTimer()
	})
	Small(1)
	b.ResetTimer()
	Large(1)
}

// A timer may be left on from one run to the next.
func BenchmarkLeftOn(b *testing.B) {
	for range b.N {
		Small(1)
	}
	b.Cleanup(b.StartTimer)
}

func BenchmarkFails(b *testing.B) {
	for i := range b.N {
		Small(i)
	}
	if b.N > 1 {
		b.Fatal("too many")
	}
}

func BenchmarkSkips(b *testing.B) { b.Skip("not here") }
`,
	}
}

// A benchmark does as many operations as it has time for. What the record has of it is for one
// operation, so runs with different numbers of them agree: on calls exactly.
func TestBenchmarksArePerOperation(t *testing.T) {
	p := prepare(t, Params{Dir: module(t, benchmarks()), Run: ".", Bench: ".", Meter: "none", Rounds: 2})
	want := map[string]string{
		"TestRunsABenchmark":   "pass m.Small 10",
		"BenchmarkN":           "pass m.Small 2 m.Large 1 per operation",
		"BenchmarkLoop":        "pass m.Small 1 m.Large 1 per operation",
		"BenchmarkParallel":    "pass m.Small 1 per operation",
		"BenchmarkFails":       "fail m.Small 1 per operation",
		"BenchmarkSkips":       "skip per operation",
		"BenchmarkSubs":        "pass m.Small 3 m.Large 2 per operation",
		"BenchmarkTimer":       "pass m.Small 1 per operation",
		"BenchmarkManyStops":   "pass m.Small 30 per operation",
		"BenchmarkStopsBefore": "pass m.Small 1 per operation",
		"BenchmarkOuter":       "pass m.Small 1 m.Large 2 per operation",
		"BenchmarkLeftOn":      "pass m.Small 1 per operation",
		"BenchmarkLoopTimer":   "pass m.Small 1 per operation",
		"BenchmarkStopped":     "pass m.Small 1 per operation",
	}
	ofEach := map[string]string{
		"BenchmarkOuter":      "pass m.Large 1 per operation",
		"BenchmarkOuter/part": "pass m.Small 1 m.Large 1 per operation",
		"BenchmarkSubs":       "pass m.Large 2 per operation",
		"BenchmarkSubs/one":   "pass m.Small 1 per operation",
		"BenchmarkSubs/two":   "pass m.Small 2 per operation",
	}
	for _, test := range []struct {
		benchTime  string
		subtests   bool
		operations float64 // of BenchmarkN: package testing does one first
	}{{"3x", false, 4}, {"1000x", false, 1001}, {"50x", true, 51}} {
		t.Setenv("BENCHTIME", test.benchTime)
		run, err := p.measure(t, func(m *measurement) { m.setUp.Subtests = test.subtests })
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for i := range run.Tests {
			name := strings.TrimPrefix(run.Tests[i].Name, "example.com/m.")
			got[name] = callsIn(run, i)
			if n := run.Tests[i].Repeats; name == "BenchmarkN" && n != test.operations {
				t.Errorf("with %s, BenchmarkN did %v operations, want %v", test.benchTime, n, test.operations)
			}
		}
		all := want
		if test.subtests {
			all = mapsTogether(want, ofEach)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("with %s, calls (-want +got):\n%s", test.benchTime, diff)
		}
	}
}

// Why: a timer that stops is written down, which takes longer the more functions there are. This must not be taken from the
// functions: a call takes as long as in a benchmark whose timer runs all the time.
func TestTimeWhereTheTimerStops(t *testing.T) {
	files := map[string]string{
		"m.go": `package m

//go:noinline
func Spin(n int) (sum int) {
	for i := range n {
		sum += i * i % 7
	}
	return sum
}
`,
		"m_test.go": `package m

import "testing"

var sum int

func BenchmarkStops(b *testing.B) {
	for range b.N {
		b.StopTimer()
		b.StartTimer()
		sum += Spin(10_000)
	}
}

func BenchmarkRuns(b *testing.B) {
	for range b.N {
		sum += Spin(10_000)
	}
}
`,
	}
	var more strings.Builder
	more.WriteString("package m\n")
	for i := range 2000 {
		fmt.Fprintf(&more, "\nfunc F%d(n int) int { return Spin(n) + %d }\n", i, i)
	}
	files["more.go"] = more.String()
	p := prepare(t, Params{Dir: module(t, files), Run: NoTests, Bench: ".", Meter: "none", Rounds: 1})
	run, err := p.measure(t, func(*measurement) {})
	if err != nil {
		t.Fatal(err)
	}
	ms := make(map[string]float64)
	for _, cell := range run.Matrix.Cells {
		if run.Components[cell.Component].ID == "example.com/m.Spin" {
			ms[strings.TrimPrefix(run.Tests[cell.Test].Name, "example.com/m.Benchmark")] = cell.TimeMS / cell.N
		}
	}
	if ratio := ms["Stops"] / ms["Runs"]; !(ratio > 0.7 && ratio < 1.4) {
		t.Errorf("a call takes %g ms where the timer stops, and %g ms elsewhere", ms["Stops"], ms["Runs"])
	}
}

// An operation may have more stops than are logged: its calls and its time are those of all of it, by the part that was logged.
func TestOperationWithMoreStopsThanAreLogged(t *testing.T) {
	files := map[string]string{"m.go": "package m\n\nfunc Spin(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i * i % 7\n\t}\n\treturn sum\n}\n", "m_test.go": `package m

import "testing"

var sum int

func BenchmarkLong(b *testing.B) {
	for range b.N {
		for range 30_000 {
			b.StopTimer()
			b.StartTimer()
			sum += Spin(15_000)
		}
	}
}
`}
	run, err := prepare(t, Params{Dir: module(t, files), Run: NoTests, Bench: ".", Meter: "none", Rounds: 1, Warmup: 0}).measure(t, func(*measurement) {})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := callsIn(run, 0), "pass m.Spin 3e+04 per operation"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A benchmark that ends its program, in whichever of its runs, has not passed.
func TestBenchmarkThatEndsTheProgram(t *testing.T) {
	dir := module(t, map[string]string{"m.go": "package m\n\nfunc Small(x int) int { return x + 1 }\n", "m_test.go": `package m

import (
	"flag"
	"os"
	"runtime"
	"testing"
)

// However slow the machine is, there is a second run.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.benchtime", "3x")
	os.Exit(m.Run())
}

func BenchmarkPanicsAtOnce(b *testing.B) { panic("no") }

func BenchmarkPanicsLater(b *testing.B) {
	if b.StopTimer(); b.N > 1 {
		panic("no")
	}
}

func BenchmarkCleanup(b *testing.B) {
	b.Cleanup(func() { panic("no") })
	Small(1)
}

// The benchmark itself fails, in one that is a part of it, and the program goes on.
func BenchmarkFailsWithin(b *testing.B) {
	b.Run("part", func(*testing.B) { b.Fatal("no") })
	Small(1)
}

// The program goes on, and ends as if all had passed. So it may after a panic, if that is slower.
func BenchmarkUnwinds(b *testing.B) { runtime.Goexit() }

func BenchmarkUnwindsLater(b *testing.B) {
	if b.StopTimer(); b.N > 1 {
		runtime.Goexit()
	}
}

func BenchmarkSkippedByCleanup(b *testing.B) { b.Cleanup(func() { b.Skip("no") }) }

func BenchmarkFailedByCleanup(b *testing.B) { b.Cleanup(func() { b.Fatal("no") }) }

func BenchmarkFailsAndPanics(b *testing.B) {
	b.Cleanup(func() { panic("no") })
	b.Fatal("no")
}

// The first part skips the benchmark itself, the second one panics.
func BenchmarkSkippedBefore(b *testing.B) {
	b.Run("one", func(*testing.B) { b.Skip("no") })
	b.Run("two", func(*testing.B) { runtime.Goexit() })
}

func BenchmarkExits(b *testing.B) {
	if b.StopTimer(); b.N > 1 {
		os.Exit(0)
	}
}
`})
	for name, want := range map[string]record.Outcome{
		"BenchmarkPanicsAtOnce": record.Crash, "BenchmarkPanicsLater": record.Crash, "BenchmarkExits": record.Crash, "BenchmarkCleanup": record.Crash,
		"BenchmarkUnwinds": record.Crash, "BenchmarkUnwindsLater": record.Crash,
		"BenchmarkFailsWithin": record.Fail, "BenchmarkFailedByCleanup": record.Fail, "BenchmarkFailsAndPanics": record.Crash,
		"BenchmarkSkippedByCleanup": record.Skip, "BenchmarkSkippedBefore": record.Crash,
	} {
		run, err := prepare(t, Params{Dir: dir, Run: NoTests, Bench: name + "$", Meter: "none", Rounds: 1}).measure(t, func(*measurement) {})
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Tests) != 1 || run.Tests[0].Outcome != want {
			t.Errorf("%s: %+v, want one test with the outcome %s", name, run.Tests, want)
		}
	}
}

// callsIn is the outcome of a test, the calls of functions in it, and what these are of.
func callsIn(run *record.Run, test int) string {
	words := []string{string(run.Tests[test].Outcome)}
	for _, cell := range run.Matrix.Cells {
		if c := &run.Components[cell.Component]; int(cell.Test) == test && cell.N > 0 {
			words = append(words, strings.TrimPrefix(c.ID, "example.com/")+" "+strconv.FormatFloat(cell.N, 'g', 4, 64)) // where a timer was stopped too often, N is estimated
		}
	}
	if run.Tests[test].PerOperation {
		words = append(words, "per operation")
	}
	return strings.Join(words, " ")
}

func mapsTogether(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// Two runs of the same benchmark, of which the second had time for fifty times as many operations,
// have the same energy and time, and are compared as unchanged. Its subbenchmarks, one of which did
// a thousandth of the operations of the other, weigh as much as an operation of each takes.
func TestBenchmarksWithOtherNumbersOfOperationsCompare(t *testing.T) {
	base, head := benchmarkRun(t, 100), benchmarkRun(t, 5000)
	for _, run := range []*record.Run{base, head} {
		c, test := &run.Components[0], &run.Tests[0]
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"calls", c.N, 2}, {"time of the function", c.TimeMS, 2 + 50}, {"energy of the function", c.EnergyJ.Total(), 20 + 500},
			{"energy of the test", test.EnergyJ.Total(), 20 + 500}, {"time of the test", test.TimeMS, 2 + 50},
		} {
			if math.Abs(v.got-v.want) > 1e-9*v.want {
				t.Errorf("%s of one operation: %v, want %v", v.what, v.got, v.want)
			}
		}
		if _, err := validity.Checked(run); err != nil {
			t.Error(err)
		}
	}
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e, ms := c.Total.EnergyJ.Verdict, c.Total.TimeMS.Verdict; e != comparison.Unchanged || ms != comparison.Unchanged {
		t.Errorf("energy is %s and time %s, want both unchanged", e, ms)
	}
	old := benchmarkRun(t, 100)
	old.Tests[0].PerOperation = false // as versions wrote it that added up all operations
	if c, err = comparison.Compare(old, head, comparison.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(c.Tests) != 0 || !slices.Equal(c.TestsOnly.Base, []string{"m.BenchmarkBoth"}) {
		t.Errorf("sums of all operations are compared with one operation: %+v", c.Tests)
	}
}

// benchmarkRun is a run of a benchmark that calls one function in two subbenchmarks: one takes 2 ms
// an operation, and the other, which has time for a tenth of the operations, 50 ms. Ten watts.
func benchmarkRun(t *testing.T, operations float64) *record.Run {
	t.Helper()
	domains := []spell.Domain{spell.CPU}
	functions := []spell.Component{{ID: "m.F", Kind: spell.KindFunction}}
	s := &subject{build: &instrument.Build{Components: functions}, units: functions, unitOf: []int{0}}
	var rounds []*round
	for i := range 10 {
		part := func(name string, operations, ms float64) *observation {
			ms *= 1 + float64(i%2)*0.002 - 0.001
			o := &observation{pkg: "m", name: name, outcome: record.Pass, timeMS: operations * ms, joules: []float64{operations * ms * 10}}
			o.intervals = []*attribution.Interval{{
				Counts: map[int]probe.Count{1: {N: uint64(operations), Timed: uint64(operations), SelfNS: uint64(operations * ms * 1e6), CumNS: uint64(operations * ms * 1e6), WallNS: uint64(operations * ms * 1e6)}},
				Joules: slices.Clone(o.joules), LengthNS: operations * ms * 1e6, ProgramNS: operations * ms * 1e6,
			}}
			o.divide(operations)
			return o
		}
		r := &round{tests: []*observation{
			{pkg: "m", name: "BenchmarkBoth", outcome: record.Pass, operation: true, executions: 1, joules: []float64{0}},
			part("BenchmarkBoth/short", operations, 2), part("BenchmarkBoth/long", operations/10, 50),
		}}
		r.foldBenchmarks()
		rounds = append(rounds, r)
	}
	run := &record.Run{Schema: record.Schema, Granularity: spell.KindFunction, Rounds: len(rounds), Mode: "instrument",
		Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: domains}}
	model := attribution.NewModel(attribution.Machine{Domains: domains}, 1, true)
	model.SetRest(attribution.Rest{IdleW: []float64{0}})
	findingsOf(shareEnergy(s, model.Powers(), nil, rounds), s, domains).fill(run)
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	return run
}
