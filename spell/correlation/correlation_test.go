package correlation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell/correlation"
)

// Values are worked out by hand from the definitions.
func TestCorrelations(t *testing.T) {
	const none = math.MaxFloat64 // not defined
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		why               string
		x, y              []float64
		pearson, spearman float64
	}{
		{"a line", []float64{1, 2, 3}, []float64{10, 20, 30}, 1, 1},
		{"a falling line", []float64{1, 2, 3}, []float64{-1, -2, -3}, -1, -1},
		{"rising, but no line: cov 7, variances 2 and 86/3", []float64{1, 2, 3}, []float64{1, 2, 8}, 7 / math.Sqrt(2*86./3), 1},
		{"unrelated", []float64{1, 2, 1, 2}, []float64{1, 1, 2, 2}, 0, 0},
		{"one step back: 1 - 6 x 2 / (4 x 15)", []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.8, 0.8},
		// ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5
		{"a tie", []float64{5, 7, 7, 9}, []float64{1, 2, 3, 4}, 6 / math.Sqrt(8*5), 4.5 / math.Sqrt(4.5*5)},
		// both have ranks 1.5, 1.5, 3.5, 3.5
		{"ties in both", []float64{1, 1, 2, 2}, []float64{3, 3, 9, 9}, 1, 1},
		// ranks 2, 2, 2, 4 and 1 to 4: covariance 3, variances 3 and 5
		{"three of four tie", []float64{0, 0, 0, 1}, []float64{1, 2, 3, 4}, 1.5 / math.Sqrt(0.75*5), 3 / math.Sqrt(3*5)},
		{"two values", []float64{1, 2}, []float64{2, 1}, -1, -1},
		{"far from 0, near each other", []float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, []float64{1, 2, 3}, 1, 1},
		{"too large to square", []float64{-1.7e308, 0, 1.7e308}, []float64{1, 2, 3}, 1, 1},
		{"too small to square", []float64{1e-300, 2e-300, 3e-300}, []float64{1, 2, 3}, 1, 1},
		{"no spread", []float64{1, 2, 3}, []float64{7, 7, 7}, none, none},
		{"one value", []float64{1}, []float64{1}, none, none},
		{"nothing", nil, nil, none, none},
		{"of other lengths", []float64{1, 2, 3}, []float64{1, 2}, none, none},
		{"infinite", []float64{1, 2, 3}, []float64{1, 2, inf}, none, none},
		{"no number", []float64{nan, 2, 3}, []float64{1, 2, 3}, none, none},
	} {
		for name, f := range map[string]struct {
			of   func(x, y []float64) (float64, bool)
			want float64
		}{"Pearson": {correlation.Pearson, test.pearson}, "Spearman": {correlation.Spearman, test.spearman}} {
			for _, order := range [][2][]float64{{test.x, test.y}, {test.y, test.x}} {
				got, ok := f.of(order[0], order[1])
				if ok != (f.want != none) || ok && math.Abs(got-f.want) > 1e-12 {
					t.Errorf("%s: %s of %v and %v is %v, %t; want %v", test.why, name, order[0], order[1], got, ok, f.want)
				}
			}
		}
	}
}

// Rounds that get dearer drift, whatever the steps; those that go up and down
// do not, and of equal ones nothing can be said.
func TestDrift(t *testing.T) {
	for _, test := range []struct {
		series []float64
		want   float64
		ok     bool
	}{
		{[]float64{1, 1.1, 1.2, 9}, 1, true},
		{[]float64{9, 3, 2, 1}, -1, true},
		{[]float64{1, 3, 2, 4}, 0.8, true},
		{[]float64{1, 2, 2, 1}, 0, true},
		{[]float64{4, 4, 4, 4}, 0, false},
		{[]float64{4}, 0, false},
		{nil, 0, false},
	} {
		if got, ok := correlation.Drift(test.series); ok != test.ok || math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v drifts by %v, %t; want %v, %t", test.series, got, ok, test.want, test.ok)
		}
	}
}

// No series gives more than 1 or changes its correlation when it is scaled.
func TestCorrelationOfRandomSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y, scaled := make([]float64, 2+rng.IntN(20)), []float64{}, []float64{}
		for i := range x {
			x[i] = float64(rng.IntN(5))
			y = append(y, x[i]+rng.NormFloat64())
			scaled = append(scaled, 1e6*y[i]-3)
		}
		r, ok := correlation.Pearson(x, y)
		rho, okRho := correlation.Spearman(x, y)
		if ok != okRho || math.Abs(r) > 1 || math.Abs(rho) > 1 {
			t.Fatalf("%v and %v: Pearson %v (%t), Spearman %v (%t)", x, y, r, ok, rho, okRho)
		}
		again, _ := correlation.Pearson(x, scaled)
		rhoAgain, _ := correlation.Spearman(x, scaled)
		if math.Abs(again-r) > 1e-9 || rhoAgain != rho {
			t.Fatalf("%v and %v: scaled, %v became %v and %v became %v", x, y, r, again, rho, rhoAgain)
		}
	}
}

// Bonett and Wright's interval by hand: atanh 0.5 = 0.549306, and 1.959964 x sqrt(1.125 / 39) = 0.332883.
func TestSpearmanInterval(t *testing.T) {
	for _, test := range []struct {
		rho       float64
		n         int
		low, high float64
	}{
		{0.5, 42, math.Tanh(0.549306 - 0.332883), math.Tanh(0.549306 + 0.332883)},
		{-0.5, 42, -math.Tanh(0.549306 + 0.332883), -math.Tanh(0.549306 - 0.332883)},
		{1, 10, 1, 1},
		{0.5, 3, -1, 1},
	} {
		low, high := correlation.SpearmanInterval(test.rho, test.n)
		if math.Abs(low-test.low) > 1e-5 || math.Abs(high-test.high) > 1e-5 {
			t.Errorf("the interval of %v of %d pairs is %v to %v, want %v to %v", test.rho, test.n, low, high, test.low, test.high)
		}
	}
}
