package growth

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// candidate is a model with the errors of its predictions of points that were
// held out, one by one.
type candidate struct {
	fitted
	errors []float64 // squared logarithms of predicted/measured, weighted
	folds  []fitted  // without each point
}

func (c candidate) mean() float64 {
	sum := 0.0
	for _, e := range c.errors {
		sum += e / float64(len(c.errors))
	}
	return sum
}

// choose are the models that held-out points do not tell from the best, the
// chosen one first: the one with fewest parameters of those that predict about as well as the best, by the rule of one standard
// error (Breiman et al., "Classification and Regression Trees", 1984). A
// model that grows must also beat the constant in an F test.
func choose(d data) ([]candidate, Reason) {
	var all []candidate
	possible := models(len(d.sizes[0]))
	for _, m := range possible {
		if c, ok := holdOut(m, d); ok {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, Unusable
	}
	if all[0].text == "constant" {
		all = slices.DeleteFunc(all, func(c candidate) bool {
			return c.text != "constant" && !grows(d, c.fitted, len(possible))
		})
	}
	best := slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(a.mean(), b.mean()) })
	rivals := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !within(c, best) })
	slices.SortStableFunc(rivals, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.parameters(), b.parameters()), cmp.Compare(a.mean(), b.mean()))
	})
	if whole, ok := wholePower(d, rivals[0], all); ok {
		rivals = slices.Insert(rivals, 0, whole)
	}
	return rivals, ""
}

// wholePower is the best model with a whole power of n that is in the interval of the exponent, where the chosen model has a
// free power: then that is not told from the whole one.
func wholePower(d data, chosen candidate, all []candidate) (whole candidate, ok bool) {
	if !chosen.free {
		return whole, false
	}
	e := exponents(d, chosen.fitted)[0]
	for _, c := range all {
		last := c.columns[len(c.columns)-1]
		if c.free || last != power(last.powers[0], 0) || last.powers[0] < max(1, e.Low) || last.powers[0] > e.High {
			continue
		}
		if !ok || c.mean() < whole.mean() {
			whole, ok = c, true
		}
	}
	return whole, ok
}

// within says whether the errors of c exceed those of the best by no more than
// a standard error of their differences, or are those of any formula on a real machine.
func within(c, best candidate) bool {
	n, mean := float64(len(c.errors)), c.mean()-best.mean()
	squares := 0.0
	for i := range c.errors {
		e := c.errors[i] - best.errors[i] - mean
		squares += e * e
	}
	return mean <= math.Sqrt(squares/(n*(n-1))) || c.mean() <= leastScatter*leastScatter
}

// holdOut fits a model to all points, and to all but each.
func holdOut(m model, d data) (c candidate, ok bool) {
	if c.fitted, ok = fit(m, d); !ok || len(d.logs) <= m.parameters()+1 {
		return c, false
	}
	for i := range d.logs {
		f, ok := fit(m, d.without(i))
		if !ok {
			return c, false
		}
		// bounded, so that sums are numbers: an error by e^100 is as good as any
		e := max(-100, min(100, f.predict(d.sizes[i])-d.logs[i]))
		c.folds = append(c.folds, f)
		c.errors = append(c.errors, d.weight[i]*e*e)
	}
	return c, true
}

// falseGrowth is how often a constant cost may be called growth, shared among
// all models that are tried.
const falseGrowth = 0.002

// grows compares the logarithms of costs: a relative error is at most one where a constant is far too small, however
// much the cost grows.
func grows(d data, f fitted, tried int) bool {
	free := float64(f.points - f.parameters())
	more := float64(max(1, f.parameters()-1))
	flat, rest := spreadOf(d), 0.0
	for i, n := range d.sizes {
		e := max(-100, min(100, f.predict(n)-d.logs[i]))
		rest += d.weight[i] * e * e
	}
	if rest >= flat {
		return false
	}
	if rest <= 1e-18*flat {
		return true
	}
	ratio := (flat - rest) / more / (rest / free)
	return distuv.F{D1: more, D2: free}.Survival(ratio) < falseGrowth/float64(tried)
}

// spreadOf is the weighted sum of squares of the logarithms about their mean. The mean of the weights is 1.
func spreadOf(d data) (sum float64) {
	mean := 0.0
	for i, log := range d.logs {
		mean += d.weight[i] * log / float64(len(d.logs))
	}
	for i, log := range d.logs {
		sum += d.weight[i] * (log - mean) * (log - mean)
	}
	return sum
}
