package power

import "gonum.org/v1/gonum/mat"

// nonNegative minimises w'Qw/2 - b'w with w[i] >= 0 for i < bounded < len(b). Q is
// positive definite, and free is the minimum without bounds. It moves all variables on the
// wrong side of the bound at once. When that stops to reduce their number it moves only
// the last one, which is certain to terminate: block principal pivoting, Portugal, Judice
// & Vicente, Mathematics of Computation 63 (1994).
func nonNegative(q *mat.SymDense, b, free []float64, bounded int) []float64 {
	w, gradient := free, make([]float64, len(b))
	zero := make([]bool, len(b))
	least, tries := len(b)+1, 3
	for {
		wrong := wrongSide(w, gradient, zero, bounded)
		switch {
		case len(wrong) == 0:
			return w
		case len(wrong) < least:
			least, tries = len(wrong), 3
		case tries > 0:
			tries--
		default:
			wrong = wrong[len(wrong)-1:]
		}
		for _, i := range wrong {
			zero[i] = !zero[i]
		}
		w, gradient = stationary(q, b, zero)
	}
}

// wrongSide lists the variables that are negative, and those held at zero although the
// function falls in the positive direction.
func wrongSide(w, gradient []float64, zero []bool, bounded int) []int {
	var wrong []int
	for i := range bounded {
		if !zero[i] && w[i] < 0 || zero[i] && gradient[i] < 0 {
			wrong = append(wrong, i)
		}
	}
	return wrong
}

// stationary solves for the variables that are not held at zero, and returns the gradient
// for those that are.
func stationary(q *mat.SymDense, b []float64, zero []bool) (w, gradient []float64) {
	var free []int
	for i, z := range zero {
		if !z {
			free = append(free, i)
		}
	}
	sub, rhs := mat.NewSymDense(len(free), nil), make([]float64, len(free))
	for i, r := range free {
		rhs[i] = b[r]
		for j := i; j < len(free); j++ {
			sub.SetSym(i, j, q.At(r, free[j]))
		}
	}
	x := factorize(sub).solve(rhs)
	w, gradient = make([]float64, len(b)), make([]float64, len(b))
	for i, r := range free {
		w[r] = x[i]
	}
	for i, z := range zero {
		if !z {
			continue
		}
		gradient[i] = -b[i]
		for _, r := range free {
			gradient[i] += q.At(i, r) * w[r]
		}
	}
	return w, gradient
}
