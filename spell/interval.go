package spell

import (
	"math"
	"math/rand/v2"
	"slices"
)

// PsiIntervals returns, by component index, the bounds of a bootstrap 95 %
// interval of psi: rounds are drawn with replacement, as many as there are,
// psi is taken from their mean matrix, and the interval is what remains of
// the outcomes without the lowest and highest 2.5 %.
//
// The rounds are valid matrices with the same domains, tests and components
// in the same order; a cell that a round lacks counts as 0 there. Fewer than
// two rounds say nothing about spread: every interval is then 0 to 1. No
// round gives nil. resamples below 1 means 1000. The same seed gives the same
// result.
//
// It takes about 3 x resamples x rounds multiplications for each cell, and 8
// bytes for each resample and each component that ran.
func PsiIntervals(rounds []*Matrix, o Options, resamples int, seed uint64) [][2]float64 {
	if len(rounds) == 0 {
		return nil
	}
	intervals := make([][2]float64, len(rounds[0].Components))
	if len(rounds) == 1 {
		for j := range intervals {
			intervals[j] = [2]float64{0, 1}
		}
		return intervals
	}
	if resamples < 1 {
		resamples = 1000
	}
	oracle, weights := o.defaults()
	h := newHistory(rounds, weights)
	for j, psi := range h.psi(oracle, drawRounds(len(rounds), resamples, seed)) {
		if psi != nil {
			slices.Sort(psi)
			intervals[j] = [2]float64{quantile(psi, 0.025), quantile(psi, 0.975)}
		}
	}
	return intervals
}

// drawRounds returns one row of shares for each resample: how much each round
// weighs in the mean.
func drawRounds(rounds, resamples int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	draws := make([][]float64, resamples)
	for b := range draws {
		draws[b] = make([]float64, rounds)
		for range rounds {
			draws[b][rng.IntN(rounds)]++
		}
		for r := range draws[b] {
			draws[b][r] /= float64(rounds)
		}
	}
	return draws
}

// quantile interpolates between the two nearest of the sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	f := at - math.Floor(at)
	return sorted[i] + f*(sorted[i+1]-sorted[i])
}
