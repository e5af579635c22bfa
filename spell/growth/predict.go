package growth

import "math"

// Prediction is the cost of one call at some size, in the unit of the cost, and
// the 95 % interval of a measurement there.
type Prediction struct {
	Cost, Low, High float64
	Extrapolated    bool // a size is outside of the range that was seen
}

// Predict is what the formula says of sizes, as many as it was fitted to and
// each at least 1; ok is false for others. The interval has the
// scatter of the points, or leastScatter, and the jackknife's error of the formula (Efron, "The
// Jackknife, the Bootstrap and Other Resampling Plans", 1982); it covers all
// models that the points do not tell from the chosen one, which differ most
// far from what was seen. Costs beyond the largest float64 are that number.
func (f Formula) Predict(sizes ...float64) (p Prediction, ok bool) {
	if len(f.rivals) == 0 || len(sizes) != len(f.Ranges) {
		return p, false
	}
	for k, n := range sizes {
		if !(n >= 1) || math.IsInf(n, 0) {
			return p, false
		}
		p.Extrapolated = p.Extrapolated || n < f.Ranges[k].Min || n > f.Ranges[k].Max
	}
	at := f.rivals[0].predict(sizes)
	low, high := at, at
	for _, r := range f.rivals {
		l, h := r.interval(sizes)
		low, high = min(low, l), max(high, h)
	}
	p.Cost, p.Low, p.High = number(at), number(low), number(high)
	return p, true
}

func number(log float64) float64 { return min(math.MaxFloat64, math.Exp(log)) }

// interval is that of the logarithm of the cost.
func (c candidate) interval(sizes []float64) (low, high float64) {
	n, at := float64(len(c.folds)), c.predict(sizes)
	if math.IsInf(at, -1) { // log 1 is 0, whatever the factor
		return at, at
	}
	squares := 0.0
	for _, f := range c.folds {
		e := f.predict(sizes) - at
		squares += min(1e6, e*e)
	}
	scatter := max(c.scatter(), leastScatter)
	half := level(c.points-c.parameters()) * math.Sqrt((n-1)/n*squares+scatter*scatter)
	return at - half, at + half
}
