// Package significance tells whether two series of measurements differ by more
// than chance: rank tests, whose p-values are exact where there are few values,
// Holm's correction where there are many tests, and intervals.
package significance

import (
	"cmp"
	"math"
	"slices"
)

// Ranks are those of values in ascending order, from 1; equal values share the
// mean of theirs.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}

// Holm corrects the p-values of a family of tests, so that the chance of one or
// more false alarms among all of them is no greater than the level that the
// results are compared with (Holm, "A simple sequentially rejective multiple test
// procedure", 1979). The result is in the order of ps, each at least the
// p-value and at most 1.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	corrected, worst := make([]float64, len(ps)), 0.0
	for k, i := range order {
		worst = min(1, max(worst, float64(len(ps)-k)*ps[i]))
		corrected[i] = worst
	}
	return corrected
}

// PairsFor is the smallest number of pairs with which SignedRank can return a p of
// level or less, as n pairs give none below 2/2^n; 0 if no number is enough.
func PairsFor(level float64) int {
	if !(level > 0) {
		return 0
	}
	return max(1, int(math.Ceil(1-math.Log2(level)-1e-9)))
}

// Least is the smallest p that SignedRank can give of n pairs.
func Least(n int) float64 { return min(1, math.Ldexp(2, -n)) }
