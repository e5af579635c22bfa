package spell

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// A Bootstrap says how intervals are drawn. The zero value draws 1000 times and
// takes the energies for exact.
type Bootstrap struct {
	Resamples int // below 1: 1000
	Seed      uint64
	// EnergySD is the standard deviation of the watts that a component's energy
	// was computed with, relative to them, by component and domain; nil or too
	// short where they are exact. In each resample one normal factor of mean 1,
	// cut off at 0, multiplies all energies of the component in the domain.
	EnergySD [][]float64
	// Weights are how much each round weighs in the mean, in proportion; nil: all as much. It goes with
	// "rounds" that are means of several.
	Weights []float64
	// Draws is how many rounds a resample draws; 0: as many as there are. One fewer gives the variance of a
	// mean without bias, which matters where they are few (Efron: The Jackknife, the Bootstrap and Other
	// Resampling Plans, 1982, chapter 8).
	Draws int

	// draws, if not nil, are used in place of random ones: how much each round weighs in the
	// mean, by resample.
	draws [][]float64
}

// An Interval is the bounds of the 95 % intervals of a component.
type Interval struct {
	Psi   [2]float64
	Score [2]float64 // what the order ranks by
	Rank  [2]int     // from 1
}

// Intervals returns, by component index, bootstrap intervals of psi, score and rank:
// rounds are drawn with replacement, as many as there are, psi, score and rank are
// taken from their mean matrix, and the interval is what remains of the
// outcomes without the lowest and highest 2.5 %. Bounds of ranks that fall
// between two are moved outwards. Ties are ranked as [Rank] does.
//
// The rounds are valid matrices with the same domains, tests and components
// in the same order; a cell that a round lacks counts as 0 there. Fewer than
// two rounds say nothing about spread: every interval is then 0 to 1, and every
// rank possible. No round gives nil. The same seed gives the same result.
//
// It takes about 3 x resamples x rounds multiplications for each cell, one more
// by domain where EnergySD is given, the sorting of the components for each
// resample, and 12 bytes for each resample and component; except under ByPsi the
// multiplications twice, and 8 bytes more, or 16 where shares are weighted.
func Intervals(rounds []*Matrix, o Options, b Bootstrap) []Interval {
	if len(rounds) == 0 {
		return nil
	}
	components := rounds[0].Components
	intervals := make([]Interval, len(components))
	if len(rounds) == 1 {
		for j := range intervals {
			intervals[j] = Interval{Psi: [2]float64{0, 1}, Score: [2]float64{0, 1}, Rank: [2]int{1, len(components)}}
		}
		return intervals
	}
	psi := resampledPsi(rounds, o, b)
	score := psi
	if o.Order.shares() {
		score, _ = o.Order.resampledScores(rounds, b)
	}
	for j, ranks := range resampledRanks(components, score) {
		slices.Sort(ranks)
		intervals[j].Rank = [2]int{
			int(math.Floor(quantile(ranks, 0.025))),
			int(math.Ceil(quantile(ranks, 0.975))),
		}
	}
	for j := range intervals {
		intervals[j].Psi, intervals[j].Score = bounds(psi[j]), bounds(score[j])
	}
	return intervals
}

// bounds sorts values; one that has none is always 0.
func bounds(values []float64) [2]float64 {
	if values == nil {
		return [2]float64{}
	}
	slices.Sort(values)
	return [2]float64{quantile(values, 0.025), quantile(values, 0.975)}
}

// resampledPsi returns psi by component and resample; nil for a component that
// has no cell.
func resampledPsi(rounds []*Matrix, o Options, b Bootstrap) [][]float64 {
	oracle, weights := o.WithDefaults()
	return b.resample(rounds, oracle, weights, func(use categories) categories { return use })
}

// resampledScores returns the scores of an order of shares by component and resample, and the
// shares themselves; nil for a component that has no cell.
func (o Order) resampledScores(rounds []*Matrix, b Bootstrap) (score, held [][]float64) {
	held, of := resampledShares(rounds, b)
	executions := executionsOf(rounds)
	if o == ByEnergy || of == ExecutionsCriterion || !executed(executions) {
		return held, held
	}
	draws := b.drawsOf(len(rounds))
	score = make([][]float64, len(held))
	for j := range held {
		if held[j] != nil {
			score[j] = make([]float64, len(draws))
		}
	}
	one, n := make([]float64, len(held)), make([]float64, len(held)) // shares and executions in one resample
	for k, draw := range draws {
		column(one, held, k)
		for j := range n {
			n[j] = 0
			for r, w := range draw {
				n[j] += w * executions[r][j]
			}
		}
		weigh(one, n)
		for j := range score {
			if score[j] != nil {
				score[j][k] = one[j]
			}
		}
	}
	return score, held
}

