package spell

import "cmp"

// An Order says by which score components are ranked and put into zones.
type Order string

// The orders. The empty one is ByPsi.
const (
	// ByPsi is the order of the papers: the score is psi.
	ByPsi Order = "psi"
	// ByEnergy orders by what a repair may save: the score is the share of the energy of
	// all domains, unweighted, as a joule saved is a joule whichever domain used it. Where
	// no component has energy it is the share of the time, and without that the share of
	// the executions. Components with equal scores are ordered by psi.
	ByEnergy Order = "energy"
	// OrderAuto stands for ByEnergy where a program was measured, and for ByPsi where a
	// matrix of another tool is ranked; see Order.For. Rank takes it for ByPsi.
	OrderAuto Order = "auto"
)

// For returns the order that o stands for; program says whether a program was measured.
func (o Order) For(program bool) Order {
	switch {
	case o == OrderAuto && program:
		return ByEnergy
	case o == OrderAuto:
		return ByPsi
	}
	return cmp.Or(o, ByPsi)
}

// A Criterion is what the scores of an order are shares of.
type Criterion string

// The criteria: psi of ByPsi, the others of ByEnergy.
const (
	PsiCriterion        Criterion = "psi"
	EnergyCriterion     Criterion = "energy"
	TimeCriterion       Criterion = "time"
	ExecutionsCriterion Criterion = "executions"
)

// Words names a criterion in a sentence: ranks follow "the running time".
func (c Criterion) Words() string {
	return map[Criterion]string{PsiCriterion: "psi", EnergyCriterion: "the energy", TimeCriterion: "the running time", ExecutionsCriterion: "the executions"}[c]
}

// Scores returns the scores by component, 0 to 1, from the psi, joules, milliseconds and
// executions of each. Under ByEnergy they add up to 1, unless all are 0.
func (o Order) Scores(psi, joules, timeMS, n []float64) ([]float64, Criterion) {
	if o != ByEnergy {
		return psi, PsiCriterion
	}
	values, of := n, ExecutionsCriterion
	switch {
	case sumOf(joules) > 0:
		values, of = joules, EnergyCriterion
	case sumOf(timeMS) > 0:
		values, of = timeMS, TimeCriterion
	}
	all, scores := sumOf(values), make([]float64, len(values))
	for j, v := range values {
		scores[j] = share(v, all)
	}
	return scores, of
}

// totalJ returns the joules of each component, of all domains, unweighted.
func (t *totals) totalJ() []float64 {
	list := make([]float64, len(t.n))
	for j := range list {
		list[j] = sumOf(t.joulesOf(j))
	}
	return list
}
