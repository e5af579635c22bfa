package power

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A factor is the Cholesky factor of S Q S, where S = diag(unit) makes the
// diagonal 1: terms differ by orders of magnitude.
type factor struct {
	mat.Cholesky
	unit []float64
}

// factorize factors a matrix that is positive definite because of its priors. Where
// rounding hides that, the diagonal grows by the size of rounding errors.
func factorize(q *mat.SymDense) *factor {
	n := q.SymmetricDim()
	f, scaled := &factor{unit: make([]float64, n)}, mat.NewSymDense(n, nil)
	for i := range n {
		f.unit[i] = 1 / math.Sqrt(q.At(i, i))
	}
	for i := range n {
		for j := i; j < n; j++ {
			scaled.SetSym(i, j, q.At(i, j)*f.unit[i]*f.unit[j])
		}
	}
	for ridge := float64(n) * 0x1p-52; !f.Factorize(scaled); ridge *= 10 {
		if !(ridge < float64(10*n)) {
			panic("power: normal equations that are not finite")
		}
		for i := range n {
			scaled.SetSym(i, i, 1+ridge)
		}
	}
	return f
}

// solve returns x of Q x = b.
func (f *factor) solve(b []float64) []float64 {
	x := mat.NewVecDense(len(b), nil)
	for i := range b {
		x.SetVec(i, b[i]*f.unit[i])
	}
	must(f.SolveVecTo(x, x))
	for i := range b {
		x.SetVec(i, x.AtVec(i)*f.unit[i])
	}
	return x.RawVector().Data
}

// inverse returns the inverse of Q.
func (f *factor) inverse() *mat.SymDense {
	inverse := new(mat.SymDense)
	must(f.InverseTo(inverse))
	n := len(f.unit)
	for i := range n {
		row := inverse.RawSymmetric().Data[i*n : (i+1)*n]
		for j := i; j < n; j++ {
			row[j] *= f.unit[i] * f.unit[j]
		}
	}
	return inverse
}

// must panics on errors, except for a nearly singular matrix, which has a result.
func must(err error) {
	var condition mat.Condition
	if err != nil && !errors.As(err, &condition) {
		panic(err)
	}
}
