package rendering_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/scaling/rendering"
)

var sizes = recordtest.Alone(16, 64, 256, 1024, 4096, 16384)

func constant([]float64) float64 { return 3e-6 }

// sorting is a benchmark whose function swap makes it quadratic, and one with a constant cost.
func sorting() *record.Run {
	square, linear := recordtest.Power(1e-6, 2), recordtest.Power(2e-6, 1)
	both := func(n []float64) float64 { return square(n) + linear(n) }
	r := recordtest.Series("BenchmarkSort/n=%d", sizes,
		recordtest.Growing{ID: "example.com/m.(*List).Sort", Self: linear, All: both}, recordtest.Growing{ID: "example.com/m.swap", Self: square, All: square})
	r.Tests = append(r.Tests, recordtest.Series("BenchmarkLen/n=%d", sizes, recordtest.Growing{ID: "example.com/m.Len", Self: constant, All: constant}).Tests...)
	return r
}

func estimated() *record.Run {
	r := sorting()
	r.Meter.Name, r.Meter.Source = "model", record.Estimated
	return r
}

// unsure is a run with too few sizes, too little spread, a benchmark that failed, self values only, and energy below
// resolution.
func unsure() *record.Run {
	linear := recordtest.Power(2e-6, 1)
	r := recordtest.Series("BenchmarkFew*/n=%d", sizes[:4], recordtest.Growing{ID: "example.com/m.<Few>", Self: linear, All: linear})
	r.Matrix.CumTimeMS, r.Matrix.CumEnergyJ = nil, nil
	for _, other := range []*record.Run{
		recordtest.Series("BenchmarkNarrow/%d", recordtest.Alone(10, 11, 12, 13, 14), recordtest.Growing{ID: "example.com/m.N", Self: linear, All: linear}),
		recordtest.Series("BenchmarkTogether/n=%d/m=%d", [][]float64{{4, 4}, {8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {256, 256}, {512, 512}}, recordtest.Growing{ID: "example.com/m.T", Self: linear, All: linear}),
	} {
		r.Tests = append(r.Tests, other.Tests...)
	}
	r.Tests[1].Outcome, r.Tests[4].BelowResolution, r.Components[0].BelowResolution = record.Fail, true, true
	r.Partial, r.Warnings = true, []string{"another measurement ran at the same time"}
	return r
}

func two() *record.Run {
	var grid [][]float64
	for _, n := range []float64{4, 32, 256} {
		for _, m := range []float64{4, 32, 256} {
			grid = append(grid, []float64{n, m})
		}
	}
	product := func(n []float64) float64 { return 1e-6 * n[0] * n[1] }
	r := recordtest.Series("BenchmarkJoin/left=%d/right=%d", grid, recordtest.Growing{ID: "example.com/m.Join", Self: product, All: product})
	r.Meter.Name, r.Meter.Source, r.Meter.Domains = "none", record.NoEnergy, nil
	return r
}

// called is a run of tests alone, whose calls had many sizes, or too few.
func called() *record.Run {
	many, few := record.SizedCalls{Size: "len(p.cars)"}, record.SizedCalls{Size: "places"}
	for n := range 40 {
		cost := 2e-6 * float64(n*n)
		many.Buckets = append(many.Buckets, record.SizeBucket{
			Low: uint64(n), High: uint64(n), Mean: float64(n), N: 10, TimeMS: 1e4 * cost, CumTimeMS: 1e4 * cost,
			EnergyJ: record.Energy{spell.CPU: 10 * cost}, CumEnergyJ: record.Energy{spell.CPU: 10 * cost},
		})
	}
	few.Buckets = many.Buckets[:3]
	r := recordtest.Series("BenchmarkNone/n=%d", nil, recordtest.Growing{ID: "example.com/m.(*Park).Sort", Self: constant, All: constant})
	c := &r.Components[0]
	c.SizedCalls, c.CumEnergyJ = []record.SizedCalls{many, few}, record.Energy{spell.CPU: 1}
	return r
}

func result(t *testing.T, r *record.Run) *scaling.Result {
	t.Helper()
	all, err := scaling.Of(r, scaling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGolden(t *testing.T) {
	for name, run := range map[string]*record.Run{"measured": sorting(), "estimated": estimated(), "unsure": unsure(), "two": two(), "called": called()} {
		t.Run(name, func(t *testing.T) {
			for end, write := range map[string]func(io.Writer, *scaling.Result) error{
				".txt":  func(w io.Writer, r *scaling.Result) error { return rendering.Text(w, r, 0) },
				".md":   rendering.Markdown,
				".csv":  rendering.CSV,
				".json": rendering.JSON,
			} {
				var b bytes.Buffer
				if err := write(&b, result(t, run)); err != nil {
					t.Fatal(err)
				}
				recordtest.Golden(t, name+end, b.String())
				switch end {
				case ".json":
					if !json.Valid(b.Bytes()) {
						t.Error("the JSON is none")
					}
				case ".csv":
					if _, err := csv.NewReader(&b).ReadAll(); err != nil {
						t.Errorf("the CSV: %v", err)
					}
				}
			}
		})
	}
}

// The sentence is what most readers take away.
func TestSentence(t *testing.T) {
	of := func(name string, sizes [][]float64, cost func([]float64) float64) *record.Run {
		return recordtest.Series(name, sizes, recordtest.Growing{ID: "example.com/m.F", Self: cost, All: cost})
	}
	logarithmic := func(n []float64) float64 {
		sum := 0.0
		for v := n[0]; v >= 2; v /= 2 {
			sum += 1e-6
		}
		return sum
	}
	exponential := func(n []float64) float64 {
		all := 1e-6
		for range int(n[0]) {
			all *= 2
		}
		return all
	}
	unsteady := func(n []float64) float64 { // off by up to ten times
		return n[0] * n[0] * []float64{1, 0.1, 0.2, 9, 0.3}[int(math.Log2(n[0])/2)-2]
	}
	for _, c := range []struct {
		want string
		run  *record.Run
	}{
		{"grows as n^2.00 (1.96 to 2.04) with n, 16 to 16,384", of("BenchmarkF/n=%d", sizes, recordtest.Power(1e-6, 2))},
		{"grows as n^1.00 (0.96 to 1.04) with cars, 16 to 16,384", of("BenchmarkF/cars=%d", sizes, recordtest.Power(1e-6, 1))},
		{"grows as log n with n, 16 to 16,384 (exponent 0.", of("BenchmarkF/%d", sizes, logarithmic)},
		{"grows as 2^n with n, 1 to 21 (exponent ", of("BenchmarkF/n=%d", recordtest.Alone(1, 5, 9, 13, 17, 21), exponential)},
		{"does not grow with n, 16 to 16,384 (exponent 0.00, -0.04 to 0.04)", of("BenchmarkF/n=%d", sizes, constant)},
		{"grows as n*m with n = left, 4 to 256, and m = right, 4 to 256 (exponents 1.00, 0.96 to 1.04", two()},
		{"no formula, too few values of n: there are 3; measure 5 or more", of("BenchmarkF/n=%d", sizes[:3], constant)},
		{"no formula, too few sizes: there are 4 points; measure 8 or more, with 3 values of each size or more", of("BenchmarkF/n=%d/m=%d", [][]float64{{1, 1}, {2, 2}, {4, 3}, {4, 1}}, constant)},
		{"no formula, not enough spread (n, 10 to 14): the largest size must be 8 times the smallest", of("BenchmarkF/n=%d", recordtest.Alone(10, 11, 12, 13, 14), constant)},
		{"no formula, the costs grow, but vary too much from size to size", of("BenchmarkF/n=%d", recordtest.Alone(16, 64, 256, 1024, 4096), unsteady)},
		{"no formula, n and m change together", of("BenchmarkF/n=%d/m=%d", [][]float64{{4, 4}, {8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {256, 256}, {512, 512}}, constant)},
	} {
		if got := rendering.Sentence(&result(t, c.run).Growths[0]); !strings.HasPrefix(got, c.want) {
			t.Errorf("it says\n%s\nwant\n%s", got, c.want)
		}
	}
	// At small sizes the function costs more than the model says, by which larger sizes are predicted.
	square := scaling.Growth{
		Sizes: []string{"n"}, Model: "n^2", Terms: []scaling.Term{{Factor: 1, Powers: [2]float64{2, 0}}},
		Exponents: []scaling.Exponent{{Value: 1.75, CI: [2]float64{1.65, 1.85}}}, Ranges: []scaling.Range{{Min: 16, Max: 4096}},
	}
	if got, want := rendering.Sentence(&square), "grows as n^2 with n, 16 to 4,096 (exponent 1.8, 1.6 to 1.9)"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got, want := rendering.Brief(&square), "grows as n^2 with n"; got != want {
		t.Errorf("the lens says %q, want %q", got, want)
	}
	zero := of("BenchmarkF/n=%d", sizes, constant)
	zero.Tests[0].EnergyJ[spell.CPU], zero.Tests[0].TimeMS = 0, 0
	whole := result(t, zero).Growths
	if got, want := rendering.Sentence(&whole[len(whole)-1]), "no formula, a formula needs sizes of 1 or more and costs above 0, and some are not"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// An exponential cost is soon beyond all numbers.
func TestAbsurdCosts(t *testing.T) {
	for q, want := range map[alternatives.Quantity]string{alternatives.Energy: "over 1e+27 kJ", alternatives.Time: "over 2.78e+23 h"} {
		if got := rendering.Cost(&scaling.Growth{Quantity: q}, math.MaxFloat64); got != want {
			t.Errorf("%s: got %q, want %q", q, got, want)
		}
	}
}

// Benchmarks of two packages may have the same name.
func TestPackagesAreNamed(t *testing.T) {
	r := sorting()
	for _, other := range sorting().Tests {
		other.Name, other.Package = strings.Replace(other.Name, "example.com/m", "example.com/other", 1), "example.com/other"
		r.Tests = append(r.Tests, other)
	}
	var b bytes.Buffer
	if err := rendering.Text(&b, result(t, r), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/m.BenchmarkSort/n=*: grows", "\nexample.com/other.BenchmarkSort/n=*: grows"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	r := result(t, sorting())
	for _, err := range []error{rendering.Text(brokenPipe{}, r, 0), rendering.Markdown(brokenPipe{}, r), rendering.JSON(brokenPipe{}, r), rendering.CSV(brokenPipe{}, r)} {
		if err == nil || err.Error() != "writing the growths: broken pipe" {
			t.Errorf("the error is %v", err)
		}
	}
}

// Who asked for a function reads of it, and not of what its benchmark makes.
func TestBenchmarkOfAFunction(t *testing.T) {
	r := recordtest.Series("BenchmarkGrow_List_Find/order=sorted/n=%d", sizes,
		recordtest.Growing{ID: "example.com/m.(*List).Find", Self: recordtest.Power(2e-9, 1), All: recordtest.Power(2e-9, 1)},
		recordtest.Growing{ID: "example.com/m.(*List).Add", Self: recordtest.Power(1e-6, 2), All: recordtest.Power(1e-6, 2)})
	var b strings.Builder
	if err := rendering.Text(&b, result(t, r), 0); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.HasPrefix(text, "m.(*List).Find/order=sorted/n=*: grows as n^1.0") || !strings.Contains(text, "\nm.(*List).Add ") || strings.Contains(text, "BenchmarkGrow") {
		t.Errorf("the page is:\n%s", text)
	}
}
