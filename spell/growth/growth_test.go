package growth_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spell-lsp/spell/growth"
)

type law struct {
	order string // that must be found; "n^" for any free power
	power float64
	sizes [][]float64
	cost  func(n []float64) float64
}

func doubling(from float64, factor float64, count int) [][]float64 {
	var all [][]float64
	for range count {
		all = append(all, []float64{math.Round(from)})
		from *= factor
	}
	return all
}

func steps(from, step float64, count int) [][]float64 {
	var all [][]float64
	for i := range count {
		all = append(all, []float64{from + step*float64(i)})
	}
	return all
}

func grid(a, b []float64) [][]float64 {
	var all [][]float64
	for _, x := range a {
		for _, y := range b {
			all = append(all, []float64{x, y})
		}
	}
	return all
}

// laws are functions of known order; power is 0 where they have none.
func laws() []law {
	log := func(n []float64) float64 { return math.Log2(n[0]) }
	pow := func(b float64) func([]float64) float64 {
		return func(n []float64) float64 { return math.Pow(n[0], b) }
	}
	nlogn := func(n []float64) float64 { return n[0] * math.Log2(n[0]) }
	exp := func(n []float64) float64 { return math.Exp2(n[0]) }
	var all []law
	add := func(order string, power float64, sizes [][]float64, factor, constant float64, f func([]float64) float64) {
		all = append(all, law{order, power, sizes, func(n []float64) float64 { return constant + factor*f(n) }})
	}
	for _, count := range []int{6, 8, 12} {
		wide := doubling(8, 4, count)
		add("constant", 0, wide, 3e-9, 0, pow(0))
		add("log n", 0, wide, 2e-9, 0, log)
		add("n", 1, wide, 2e-9, 0, pow(1))
		add("n log n", 0, wide, 5e-9, 0, nlogn)
		add("n^2", 2, wide, 2, 0, pow(2))
		add("n^3", 3, wide, 1e-12, 0, pow(3))
		add("2^n", 0, steps(1, 2, count), 1e3, 0, exp)
		add("n^", 1.5, wide, 1, 0, pow(1.5))
		add("n", 1, wide, 1, 40, pow(1))
		add("n^2", 2, wide, 1, 1000, pow(2))
		add("n^3", 3, wide, 1, 5000, pow(3))
	}
	add("n", 1, doubling(10, 10, 6), 1, 0, pow(1))
	add("n^2", 2, doubling(10, 10, 6), 1, 0, pow(2))
	sides := []float64{4, 32, 256, 2048}
	two := grid(sides, sides)
	add("n*m", 0, two, 1e-9, 0, func(n []float64) float64 { return n[0] * n[1] })
	add("n + m", 0, two, 1e-9, 0, func(n []float64) float64 { return n[0] + 3*n[1] })
	add("n*m^2", 0, two, 1e-9, 0, func(n []float64) float64 { return n[0] * n[1] * n[1] })
	add("m^2", 0, two, 1e-9, 0, func(n []float64) float64 { return n[1] * n[1] })
	add("n*m", 0, two, 1, 900, func(n []float64) float64 { return n[0] * n[1] })
	return all
}

func (l law) measured(noise float64, r *rand.Rand) []growth.Point {
	var all []growth.Point
	for _, n := range l.sizes {
		c := l.cost(n)
		all = append(all, growth.Point{Sizes: n, Cost: c * math.Exp(noise*r.NormFloat64()), Error: c * noise})
	}
	return all
}

