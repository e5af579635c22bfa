package spell

// shownFirst is the number of rows that a reader of a ranking looks at first.
const shownFirst = 5

// minorShare is the share of all scores that makes no difference to a reader: whichever of two
// components is repaired first, no more than a hundredth of everything depends on it.
const minorShare = 0.01

// Pivotal counts the rounds without any one of which r would show something else first: another
// order of its first five rows, or another zone. r is the ranking of the means of the rounds,
// with the same options and components. Rows whose scores differ by less than a hundredth of all
// scores may swap, and zones of components below a hundredth may change, as may those of
// components below resolution, which do not rest on energy.
//
// Rounds are exchangeable, because their tests run in a random order (but for the first without a
// warm-up). So Pivotal / len(rounds) estimates, without bias, the chance that the last of them
// changed what is shown first (the jackknife), and one more round is at most about as likely to.
// One round alone is pivotal.
func (r Ranking) Pivotal(rounds []*Matrix, o Options) int {
	n := len(rounds)
	if n < 2 {
		return n
	}
	without := Bootstrap{draws: leaveOneOut(n)}
	var scores, shares [][]float64
	if o.Order.shares() {
		scores, shares = o.Order.resampledScores(rounds, without)
	} else {
		scores = resampledPsi(rounds, o, without)
	}
	count := 0
	score := make([]float64, len(scores))
	var held []float64
	if shares != nil {
		held = make([]float64, len(shares))
	}
	for i := range n {
		column(score, scores, i)
		column(held, shares, i)
		if !r.showsFirst(rounds[0].Components, score, held, o) {
			count++
		}
	}
	return count
}

// leaveOneOut returns, for each round, the shares of the others in a mean without it.
func leaveOneOut(rounds int) [][]float64 {
	draws := make([][]float64, rounds)
	for i := range draws {
		draws[i] = make([]float64, rounds)
		for k := range draws[i] {
			if k != i {
				draws[i][k] = 1 / float64(rounds-1)
			}
		}
	}
	return draws
}

// showsFirst says whether the given scores and shares, by component, have the first rows and
// zones of r.
func (r Ranking) showsFirst(components []Component, score, held []float64, o Options) bool {
	all, before := sumOf(score), 0.0
	for _, row := range r.Rows {
		before += row.Score
	}
	zones := o.Zones.cut(rankOrder(components, score, score), score, held, nil)
	for i, row := range r.Rows {
		j := row.Component
		if i > 0 {
			above := r.Rows[min(i, shownFirst)-1].Component
			if share(score[j]-score[above], all) > minorShare {
				return false
			}
		}
		minor := max(share(score[j], all), share(row.Score, before)) < minorShare
		unresolved := j < len(o.BelowResolution) && o.BelowResolution[j]
		if zones[j] != row.Zone && !minor && !unresolved {
			return false
		}
	}
	return true
}
