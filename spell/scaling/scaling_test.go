package scaling

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/record"
)

func square(n []float64) float64 { return 1e-6 * n[0] * n[0] }
func linear(n []float64) float64 { return 2e-6 * n[0] }
func both(n []float64) float64   { return square(n) + linear(n) }

// sorting is a benchmark of Sort, whose callee swap grows with n^2, and of a linear Read. Log is below a tenth.
func sorting() *record.Run {
	return recordtest.Series("BenchmarkSort/n=%d", recordtest.Alone(16, 64, 256, 1024, 4096, 16384),
		recordtest.Growing{ID: "m.Sort", Self: linear, All: both}, recordtest.Growing{ID: "m.swap", Self: square, All: square}, recordtest.Growing{ID: "m.Log", Self: linear, All: linear})
}

func grown(t *testing.T, r *record.Run, o Options) *Result {
	t.Helper()
	result, err := Of(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Who looks for what will hurt at larger sizes reads the first line. A function's cost is that with its
// callees, so the caller of a quadratic function is quadratic.
func TestBenchmarkAndItsFunctions(t *testing.T) {
	result := grown(t, sorting(), Options{})
	var got []string
	for _, g := range result.Growths {
		got = append(got, fmt.Sprintf("%s %v %s", g.Subject, g.Component, g.Quantity))
		if e := g.Exponents[0]; math.Abs(e.Value-2) > 0.1 || e.CI[0] > e.Value || e.CI[1] < e.Value {
			t.Errorf("%s grows with the power %+v, want 2", g.Subject, e)
		}
		if g.Series != "example.com/m.BenchmarkSort/n=*" || g.Sizes[0] != "n" || g.Origin != Benchmark || !g.Cumulative {
			t.Errorf("the growth is %+v", g)
		}
		if want := (Range{16, 16384, 6}); g.Ranges[0] != want {
			t.Errorf("%s: sizes are %+v, want %+v", g.Subject, g.Ranges[0], want)
		}
	}
	slices.Sort(got)
	if want := []string{"example.com/m.BenchmarkSort false energy", "m.Sort true energy", "m.swap true energy"}; !slices.Equal(got, want) {
		t.Errorf("growths of %v, want %v", got, want)
	}
	whole := result.Growths[slices.IndexFunc(result.Growths, func(g Growth) bool { return !g.Component })]
	first := whole.Points[0]
	if first.Sizes[0] != 16 || first.Calls != 10_000 || math.Abs(first.Error/first.Cost-record.MeanError([]float64{-4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5}, nil)/100) > 1e-9 {
		t.Errorf("the first point is %+v", first)
	}
	for i, n := range []float64{163840, 1638400} {
		p := whole.Predictions[i]
		if p.Sizes[0] != n || !p.Extrapolated || p.Cost < 0.8*both([]float64{n}) || p.Cost > 1.2*both([]float64{n}) || p.CI[0] > p.Cost || p.CI[1] < p.Cost {
			t.Errorf("the prediction for %v is %+v", n, p)
		}
	}
	if len(grown(t, sorting(), Options{Share: 1e-9}).Growths) != 4 {
		t.Error("with any share m.Log is missing")
	}
}

// The steepest growth is first, and what has no formula is last.
func TestOrder(t *testing.T) {
	r := recordtest.Series("BenchmarkA/n=%d", recordtest.Alone(16, 64, 256, 1024, 4096, 16384), recordtest.Growing{ID: "m.A", Self: linear, All: linear})
	for _, other := range []*record.Run{
		recordtest.Series("BenchmarkB/n=%d", recordtest.Alone(16, 64, 256, 1024, 4096, 16384), recordtest.Growing{ID: "m.B", Self: square, All: square}),
		recordtest.Series("BenchmarkC/n=%d", recordtest.Alone(10, 11, 12, 13, 14), recordtest.Growing{ID: "m.C", Self: square, All: square}),
		recordtest.Series("BenchmarkD/n=%d", recordtest.Alone(16, 64, 256), recordtest.Growing{ID: "m.D", Self: square, All: square}),
	} {
		r.Tests = append(r.Tests, other.Tests...)
	}
	var got []string
	for _, g := range grown(t, r, Options{Share: 2}).Growths {
		got = append(got, g.Subject+" "+string(g.Reason))
	}
	if want := []string{"example.com/m.BenchmarkB ", "example.com/m.BenchmarkA ", "example.com/m.BenchmarkC " + string(growth.Narrow), "example.com/m.BenchmarkD " + string(growth.FewSizes)}; !slices.Equal(got, want) {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

// Why: energy that is computed from time says nothing that time does not, and what a counter cannot resolve would be
// fitted to noise.
func TestWhatIsFitted(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(r *record.Run)
		whole  alternatives.Reason // why time, of the benchmark
		swap   alternatives.Reason // and of a component
	}{
		{"measured", func(*record.Run) {}, "", ""},
		{"estimated", func(r *record.Run) { r.Meter.Source = record.Estimated }, alternatives.Estimated, alternatives.Estimated},
		{"none", func(r *record.Run) { r.Meter.Source, r.Meter.Domains = record.NoEnergy, nil }, alternatives.NoCounter, alternatives.NoCounter},
		{"a benchmark below resolution", func(r *record.Run) { r.Tests[2].BelowResolution = true }, alternatives.BelowResolution, alternatives.BelowResolution},
		{"a component below resolution", func(r *record.Run) { r.Components[1].BelowResolution = true }, "", alternatives.BelowResolution},
		{"known by test only", func(r *record.Run) { r.Matrix.Domains, r.Matrix.EnergyJ, r.Matrix.CumEnergyJ = nil, nil, nil }, "", alternatives.NoCounter},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := sorting()
			c.change(r)
			for _, g := range grown(t, r, Options{}).Growths {
				want := c.whole
				switch g.Subject {
				case "m.swap":
					want = c.swap
				case "m.Sort":
					continue
				}
				unit := 1.0
				if want != "" {
					unit = 1000
				}
				last := g.Points[len(g.Points)-1]
				if g.WhyTime != want || (g.Quantity == alternatives.Time) != (want != "") || math.Abs(last.Cost/unit/both(last.Sizes)-1) > 0.05 {
					t.Errorf("%s: %s, because %q, want because %q; the last point is %+v", g.Subject, g.Quantity, g.WhyTime, want, last)
				}
			}
		})
	}
}

// Probes take most of a short operation and little of a long one: with them, quadratic code would look linear.
func TestProbesAreNoCost(t *testing.T) {
	measured, timed := sorting(), sorting()
	timed.Meter.Source = record.Estimated
	for _, r := range []*record.Run{measured, timed} {
		for i := range r.Tests {
			of := &r.Tests[i]
			probes := 1e-4 * math.Pow(4, float64(i)) // J, linear
			of.ProbeMS = 1000 * probes
			of.TimeMS += of.ProbeMS
			of.EnergyJ[spell.CPU] += probes
			half := record.Unattributed{EnergyJ: record.Energy{spell.CPU: of.EnergyJ[spell.CPU] / 2}}
			own := record.Energy{spell.CPU: probes - of.ProbeMS/of.TimeMS*half.EnergyJ.Total()}
			of.Unattributed = map[record.Part]record.Unattributed{record.Idle: half, record.Probes: {TimeMS: of.ProbeMS, EnergyJ: own}}
		}
		want, got := grown(t, sorting(), Options{Share: 2}).Growths[0].Exponents[0], grown(t, r, Options{Share: 2}).Growths[0].Exponents[0]
		if math.Abs(want.Value-got.Value) > 0.01 {
			t.Errorf("%s: with probes the exponent is %v, without %v", r.Meter.Source, got.Value, want.Value)
		}
	}
}

// Cumulative time of a function has the probes of all that it calls: without them it is no more than the benchmark's.
func TestProbesBelowAFunction(t *testing.T) {
	r := sorting()
	r.Meter.Source = record.Estimated
	for i := range r.Tests {
		r.Tests[i].ProbeMS = 3 * r.Tests[i].TimeMS
		r.Tests[i].TimeMS *= 4
	}
	for i := range r.Matrix.CumTimeMS {
		r.Matrix.CumTimeMS[i] *= 4
	}
	for _, g := range grown(t, r, Options{}).Growths {
		if last := g.Points[len(g.Points)-1]; g.Share > 1.001 || g.Subject == "m.Sort" && math.Abs(1000*both(last.Sizes)/last.Cost-1) > 0.05 {
			t.Errorf("%s has a share of %v, and the last point %+v", g.Subject, g.Share, last)
		}
	}
}

// Where goroutines run at once, the time of their probes may be more than that of the benchmark.
func TestProbesOfParallelBenchmarks(t *testing.T) {
	r := sorting()
	r.Meter.Source = record.Estimated
	for i := range r.Tests {
		of := &r.Tests[i]
		of.ProbeMS = 1.5 * of.TimeMS
		of.TimeMS *= 0.625 // four goroutines run for the time of the functions and probes: 2.5 times what it took alone
	}
	for i, p := range grown(t, r, Options{Share: 100}).Growths[0].Points {
		if whole := sorting().Tests[i].TimeMS; math.Abs(p.Cost/whole-0.25) > 1e-3 {
			t.Errorf("at %v an operation takes %v ms, want a quarter of %v ms", p.Sizes, p.Cost, whole)
		}
	}
}

// Where cumulative values are not known, self values are what there is, and it is said.
func TestSelfValues(t *testing.T) {
	r := sorting()
	r.Matrix.CumTimeMS, r.Matrix.CumEnergyJ = nil, nil
	for _, g := range grown(t, r, Options{Share: 1e-9}).Growths {
		if g.Component && g.Cumulative || !g.Component && !g.Cumulative {
			t.Errorf("%s: cumulative is %v", g.Subject, g.Cumulative)
		}
		if last := g.Points[len(g.Points)-1]; g.Subject == "m.Sort" && math.Abs(last.Cost/linear(last.Sizes)-1) > 0.05 {
			t.Errorf("m.Sort costs %v itself, want %v", last.Cost, linear(last.Sizes))
		}
	}
}

// A failed benchmark, and a function that no sample saw at a size, leave a series as it is but for that point.
func TestLeftOut(t *testing.T) {
	r := sorting()
	r.Tests[1].Outcome = record.Fail
	r.Matrix.EnergyJ[1], r.Matrix.CumEnergyJ[1] = 0, 0 // m.swap at n=16
	result := grown(t, r, Options{})
	if len(result.LeftOut) != 1 || result.LeftOut[0].Test != "example.com/m.BenchmarkSort/n=64" || result.LeftOut[0].Outcome != record.Fail {
		t.Errorf("left out are %+v", result.LeftOut)
	}
	for _, g := range result.Growths {
		want := 5
		if g.Subject == "m.swap" {
			want = 4
		}
		if len(g.Points) != want || (g.Reason == "") != (want == 5) {
			t.Errorf("%s has %d points and the reason %q, want %d points", g.Subject, len(g.Points), g.Reason, want)
		}
	}
}

// Sizes without a key have the names that the formula has for them.
func TestTwoSizes(t *testing.T) {
	var grid [][]float64
	for _, n := range []float64{4, 32, 256} {
		for _, m := range []float64{4, 32, 256} {
			grid = append(grid, []float64{n, m})
		}
	}
	product := func(n []float64) float64 { return 1e-6 * n[0] * n[1] }
	g := grown(t, recordtest.Series("BenchmarkJoin/%d/right=%d", grid, recordtest.Growing{ID: "m.Join", Self: product, All: product}), Options{Share: 2}).Growths[0]
	if g.Model != "n*m" || !slices.Equal(g.Sizes, []string{"n", "right"}) || len(g.Exponents) != 2 || g.Series != "example.com/m.BenchmarkJoin/*/right=*" || g.Subject != "example.com/m.BenchmarkJoin" {
		t.Errorf("the growth is %+v", g)
	}
	if p := g.Predictions[0]; !slices.Equal(p.Sizes, []float64{2560, 2560}) {
		t.Errorf("the prediction is %+v", p)
	}
}

// Whoever has no series must learn how to get one.
func TestNone(t *testing.T) {
	failed := sorting()
	for i := range failed.Tests {
		failed.Tests[i].Outcome = record.Crash
	}
	ended := recordtest.Series("BenchmarkA/n=%d", recordtest.Alone(16, 32), recordtest.Growing{ID: "m.A", Self: linear, All: linear})
	ended.Tests[1].Outcome = record.Crash
	for what, c := range map[string]struct {
		run  *record.Run
		want string
	}{
		"no benchmarks":        {&record.Run{ID: "R", Tests: []record.Test{{Name: "m.TestA", Package: "m", Outcome: record.Pass}}}, "run R has no benchmarks: grow compares"},
		"two sizes":            {recordtest.Series("BenchmarkA/n=%d", recordtest.Alone(16, 32), recordtest.Growing{ID: "m.A", Self: linear, All: linear}), "(there are example.com/m.BenchmarkA/n=16, example.com/m.BenchmarkA/n=32): a size is"},
		"a program that ended": {ended, "with --subtests; did not pass: example.com/m.BenchmarkA/n=32 (crash)"},
		"none that passed":     {failed, "no benchmark with sizes passed in run 20261128T220000Z-0001: example.com/m.BenchmarkSort/n=16 (crash)"},
		"an earlier record":    {&record.Run{ID: "R", Tests: []record.Test{{Name: "example.com/m.BenchmarkA/n=1", Package: "m", Outcome: record.Pass}}}, "run R has no benchmarks"},
	} {
		_, err := Of(c.run, Options{})
		none := new(NoneError)
		if !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", what, err, c.want)
		}
	}
}

// A benchmark that is named after a function is there for it, also where making what the function works on is most of
// its cost.
func TestFunctionOfABenchmark(t *testing.T) {
	little := func(n []float64) float64 { return 1e-3 * linear(n) }
	r := recordtest.Series("BenchmarkGrow_List_Find/n=%d", recordtest.Alone(16, 64, 256, 1024, 4096, 16384),
		recordtest.Growing{ID: "example.com/m.(*List).Find", Self: little, All: little},
		recordtest.Growing{ID: "example.com/m.Find", Self: little, All: little},
		recordtest.Growing{ID: "example.com/m.(*List).Add", Self: square, All: square})
	var got []string
	for _, g := range grown(t, r, Options{}).Growths {
		got = append(got, g.Subject+" "+g.Function)
	}
	slices.Sort(got)
	want := []string{"example.com/m.(*List).Add ", "example.com/m.(*List).Find ", "example.com/m.BenchmarkGrow_List_Find example.com/m.(*List).Find"}
	if !slices.Equal(got, want) {
		t.Errorf("growths of %q, want %q", got, want)
	}
}
