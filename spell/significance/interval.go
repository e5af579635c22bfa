package significance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// HodgesLehmann estimates what paired differences lie around: the median of the
// means of all two of them, each with itself too (Hodges and Lehmann 1963). The
// interval contains it with at least the given confidence, 0 to 1, and is made of
// the same distribution as SignedRank: of differences without ties and zeros, it
// leaves out 0 where the test finds one (above 50 of them, both are
// approximations, which differ a little). Where some are 0, it may end at 0
// although the test finds a difference. ok is false where there are too few
// differences for an interval of that confidence.
//
// Memory is linear in the differences, and time but for their sorting.
func HodgesLehmann(differences []float64, confidence float64) (estimate, low, high float64, ok bool) {
	n := len(differences)
	if n == 0 {
		return 0, 0, 0, false
	}
	m := pairMeans(slices.Sorted(slices.Values(differences)))
	count := n * (n + 1) / 2
	estimate = m.at((count-1)/2)/2 + m.at(count/2)/2
	k := leftOut(n, (1-confidence)/2)
	if k < 0 {
		return estimate, 0, 0, false
	}
	return estimate, m.at(k), m.at(count - 1 - k), true
}

// pairMeans are the means of all two of some rising values, which are too many to
// be written down.
type pairMeans []float64

// at is the mean that has k others below it in ascending order: the smallest
// number that more than k means do not exceed. It halves what is left of all
// floating-point numbers.
func (m pairMeans) at(k int) float64 {
	low, high := ordinal(m[0]), ordinal(m[len(m)-1])
	for low < high {
		middle := low&high + (low^high)>>1 // without overflow, rounded down
		if m.upTo(ofOrdinal(middle)) > k {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return ofOrdinal(low) + 0 // no -0
}

// upTo counts the means that are at most v. They rise with either value, rounded
// or not.
func (m pairMeans) upTo(v float64) int {
	count, j := 0, len(m)-1
	for i, a := range m {
		for j >= 0 && a/2+m[j]/2 > v {
			j--
		}
		if j < i {
			break
		}
		count += j - i + 1
	}
	return count
}

// ordinal numbers the floating-point numbers in their order.
func ordinal(v float64) int64 {
	bits := int64(math.Float64bits(v))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func ofOrdinal(n int64) float64 {
	if n < 0 {
		return -math.Float64frombits(uint64(-n))
	}
	return math.Float64frombits(uint64(n))
}

// leftOut is how many means are outside of the interval at either end: the
// greatest w with P(W <= w) <= tail in the distribution of the signed-rank sum of n
// pairs without ties; -1 if there is none.
func leftOut(n int, tail float64) int {
	if n > exactPairs {
		m := float64(n)
		mean, sd := m*(m+1)/4, math.Sqrt(m*(m+1)*(2*m+1)/24)
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
