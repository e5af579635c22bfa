package contest

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// The candidates rest on energy, and add what else makes a leak likely.

// costlyCalls weighs energy by a power of what a call costs.
func costlyCalls(power float64) func(r *record.Run) []float64 {
	return func(r *record.Run) []float64 {
		return ofTallies(r.Tallies(), func(t *record.Tally) float64 {
			if t.N == 0 {
				return 0
			}
			return t.TotalJ() * math.Pow(t.TotalJ()/t.N, power)
		})
	}
}

// rarelySoCostly weighs energy by the share of functions whose calls do not cost more, from a
// least weight to 1.
func rarelySoCostly(least float64) func(r *record.Run) []float64 {
	return func(r *record.Run) []float64 {
		scores, perCall := energy(r), energyPerCall(r)
		var of []float64
		for _, j := range perCall {
			if j > 0 {
				of = append(of, j)
			}
		}
		slices.Sort(of)
		for i, j := range perCall {
			if j > 0 {
				at, _ := slices.BinarySearch(of, j)
				scores[i] *= least + (1-least)*(float64(at)+1)/float64(len(of))
			}
		}
		return scores
	}
}

// beyondUsual is the energy beyond what calls of functions of that length usually cost, and at
// least a quarter of the energy: the usual cost of a line in a call is what two thirds of the
// program's functions do not exceed.
func beyondUsual(r *record.Run) []float64 {
	const quantile, least = 2. / 3, 1. / 4
	scores, perCall := energy(r), energyPerCall(r)
	lines := func(i int) float64 { return float64(max(1, r.Components[i].EndLine-r.Components[i].Line+1)) }
	var costs []float64
	for i, j := range perCall {
		if j > 0 {
			costs = append(costs, j/lines(i))
		}
	}
	if len(costs) == 0 {
		return scores
	}
	slices.Sort(costs)
	usual := costs[int(quantile*float64(len(costs)-1))]
	for i, j := range perCall {
		if j > 0 {
			scores[i] *= max(least, 1-lines(i)*usual/j)
		}
	}
	return scores
}

// agreement is the reciprocal of the mean of the ranks by energy and by energy per call.
func agreement(r *record.Run) []float64 {
	scores, perCall := ranks(energy(r)), ranks(energyPerCall(r))
	for i := range scores {
		scores[i] = 2 / (scores[i] + perCall[i])
	}
	return scores
}

// ranks are from 1, the greatest first; those of equal values are a mean.
func ranks(values []float64) []float64 {
	negated := make([]float64, len(values))
	for i, v := range values {
		negated[i] = -v
	}
	return significance.Ranks(negated)
}

// unmeasuredCallees counts the energy for what of the function's own time is in functions
// without a probe: the standard library, the runtime, other modules.
func unmeasuredCallees(r *record.Run) []float64 {
	scores := energy(r)
	for i := range scores {
		c, in := &r.Components[i], 0.0
		for _, callee := range c.Callees {
			in += callee.TimeMS
		}
		if c.TimeMS > 0 {
			scores[i] *= min(1, in/c.TimeMS)
		} else {
			scores[i] = 0
		}
	}
	return scores
}

// unusualCalls weighs energy by how unusual the cost of a call is for the length of the
// function: by the share of functions whose residual is not higher. The model is the line through
// the logarithms of both, over the functions of the program.
func unusualCalls(r *record.Run) []float64 {
	tallies := r.Tallies()
	var at []int
	var lines, costs []float64
	for i := range tallies {
		if t := &tallies[i]; t.N > 0 && t.TotalJ() > 0 {
			at = append(at, i)
			lines = append(lines, math.Log(float64(max(1, r.Components[i].EndLine-r.Components[i].Line+1))))
			costs = append(costs, math.Log(t.TotalJ()/t.N))
		}
	}
	scores := make([]float64, len(tallies))
	if len(at) == 0 {
		return scores
	}
	intercept, slope := 0.0, 0.0
	if len(at) > 2 && stat.Variance(lines, nil) > 0 {
		intercept, slope = stat.LinearRegression(lines, costs, nil, false)
	}
	residuals := make([]float64, len(at))
	for k := range at {
		residuals[k] = costs[k] - intercept - slope*lines[k]
	}
	for k, rank := range ranks(residuals) {
		scores[at[k]] = tallies[at[k]].TotalJ() * (float64(len(at)) + 1 - rank) / float64(len(at))
	}
	return scores
}

// withCollector adds the energy of the garbage collector to that of the functions, in
// proportion to the bytes that each allocated.
func withCollector(e *Evidence) (Order, error) {
	bytes, err := valuesOf(e.Leaky, e.Memory, "alloc_space", nearest)
	if err != nil {
		return nil, err
	}
	all := 0.0
	for _, b := range bytes {
		all += b
	}
	parts, _, _ := e.Leaky.Unattributed()
	scores := energy(e.Leaky)
	for i := range scores {
		if all > 0 {
			scores[i] += parts[record.Collector] * bytes[i] / all
		}
	}
	return newOrder(e.Leaky, scores), nil
}
