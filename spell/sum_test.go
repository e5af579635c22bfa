package spell_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell"
)

// exactSum adds with numbers that are long enough to be exact, and rounds once.
func exactSum(xs []float64) float64 {
	s := new(big.Float).SetPrec(4000)
	for _, x := range xs {
		s.Add(s, new(big.Float).SetFloat64(x))
	}
	v, _ := s.Float64()
	return v
}

// addends are of many kinds: alike, of a few values, close, far apart, and the
// smallest and largest that there are.
func addends(rng *rand.Rand) []float64 {
	xs := make([]float64, rng.IntN(40))
	kind := rng.IntN(6)
	first := rng.Float64()
	for i := range xs {
		switch kind {
		case 0:
			xs[i] = first
		case 1:
			xs[i] = []float64{0, 0.1, 0.3, 1 << 52}[rng.IntN(4)]
		case 2:
			xs[i] = 1 + rng.Float64()
		case 3:
			xs[i] = math.Ldexp(1+rng.Float64(), rng.IntN(200)-100)
		case 4: // a few bits each, so that ends meet halfway between neighbours
			xs[i] = math.Ldexp(float64(rng.IntN(4)), rng.IntN(130)-65)
		case 5:
			xs[i] = math.Float64frombits(rng.Uint64N(0x6ff0000000000000))
			if i%2 == 0 {
				xs[i] = math.Float64frombits(rng.Uint64N(1 << rng.IntN(56)))
			}
		}
	}
	return xs
}

// Order and number of processors mean nothing to a result because every sum
// is the exact one, rounded once. A fast sum that says it is that must be it;
// the slow one always is. Neither may be a rare case only.
func TestSumsAreExactAndRoundedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	sure, left := 0, 0
	for range 30000 {
		xs := addends(rng)
		cut := rng.IntN(len(xs) + 1)
		want := exactSum(xs)
		got, certain := spell.SumOf(xs[:cut], xs[cut:])
		if certain && got != want {
			t.Fatalf("sum %v, want %v, of %v and %v", got, want, xs[:cut], xs[cut:])
		}
		if got := spell.Sum(xs); got != want {
			t.Fatalf("sum %v, want %v, of %v", got, want, xs)
		}
		if got := spell.Exactly(xs); got != want {
			t.Fatalf("exact sum %v, want %v, of %v", got, want, xs)
		}
		if certain {
			sure++
		} else {
			left++
		}
	}
	if sure < 20000 || left < 200 {
		t.Errorf("%d sums were certain, %d were not: the test sees one side only", sure, left)
	}
}

// A sum of 1 and halves of its last place lies halfway again and again.
func TestSumsHalfwayBetweenNeighbours(t *testing.T) {
	const half = 0x1p-53
	tests := []struct {
		xs   []float64
		want float64
	}{
		{[]float64{1, half}, 1},
		{[]float64{half, 1}, 1},
		{[]float64{1, half, 0x1p-1074}, 1 + 2*half},
		{[]float64{0x1p-1074, half, 1}, 1 + 2*half},
		{[]float64{1, half, half, half}, 1 + 4*half},
		{[]float64{1 + 2*half, half}, 1 + 4*half},
		{[]float64{math.Copysign(0, -1), half, 1, half, math.Copysign(0, -1)}, 1 + 2*half}, // records may have -0
	}
	for _, test := range tests {
		got, certain := spell.SumOf(test.xs)
		if certain && got != test.want {
			t.Errorf("sum of %v is %v, want %v", test.xs, got, test.want)
		}
		if got := spell.Exactly(test.xs); got != test.want {
			t.Errorf("exact sum of %v is %v, want %v", test.xs, got, test.want)
		}
	}
}
