package significance_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/significance"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// The depression factors of Hollander and Wolfe's Nonparametric Statistical Methods
// (Table 3.1): W is 40 of nine pairs, one-sided p 0.019 (5/256), the estimate 0.46 and
// the interval from 0.010 to 0.786.
func TestPublishedExample(t *testing.T) {
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	r := significance.SignedRank(d)
	if r.W != 40 || r.P != 10./256 || !r.Exact || r.Pairs != 9 {
		t.Errorf("got %+v", r)
	}
	if want := (40 - 22.5) / math.Sqrt(9*10*19/24.); !near(r.Z, want) || !near(r.Effect(), want/3) {
		t.Errorf("Z is %v, r %v, want Z %v", r.Z, r.Effect(), want)
	}
	estimate, low, high, ok := significance.HodgesLehmann(d, 0.95)
	if round := func(v float64) float64 { return math.Round(v*1000) / 1000 }; !ok || round(estimate) != 0.46 || round(low) != 0.01 || round(high) != 0.786 {
		t.Errorf("estimate %v, interval %v to %v, %v", estimate, low, high, ok)
	}
}

// What the two kinds of pairs that tables leave out do: ties share ranks, and zeros
// are ranked and then left out (Pratt). Counted by hand.
func TestTiesAndZeros(t *testing.T) {
	for _, tt := range []struct {
		why  string
		d    []float64
		w, p float64
	}{
		{"no pairs", nil, 0, 1},
		{"no difference", []float64{0, 0, 0}, 0, 1},
		{"all one way", []float64{1, 2, 3, 4, 5, 6}, 21, 2. / 64},
		{"the other way", []float64{-1, -2, -3, -4, -5, -6}, 0, 2. / 64},
		{"all tied", []float64{1, 1, 1, -1}, 7.5, 10. / 16}, // sums of 2.5: 4 or 0 of 4 twice, 3 or 1 eight times
		{"a tie", []float64{1, -1, 2}, 4.5, 6. / 8},         // 4.5 or 1.5 or further from 3: all but 3 and 3
		{"zeros keep their ranks", []float64{0, 0, 1, 2, 3}, 12, 2. / 8},
		{"one pair", []float64{3}, 1, 1},
	} {
		r := significance.SignedRank(tt.d)
		if !near(r.W, tt.w) || !near(r.P, tt.p) {
			t.Errorf("%s: W %v, p %v, want W %v, p %v", tt.why, r.W, r.P, tt.w, tt.p)
		}
	}
}

// The count by dynamic programming must be that of going through all signs, for
// any mixture of ties and zeros.
func TestExactIsEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := make([]float64, 1+rng.IntN(9))
		for i := range d {
			d[i] = float64(rng.IntN(7) - 3)
		}
		if got, want := significance.SignedRank(d).P, everyWay(d); !near(got, want) {
			t.Fatalf("%v: p is %v, want %v", d, got, want)
		}
	}
}

func everyWay(d []float64) float64 {
	sizes := make([]float64, len(d))
	for i, v := range d {
		sizes[i] = math.Abs(v)
	}
	ranks, signed, free := significance.Ranks(sizes), 0.0, []float64{}
	for i, v := range d {
		if v != 0 {
			free = append(free, ranks[i])
			signed += math.Copysign(ranks[i], v)
		}
	}
	extreme := 0
	for signs := range 1 << len(free) {
		sum := 0.0
		for i, rank := range free {
			sum += rank * float64(1-2*(signs>>i&1))
		}
		if math.Abs(sum) >= math.Abs(signed)-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(free))
}

// Where counting ends, the approximation must go on: 51 pairs are like 50.
func TestApproximationGoesOn(t *testing.T) {
	for _, shift := range []float64{0, 5, 10, 15, 20} {
		of := func(n int) significance.Result {
			d := make([]float64, n)
			for i := range d {
				d[i] = float64(i+1)*math.Pow(-1, float64(i)) + shift
			}
			return significance.SignedRank(d)
		}
		a, b := of(50), of(52)
		if a.Exact == b.Exact || math.Abs(a.P-b.P) > 0.25*max(a.P, 0.02) {
			t.Errorf("shift %v: %v of 50 pairs, %v of 52", shift, a, b)
		}
	}
}

// The interval and the test say the same: 0 is outside where p is at most 0.05.
func TestIntervalBelongsToTheTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	outside := 0
	for range 400 {
		d := make([]float64, 6+rng.IntN(60))
		for i := range d {
			d[i] = rng.NormFloat64() + 0.3
		}
		_, low, high, ok := significance.HodgesLehmann(d, 0.95)
		r := significance.SignedRank(d)
		if !ok {
			t.Fatalf("no interval of %d differences", len(d))
		}
		if out := low > 0 || high < 0; out != (r.P <= 0.05) && math.Abs(r.P-0.05) > 0.002 { // the approximations differ a little
			t.Fatalf("%d differences: p %v, interval %v to %v", len(d), r.P, low, high)
		} else if out {
			outside++
		}
	}
	if outside < 100 || outside > 395 {
		t.Errorf("0 was outside %d times of 400: the test above tells nothing", outside)
	}
	if _, _, _, ok := significance.HodgesLehmann([]float64{1, 2, 3, 4, 5}, 0.95); ok {
		t.Error("five differences have no interval of 95 %")
	}
	if estimate, _, _, _ := significance.HodgesLehmann([]float64{1, 2, 10}, 0.95); estimate != 3.75 { // 1 1.5 2 5.5 6 10
		t.Errorf("the median of the means is %v, want 3.75", estimate)
	}
}