// A reader acts on the order: it must be the one that the function has, and its
// power must be in the interval.
func TestKnownOrdersAreFound(t *testing.T) {
	const seeds = 8
	right, total, covered, intervals := 0, 0, 0, 0
	var wrong []string
	for i, l := range laws() {
		for _, noise := range []float64{0.02, 0.05, 0.1} {
			for seed := range uint64(seeds) {
				f, reason := growth.Fit(l.measured(noise, rand.New(rand.NewPCG(seed, uint64(i)))))
				total++
				if reason == growth.Unclear {
					wrong = append(wrong, fmt.Sprintf("%s is unclear (law %d, noise %g, %d sizes)", l.order, i, noise, len(l.sizes)))
					continue
				}
				if reason != "" {
					t.Fatalf("%s: %s", l.order, reason)
				}
				if f.Model == l.order || l.order == "n^" && strings.HasPrefix(f.Model, "n^1.") {
					right++
				} else {
					wrong = append(wrong, fmt.Sprintf("%s is called %s (law %d, noise %g, %d sizes)", l.order, f.Model, i, noise, len(l.sizes)))
				}
				if l.power > 0 {
					intervals++
					if e := f.Exponents[0]; e.Low <= l.power && l.power <= e.High {
						covered++
					}
				}
			}
		}
	}
	t.Logf("%d laws, %d of %d right, %d of %d intervals cover", len(laws()), right, total, covered, intervals)
	if float64(right) < 0.95*float64(total) {
		t.Errorf("%d of %d orders are right, want 95 %%:\n%s", right, total, strings.Join(wrong, "\n"))
	}
	if float64(covered) < 0.9*float64(intervals) {
		t.Errorf("%d of %d intervals hold the power, want 90 %%", covered, intervals)
	}
}

func TestConstantsAreSeldomCalledGrowth(t *testing.T) {
	for _, count := range []int{6, 8, 12} {
		for _, noise := range []float64{0.02, 0.1} {
			flat := law{sizes: doubling(8, 4, count), cost: func([]float64) float64 { return 5 }}
			grown := 0
			for seed := range uint64(200) {
				f, reason := growth.Fit(flat.measured(noise, rand.New(rand.NewPCG(seed, 77))))
				if reason != "" {
					t.Fatal(reason)
				}
				if f.Model != "constant" {
					grown++
				}
			}
			if grown > 1 {
				t.Errorf("%d sizes, noise %g: %d of 200 constants are called growth, want 1 at most", count, noise, grown)
			}
		}
	}
}

// On a busy machine single sizes are off by a quarter. Costs that grow a ten-thousandfold are no constant for that, however
// few sizes there are.
func TestSteepGrowthIsNoConstant(t *testing.T) {
	unclear := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 78))
		l := law{sizes: doubling(16, 4, 5), cost: func(n []float64) float64 { return 1e-9 * n[0] * n[0] }}
		switch f, reason := growth.Fit(l.measured(0.25, r)); {
		case reason == growth.Unclear:
			unclear++
		case reason != "" || f.Model == "constant":
			t.Errorf("seed %d: n^2 is called %q (%s)", seed, f.Model, reason)
		}
	}
	if unclear == 0 || unclear > 3 {
		t.Errorf("%d of 100 have no clear formula, want 1 to 3", unclear)
	}
}

// On a real machine costs are off a formula by some per cent at each size, the same in each measurement: the first passes of a
// loop are cheap. Points without noise must not make a free power of n^2 for that, nor an interval that n^2 is outside of.
func TestSmallDeviationsAreNoOtherPower(t *testing.T) {
	for _, power := range []float64{1.97, 2, 2.03} {
		l := law{sizes: doubling(16, 2, 6), cost: func(n []float64) float64 { return math.Pow(n[0], power) }}
		f, reason := growth.Fit(l.measured(0, rand.New(rand.NewPCG(1, 1))))
		if e := f.Exponents[0]; reason != "" || f.Model != "n^2" || e.Low > 2 || e.High < 2 || e.High-e.Low > 0.2 {
			t.Errorf("n^%g is called %s, with %+v (%s)", power, f.Model, e, reason)
		}
	}
}

// A reader acts on the name of a formula: a free power that is not told from a whole one is called the whole one, and
// one that is told is not.
func TestFreePowersAreToldFromWholeOnes(t *testing.T) {
	free := 0
	for _, power := range []float64{1, 1.5, 2, 3} {
		for seed := range uint64(100) {
			l := law{sizes: doubling(16, 2, 7), cost: func(n []float64) float64 { return math.Pow(n[0], power) }}
			f, reason := growth.Fit(l.measured(0.1, rand.New(rand.NewPCG(seed, 79))))
			if reason != "" || len(f.Model) < len("n^1.00") || !strings.HasPrefix(f.Model, "n^") {
				continue
			}
			free++
			for _, whole := range []float64{1, 2, 3} {
				if e := f.Exponents[0]; e.Low <= whole && whole <= e.High {
					t.Errorf("n^%g, seed %d, is called %s, with %+v", power, seed, f.Model, e)
				}
			}
		}
	}
	if free < 80 {
		t.Errorf("%d of 400 have a free power: this test tests little", free)
	}
}

