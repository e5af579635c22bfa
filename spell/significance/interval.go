package significance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// HodgesLehmann estimates what paired differences lie around: the median of the
// means of all two of them, each with itself too (Hodges and Lehmann 1963). The
// interval contains it with at least the given confidence, 0 to 1, and belongs to
// SignedRank: it leaves out 0 where the test finds a difference. ok is false where
// there are too few differences for an interval of that confidence.
func HodgesLehmann(differences []float64, confidence float64) (estimate, low, high float64, ok bool) {
	n := len(differences)
	if n == 0 {
		return 0, 0, 0, false
	}
	means := make([]float64, 0, n*(n+1)/2)
	for i, a := range differences {
		for _, b := range differences[i:] {
			means = append(means, a/2+b/2)
		}
	}
	slices.Sort(means)
	estimate = means[(len(means)-1)/2]/2 + means[len(means)/2]/2
	k := leftOut(n, (1-confidence)/2)
	if k < 0 {
		return estimate, 0, 0, false
	}
	return estimate, means[k], means[len(means)-1-k], true
}

// leftOut is how many means are outside of the interval at either end: the
// greatest w with P(W <= w) <= tail in the distribution of the signed-rank sum of n
// pairs without ties; -1 if there is none.
func leftOut(n int, tail float64) int {
	if n > exactPairs {
		mean, sd := float64(n*(n+1))/4, math.Sqrt(float64(n*(n+1)*(2*n+1))/24)
		return int(math.Floor(mean - 0.5 + sd*distuv.UnitNormal.Quantile(tail)))
	}
	ranks, total := make([]int, n), n*(n+1)/2
	for i := range ranks {
		ranks[i] = i + 1
	}
	below := 0.0
	for w, ways := range waysToSum(ranks, total) {
		if below += math.Ldexp(ways, -n); below > tail+1e-12 {
			return w - 1
		}
	}
	return total
}