// What is not written down must be what writing all means down gives, with ties,
// zeros and numbers of any size.
func TestEstimateIsThatOfAllMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := []func() float64{
		rng.NormFloat64,
		func() float64 { return float64(rng.IntN(5) - 2) },
		func() float64 { return 5 + rng.Float64() },
		func() float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(600)-300)) },
		func() float64 { return math.Copysign(0, rng.NormFloat64()) },
	}
	for k := range 500 {
		d := make([]float64, 1+rng.IntN(70))
		for i := range d {
			d[i] = draw[k%len(draw)]()
		}
		var means []float64
		for i := range d {
			for j := range i + 1 {
				means = append(means, d[i]/2+d[j]/2)
			}
		}
		slices.Sort(means)
		estimate, low, high, ok := significance.HodgesLehmann(d, 0.9)
		if want := means[(len(means)-1)/2]/2 + means[len(means)/2]/2; estimate != want {
			t.Fatalf("%v: estimate %v, want %v", d, estimate, want)
		}
		at := slices.Index(means, low)
		if ok != (len(d) >= 5) || ok && (at < 0 || !slices.Contains(means, high) || low > estimate || estimate > high) {
			t.Fatalf("%v: interval %v to %v, %v", d, low, high, ok)
		}
		if ok && means[len(means)-1-at] != high && len(slices.Compact(slices.Clone(means))) == len(means) {
			t.Fatalf("%v: %d means are below %v, but not as many above %v", d, at, low, high)
		}
	}
}

// A record may have ten thousand rounds, which have 50 million means: these are not
// kept.
func TestIntervalOfManyRounds(t *testing.T) {
	const n = 10_000
	d := make([]float64, n)
	for i := range d {
		d[i] = float64((i*7919)%n) - n/2 + 0.5
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	estimate, low, high, ok := significance.HodgesLehmann(d, 0.95)
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 10 {
		t.Errorf("it took %d MB", mb)
	}
	// By the theory of a uniform distribution, half of the interval is 1.96 / sqrt(12 n) of its width.
	half := 1.96 * math.Sqrt(n/12.)
	if !ok || estimate != 0 || math.Abs(high-half) > 0.02*half || low != -high {
		t.Errorf("%v, %v to %v (%v), want 0, -%v to %v", estimate, low, high, ok, half, half)
	}
}

// Zeros are the case in which the test finds a difference and the interval does not
// leave out 0: it ends there.
func TestIntervalWithZeros(t *testing.T) {
	d := []float64{0, 0, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	_, low, high, _ := significance.HodgesLehmann(d, 0.95)
	if p := significance.SignedRank(d).P; p != 0.03125 || low != 0 || math.Round(100*high) != 45 {
		t.Errorf("p is %v, the interval from %v to %v", p, low, high)
	}
}

// Corrected p-values: each is at least that before it, and none is above 1.
func TestHolm(t *testing.T) {
	for _, tt := range []struct{ ps, want []float64 }{
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{[]float64{0.02, 0.001, 0.025}, []float64{0.04, 0.003, 0.04}},
		{[]float64{0.04}, []float64{0.04}},
		{[]float64{0.9, 0.6}, []float64{1, 1}},
		{nil, []float64{}},
	} {
		if diff := cmp.Diff(tt.want, significance.Holm(tt.ps), cmp.Comparer(near)); diff != "" {
			t.Errorf("%v: %s", tt.ps, diff)
		}
	}
}

// How many rounds it takes to show anything.
func TestPairsFor(t *testing.T) {
	for level, want := range map[float64]int{0.05: 6, 0.05 / 10: 9, 0.03125: 6, 0.5: 2, 1: 1, 0: 0, math.NaN(): 0} {
		got := significance.PairsFor(level)
		if got != want {
			t.Errorf("%v takes %d pairs, want %d", level, got, want)
		}
		if got > 1 && (significance.Least(got) > level || significance.Least(got-1) <= level) {
			t.Errorf("%d pairs show %v, one less %v, but %v is wanted", got, significance.Least(got), significance.Least(got-1), level)
		}
	}
}

func TestEffectLabels(t *testing.T) {
	for r, want := range map[float64]string{0: "negligible", 0.09: "negligible", 0.1: "small", 0.3: "medium", 0.49: "medium", 0.5: "large", 0.9: "large"} {
		if got := significance.EffectLabel(r); got != want {
			t.Errorf("%v is %s, want %s", r, got, want)
		}
	}
	if r := significance.SignedRank([]float64{2, 2, 2, 2, 2, 2}).Effect(); !near(r, 1) {
		t.Errorf("equal differences have the effect %v, want 1", r)
	}
	if r := (significance.Result{}).Effect(); r != 0 {
		t.Errorf("nothing has the effect %v", r)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := significance.Median(c.values); got != c.want {
			t.Errorf("the median of %v is %g, want %g", c.values, got, c.want)
		}
	}
}