// Without noise factors come out as they went in, and so do costs at other sizes.
func TestFactorsAndPredictions(t *testing.T) {
	l := law{sizes: doubling(8, 4, 8), cost: func(n []float64) float64 { return 100 + 2.5*n[0]*n[0] }}
	f, reason := growth.Fit(l.measured(0, rand.New(rand.NewPCG(1, 1))))
	if reason != "" || f.Model != "n^2" || len(f.Terms) != 1 {
		t.Fatalf("%+v, %s", f, reason)
	}
	if math.Abs(f.Constant-100) > 1e-3 || math.Abs(f.Terms[0].Factor-2.5) > 1e-6 || f.Terms[0].Powers[0] != 2 {
		t.Errorf("constant %g and term %+v, want 100 and 2.5 n^2", f.Constant, f.Terms[0])
	}
	if r := f.Ranges[0]; r != (growth.Range{Min: 8, Max: 131072, Distinct: 8}) {
		t.Errorf("range %+v", r)
	}
	for size, outside := range map[float64]bool{1000: false, 8: false, 7: true, 1e6: true} {
		p, ok := f.Predict(size)
		want := l.cost([]float64{size})
		if !ok || math.Abs(p.Cost/want-1) > 1e-6 || p.Extrapolated != outside || p.Low > p.Cost || p.High < p.Cost {
			t.Errorf("at %g: %+v, want %g, extrapolated %v", size, p, want, outside)
		}
	}
	for _, sizes := range [][]float64{{}, {1, 2}, {0}, {math.NaN()}, {math.Inf(1)}} {
		if p, ok := f.Predict(sizes...); ok {
			t.Errorf("sizes %v give %+v", sizes, p)
		}
	}
}

// A measurement at ten times the largest size lies in the interval that was predicted.
func TestPredictionsHold(t *testing.T) {
	held, total := 0, 0
	for i, l := range laws() {
		if len(l.sizes[0]) == 2 || l.order == "2^n" {
			continue
		}
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, uint64(1000+i)))
			f, _ := growth.Fit(l.measured(0.05, r))
			n := []float64{10 * f.Ranges[0].Max}
			p, _ := f.Predict(n...)
			total++
			if c := l.cost(n) * math.Exp(0.05*r.NormFloat64()); p.Extrapolated && p.Low <= c && c <= p.High {
				held++
			}
		}
	}
	t.Logf("%d of %d", held, total)
	if float64(held) < 0.9*float64(total) {
		t.Errorf("%d of %d predictions hold, want 90 %%", held, total)
	}
}