// column writes to one the value of each component in a resample; 0 where it has none.
func column(one []float64, by [][]float64, resample int) {
	for j, of := range by {
		one[j] = 0
		if of != nil {
			one[j] = of[resample]
		}
	}
}

// executionsOf returns the executions by round and component.
func executionsOf(rounds []*Matrix) [][]float64 {
	n := make([][]float64, len(rounds))
	for r, m := range rounds {
		n[r] = make([]float64, len(m.Components))
		for _, c := range m.Cells {
			n[r][c.Component] += c.N
		}
	}
	return n
}

// executed says whether any component was executed in any round.
func executed(n [][]float64) bool {
	return slices.ContainsFunc(n, func(of []float64) bool { return slices.ContainsFunc(of, func(n float64) bool { return n > 0 }) })
}

// resampledShares returns the shares of ByEnergy by component and resample, and what they are
// shares of: psi of a product that has only the first of energy, time and executions that has
// values, and in which every joule counts the same.
func resampledShares(rounds []*Matrix, b Bootstrap) (held [][]float64, of Criterion) {
	unweighted := make(Weights)
	for _, d := range rounds[0].Domains {
		unweighted[d] = 1
	}
	of = ExecutionsCriterion
	held = b.resample(rounds, SumOfProducts, unweighted, func(use categories) categories {
		switch {
		case use.energy:
			of = EnergyCriterion
			return categories{energy: true}
		case use.time:
			of = TimeCriterion
			return categories{time: true}
		}
		return use
	})
	return held, of
}

// resample returns psi by component and resample, of the categories that pick takes of
// those that have values.
func (b Bootstrap) resample(rounds []*Matrix, o Oracle, w Weights, pick func(categories) categories) [][]float64 {
	draws := b.drawsOf(len(rounds))
	if len(rounds[0].Domains) == 0 {
		b.EnergySD = nil
	}
	h := newHistory(rounds, w, b.EnergySD != nil)
	h.use = pick(h.use)
	return h.psi(o, draws, newFactors(b, len(draws)))
}

// drawsOf returns how much each round weighs in the mean, by resample.
func (b Bootstrap) drawsOf(rounds int) [][]float64 {
	if b.draws != nil {
		return b.draws
	}
	resamples := b.Resamples
	if resamples < 1 {
		resamples = 1000
	}
	return b.drawRounds(rounds, resamples)
}

// resampledRanks returns ranks by component and resample.
func resampledRanks(components []Component, score [][]float64) [][]int32 {
	resamples := 0
	for _, of := range score {
		resamples = max(resamples, len(of))
	}
	ranks := make([][]int32, len(components))
	for j := range ranks {
		ranks[j] = make([]int32, max(1, resamples))
	}
	type place struct {
		score float64
		tie   int32 // place among components of equal score
	}
	none := make([]float64, len(components))
	ties := rankOrder(components, none, none)
	order := make([]place, len(components))
	for b := range max(1, resamples) {
		for k, j := range ties {
			order[k] = place{tie: int32(k)}
			if score[j] != nil {
				order[k].score = score[j][b]
			}
		}
		slices.SortFunc(order, func(x, y place) int {
			switch {
			case x.score > y.score:
				return -1
			case x.score < y.score:
				return 1
			}
			return int(x.tie - y.tie)
		})
		for rank, p := range order {
			ranks[ties[p.tie]][b] = int32(rank + 1)
		}
	}
	return ranks
}

// drawRounds returns one row of shares for each resample: how much each round
// weighs in the mean.
func (b Bootstrap) drawRounds(rounds, resamples int) [][]float64 {
	rng := rand.New(rand.NewPCG(b.Seed, 0))
	draws := make([][]float64, resamples)
	for i := range draws {
		draws[i] = make([]float64, rounds)
		sum := 0.0
		for range cmp.Or(b.Draws, rounds) {
			r, weight := rng.IntN(rounds), 1.0
			if b.Weights != nil {
				weight = b.Weights[r]
			}
			draws[i][r], sum = draws[i][r]+weight, sum+weight
		}
		for r := range draws[i] {
			draws[i][r] /= sum
		}
	}
	return draws
}

// quantile interpolates between the two nearest of the sorted values.
func quantile[T float64 | int32](sorted []T, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	low := float64(sorted[i])
	if i+1 == len(sorted) {
		return low
	}
	f := at - math.Floor(at)
	return low + f*(float64(sorted[i+1])-low)
}
