package growth

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Exponent is the power of a size that the cost grows with over the range that
// was seen: b in n^b beside the constant of the formula. Low and High
// are its 95 % interval.
type Exponent struct{ Value, Low, High float64 }

// level is the quantile of Student's distribution for 95 % intervals.
func level(free int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(max(1, free))}.Quantile(0.975)
}

// exponents are those of a free power where one size grows beside a constant,
// otherwise the slopes of the logarithm of the cost.
func exponents(d data, f fitted) []Exponent {
	if len(d.sizes[0]) == 1 && len(f.columns) == 2 && f.active[0] {
		m := model{"n^b", []base{constant, power(1, 0)}, true}
		if e, ok := profile(m, d); ok {
			return []Exponent{e}
		}
	}
	return slopes(d)
}

// profile is the power with all those at which the sum of squares is no larger
// than chance explains.
func profile(m model, d data) (Exponent, bool) {
	f, ok := fit(m, d)
	if !ok {
		return Exponent{}, false
	}
	best := f.columns[1].powers[0]
	free := len(d.logs) - m.parameters()
	t := level(free)
	limit := f.rss + t*t*max(f.rss/float64(free), leastScatter*leastScatter)
	outside := func(b float64) bool { return rssAt(m, d, b) > limit }
	return Exponent{best, edge(best, leastPower, outside), edge(best, mostPower, outside)}, true
}

// edge is the place between inside and end from where on it is outside; end if it is not.
func edge(inside, end float64, outside func(float64) bool) float64 {
	if !outside(end) {
		return end
	}
	for range 30 {
		middle := (inside + end) / 2
		if outside(middle) {
			end = middle
		} else {
			inside = middle
		}
	}
	return inside
}

// slopes is the regression of the logarithm of the cost on those of the sizes.
func slopes(d data) []Exponent {
	n, dims := len(d.logs), len(d.sizes[0])
	x, y := mat.NewDense(n, dims+1, nil), mat.NewVecDense(n, nil)
	for i := range n {
		w := math.Sqrt(d.weight[i])
		x.Set(i, 0, w)
		for k, size := range d.sizes[i] {
			x.Set(i, k+1, w*math.Log(size))
		}
		y.SetVec(i, w*d.logs[i])
	}
	var gram, inverse mat.Dense
	gram.Mul(x.T(), x)
	var b, predicted mat.VecDense
	if inverse.Inverse(&gram) != nil || b.SolveVec(x, y) != nil {
		return nil
	}
	predicted.MulVec(x, &b)
	predicted.SubVec(&predicted, y)
	free := n - dims - 1
	variance := max(mat.Dot(&predicted, &predicted)/float64(free), leastScatter*leastScatter)
	var all []Exponent
	for k := 1; k <= dims; k++ {
		half := level(free) * math.Sqrt(max(0, variance*inverse.At(k, k)))
		all = append(all, Exponent{b.AtVec(k), b.AtVec(k) - half, b.AtVec(k) + half})
	}
	return all
}
