// Package growth finds a formula for how a cost grows with one or two sizes of the
// input. Formulas of known orders (constant, n, n log n, n^2 and so on) are fitted,
// and one is chosen by how well each predicts points that it was not fitted to. With
// 10 % noise and six sizes, a formula such as c + a n^2 is often found as c + a n^b
// with a fractional b: Exponent, with its interval, then says more than the name of
// the formula.
package growth

import (
	"math"
	"slices"
)

// Point is what was measured at one size.
type Point struct {
	Sizes []float64 // one or two, each finite and at least 1
	Cost  float64   // mean of one call, in any unit, above 0
	Error float64   // standard deviation of that mean, in the same unit; 0: unknown
	Calls float64   // how many calls the mean is of; without Error, more calls weigh more; 0: unknown
}

// The spread that a formula needs. Fewer sizes leave no degrees of freedom for a
// constant, a factor and an exponent; over a smaller range n and n log n differ
// by less than measurements do.
const (
	LeastSizes  = 5 // distinct values of a size that is alone
	LeastEach   = 3 // distinct values of each of two sizes
	LeastPoints = 8 // points with two sizes
	LeastFactor = 8 // largest size divided by the smallest
)

// Reason says why there is no formula.
type Reason string

// The reasons. Fit returns the first that holds.
const (
	Unusable  Reason = "unusable points"       // a size below 1, a cost that is not above 0, or no finite number
	FewSizes  Reason = "not enough sizes"      // fewer than LeastSizes, LeastEach or LeastPoints
	Narrow    Reason = "not enough spread"     // a range below LeastFactor
	Unclear   Reason = "costs vary too much"   // they grow, but are too far from any formula that does
	Entangled Reason = "sizes change together" // two sizes whose effects cannot be told apart
)

// Range is what was seen of one size.
type Range struct {
	Min, Max float64
	Distinct int
}

// Term is a cost that grows with the sizes: Factor x n^Powers[0] x log2(n)^Logs[0],
// and likewise for a second size; with Exponential, Factor x 2^n.
type Term struct {
	Factor       float64 // above 0, in the unit of the cost
	Powers, Logs [2]float64
	Exponential  bool
}

// Formula is how the cost grows.
type Formula struct {
	Model     string  // such as "n log n", "n*m" or "n^1.53"; "constant" where no growth is shown
	Constant  float64 // at least 0, in the unit of the cost
	Terms     []Term  // none in a constant, two in n + m
	Scatter   float64 // relative standard deviation of the points about the formula
	Exponents []Exponent
	Ranges    []Range // by size

	rivals []candidate // models that held-out points do not tell from the chosen one, which is the first
}

// Fit is the formula of points that all have the same one or two sizes; the
// Reason is empty unless there is none.
func Fit(points []Point) (Formula, Reason) {
	ranges, reason := spread(points)
	if reason != "" {
		return Formula{}, reason
	}
	d := newData(points)
	rivals, err := choose(d)
	if err != "" {
		return Formula{}, err
	}
	best := rivals[0].fitted
	f := Formula{Model: best.name(), Scatter: best.scatter(), Ranges: ranges, rivals: rivals}
	if f.Exponents = exponents(d, best); f.Exponents == nil {
		return Formula{}, Entangled
	}
	if best.text == "constant" && slices.ContainsFunc(f.Exponents, func(e Exponent) bool { return e.Low > leastPower }) {
		return Formula{}, Unclear
	}
	for j, b := range best.columns {
		switch factor := math.Exp(best.logs[j]); {
		case !best.active[j]:
		case b == constant:
			f.Constant = factor
		default:
			f.Terms = append(f.Terms, Term{factor, b.powers, b.logs, b.exponential})
		}
	}
	return f, ""
}

// spread says what sizes there are, and whether they are enough.
func spread(points []Point) ([]Range, Reason) {
	if len(points) == 0 {
		return nil, FewSizes
	}
	dims := len(points[0].Sizes)
	if dims < 1 || dims > 2 {
		return nil, Unusable
	}
	for _, p := range points {
		if len(p.Sizes) != dims || !usable(p) {
			return nil, Unusable
		}
	}
	least := LeastSizes
	if dims == 2 {
		least = LeastEach
	}
	ranges := make([]Range, dims)
	for k := range ranges {
		var seen []float64
		for _, p := range points {
			seen = append(seen, p.Sizes[k])
		}
		slices.Sort(seen)
		seen = slices.Compact(seen)
		ranges[k] = Range{seen[0], seen[len(seen)-1], len(seen)}
		if len(seen) < least {
			return ranges, FewSizes
		}
	}
	if dims == 2 && len(points) < LeastPoints {
		return ranges, FewSizes
	}
	for _, r := range ranges {
		if r.Max/r.Min < LeastFactor {
			return ranges, Narrow
		}
	}
	return ranges, ""
}

func usable(p Point) bool {
	for _, n := range p.Sizes {
		if !(n >= 1) || math.IsInf(n, 0) {
			return false
		}
	}
	return p.Cost > 0 && !math.IsInf(p.Cost, 0) && p.Error >= 0 && !math.IsInf(p.Error, 0) && p.Calls >= 0
}
