package significance

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactPairs is the greatest number of pairs whose distribution is counted out.
const exactPairs = 50

// A Result is what a signed-rank test found.
type Result struct {
	Pairs int     // differences, with those that are 0
	W     float64 // sum of the ranks of the differences above 0
	Z     float64 // W as standard deviations from its mean, without correction for continuity
	P     float64 // two-sided, 0 to 1
	Exact bool    // P was counted out, not approximated
}

// SignedRank is Wilcoxon's signed-rank test of paired differences, two-sided:
// whether they lie around 0 (Wilcoxon, "Individual comparisons by ranking
// methods", 1945). Equal differences share the mean of their ranks. Zeros are
// ranked with the others and then left out (Pratt 1959): to leave them out before,
// as Wilcoxon did, can make differences significant by adding some that are none.
//
// Up to 50 pairs, P is exact, with ties and zeros too: the part of all ways to give
// the ranks their signs in which W is at least as far from its mean. Above, it
// is the normal approximation with the variance that the ranks have, corrected for
// continuity. Differences are finite.
func SignedRank(differences []float64) Result {
	doubled, w := signedRanks(differences)
	r := Result{Pairs: len(differences), W: float64(w) / 2, P: 1, Exact: len(differences) <= exactPairs}
	total, squares := 0, 0.0
	for _, rank := range doubled {
		total += rank
		squares += float64(rank) * float64(rank)
	}
	if total == 0 {
		return r
	}
	far, sd := math.Abs(float64(2*w-total))/4, math.Sqrt(squares)/4
	r.Z = math.Copysign(far/sd, float64(2*w-total))
	if !r.Exact {
		r.P = min(1, 2*distuv.UnitNormal.Survival(max(0, far-0.5)/sd))
		return r
	}
	ways := waysToSum(doubled, total)
	extreme := 0.0
	for sum, n := range ways {
		if abs(2*sum-total) >= abs(2*w-total) {
			extreme += n
		}
	}
	r.P = min(1, math.Ldexp(extreme, -len(doubled)))
	return r
}

// signedRanks are twice the ranks of the differences that are not 0, which are
// whole numbers even where ranks are shared, and the sum of those above 0.
func signedRanks(differences []float64) (doubled []int, positive int) {
	sizes := make([]float64, len(differences))
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	for i, rank := range Ranks(sizes) {
		if differences[i] == 0 {
			continue
		}
		doubled = append(doubled, int(2*rank))
		if differences[i] > 0 {
			positive += int(2 * rank)
		}
	}
	return doubled, positive
}

// waysToSum counts, for each sum from 0 to the total, the choices of numbers that
// have it. Doubles hold such counts exactly up to 2^53, and near enough above.
func waysToSum(numbers []int, total int) []float64 {
	ways := make([]float64, total+1)
	ways[0] = 1
	reached := 0
	for _, n := range numbers {
		for sum := reached; sum >= 0; sum-- {
			ways[sum+n] += ways[sum]
		}
		reached += n
	}
	return ways
}

func abs(n int) int { return max(n, -n) }

// Effect is the size of an effect, r = |Z| / sqrt(pairs), 0 to 1 (Rosenthal 1991).
// It is 1 where all differences are equal; many that differ in size reach about
// 0.87, all of one sign.
func (r Result) Effect() float64 {
	if r.Pairs == 0 {
		return 0
	}
	return math.Abs(r.Z) / math.Sqrt(float64(r.Pairs))
}

// EffectLabel is the word for an effect of size r, by the bounds that Cohen gives
// for correlations (Statistical Power Analysis, 1988): 0.1, 0.3 and 0.5.
func EffectLabel(r float64) string {
	switch {
	case r < 0.1:
		return "negligible"
	case r < 0.3:
		return "small"
	case r < 0.5:
		return "medium"
	}
	return "large"
}
