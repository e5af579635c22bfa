package power

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
)

// The minimum equals the best solution of an exhaustive search: each set of variables is
// held at zero in turn, and solutions with a negative variable are left out.
func TestNonNegative(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(7)
		bounded := r.IntN(n) // the last variables have no bound, like the mean of rows
		q, b := randomProblem(r, n)
		got := nonNegative(q, b, factorize(q).solve(b), bounded)
		want, best := []float64(nil), 0.0
		for set := range 1 << bounded {
			zero := make([]bool, n)
			for i := range bounded {
				zero[i] = set>>i&1 == 1
			}
			w, _ := stationary(q, b, zero)
			if v := value(q, b, w); allowed(w, bounded) && (want == nil || v < best) {
				want, best = w, v
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 1e-9)); diff != "" {
			t.Errorf("problem %d (-want +got):\n%s", seed, diff)
		}
	}
}

// randomProblem returns a problem with correlated variables, so that the bound on one of
// them changes others.
func randomProblem(r *rand.Rand, n int) (*mat.SymDense, []float64) {
	x := mat.NewDense(n+2, n, nil)
	b := make([]float64, n)
	for j := range n {
		b[j] = r.NormFloat64()
		for i := range n + 2 {
			x.Set(i, j, r.NormFloat64()+1)
		}
	}
	q := mat.NewSymDense(n, nil)
	q.SymOuterK(1, x.T())
	return q, b
}

func allowed(w []float64, bounded int) bool {
	for _, x := range w[:bounded] {
		if x < 0 {
			return false
		}
	}
	return true
}

func value(q *mat.SymDense, b, w []float64) float64 {
	x := mat.NewVecDense(len(w), w)
	return mat.Inner(x, q, x)/2 - mat.Dot(x, mat.NewVecDense(len(b), b))
}