func TestReasons(t *testing.T) {
	points := func(sizes [][]float64, cost float64) (all []growth.Point) {
		for _, n := range sizes {
			all = append(all, growth.Point{Sizes: n, Cost: cost})
		}
		return all
	}
	diagonal := func() (all [][]float64) {
		for _, n := range doubling(1, 2, 9) {
			all = append(all, []float64{n[0], n[0] * n[0]})
		}
		return all
	}
	for _, test := range []struct {
		why    string
		points []growth.Point
		want   growth.Reason
	}{
		{"no points", nil, growth.FewSizes},
		{"four sizes", points(doubling(1, 10, 4), 1), growth.FewSizes},
		{"one size, many times", points(slices.Repeat(doubling(10, 2, 1), 20), 1), growth.FewSizes},
		{"seven points of two sizes", points(grid([]float64{1, 10, 100}, []float64{1, 10, 100})[:7], 1), growth.FewSizes},
		{"less than a factor of 8", points(steps(100, 10, 10), 1), growth.Narrow},
		{"one of two sizes hardly changes", points(grid([]float64{1, 10, 100}, []float64{1, 2, 3}), 1), growth.Narrow},
		{"the second size is the square of the first", points(diagonal(), 1), growth.Entangled},
		{"a cost of 0", points(doubling(1, 10, 6), 0), growth.Unusable},
		{"a cost that is no number", points(doubling(1, 10, 6), math.NaN()), growth.Unusable},
		{"a size of 0", points(steps(0, 10, 6), 1), growth.Unusable},
		{"no size", []growth.Point{{Cost: 1}}, growth.Unusable},
		{"three sizes", []growth.Point{{Cost: 1, Sizes: []float64{1, 2, 3}}}, growth.Unusable},
		{"one size here, two there", []growth.Point{{Cost: 1, Sizes: []float64{1}}, {Cost: 1, Sizes: []float64{1, 2}}}, growth.Unusable},
	} {
		if f, got := growth.Fit(test.points); got != test.want {
			t.Errorf("%s: %q and %+v, want %q", test.why, got, f, test.want)
		}
	}
}

// Whatever the numbers: no panic, and nothing but numbers comes out.
func FuzzFit(f *testing.F) {
	encode := func(numbers ...float64) (b []byte) {
		for _, v := range numbers {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	f.Add(encode(1, 1, 0, 10, 10, 0, 100, 100, 0, 1e3, 1e3, 0, 1e4, 1e4, 0, 1e5, 1e5, 0), false)
	f.Add(encode(1, 1e-300, 0, 10, 1e300, 0, 1e100, 1, 0, 1e300, 1e3, 1e300, 1e301, 5e-324, 0, 1e5, 1e308, 1e308), false)
	f.Add(encode(1, 1, 1, 1, 10, 1, 1, 100, 1, 10, 1, 1, 10, 10, 1, 10, 100, 2, 100, 1, 1, 100, 10, 5, 100, 100, 9), true)
	f.Fuzz(func(t *testing.T, raw []byte, two bool) {
		var points []growth.Point
		for ; len(raw) >= 24 && len(points) < 16; raw = raw[24:] {
			var v [3]float64
			for i := range v {
				v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			if two {
				points = append(points, growth.Point{Sizes: v[:2], Cost: v[2]})
			} else {
				points = append(points, growth.Point{Sizes: v[:1], Cost: v[1], Error: v[2]})
			}
		}
		onlyNumbers(t, points)
	})
}

// Random bytes are seldom points that can be used; these are, over all magnitudes.
func TestAnyMagnitudeGivesNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	formulas := 0
	for i := range 600 {
		dims, reach := 1+i%2, 300*r.Float64()
		var points []growth.Point
		for range 9 {
			p := growth.Point{Cost: math.Pow(10, reach*(2*r.Float64()-1)), Error: math.Pow(10, reach*(2*r.Float64()-1))}
			for range dims {
				p.Sizes = append(p.Sizes, math.Pow(10, reach*r.Float64()))
			}
			points = append(points, p)
		}
		if onlyNumbers(t, points) {
			formulas++
		}
	}
	if formulas < 300 {
		t.Errorf("%d of 600 have a formula: this test tests little", formulas)
	}
}

func onlyNumbers(t *testing.T, points []growth.Point) (fitted bool) {
	t.Helper()
	formula, reason := growth.Fit(points)
	if reason != "" {
		return false
	}
	numbers := []float64{formula.Constant, formula.Scatter}
	for _, term := range formula.Terms {
		numbers = append(numbers, term.Factor)
	}
	for _, e := range formula.Exponents {
		numbers = append(numbers, e.Value, e.Low, e.High)
	}
	for _, size := range []float64{1, 1e3, 1e300} {
		p, ok := formula.Predict(slices.Repeat([]float64{size}, len(formula.Ranges))...)
		if !ok {
			t.Fatalf("no prediction at %g", size)
		}
		numbers = append(numbers, p.Cost, p.Low, p.High)
	}
	for _, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s: %v of %+v", formula.Model, numbers, points)
		}
	}
	return true
}
