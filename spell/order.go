package spell

import (
	"cmp"
	"math"
	"slices"
)

// An Order says by which score components are ranked and put into zones.
type Order string

// The orders. The empty one is ByPsi.
const (
	// ByPsi is the order of the papers: the score is psi.
	ByPsi Order = "psi"
	// ByEnergy orders by what a component uses: the score is the share of the energy of
	// all domains, unweighted, as a joule saved is a joule whichever domain used it. Where
	// no component has energy it is the share of the time, and without that the share of
	// the executions. Components with equal scores are ordered by psi.
	ByEnergy Order = "energy"
	// ByWeightedEnergy orders by what a repair may save. Work that is not needed makes a
	// call costly; a function that is cheap and called by the million often is as cheap as
	// it can be. So the score is the share of energy x EPI^(1/4): of two components with the
	// same energy, the one with 16 times as many executions has half the score. Of the
	// exponents that were tried, it is the smallest that finds known leaks early enough;
	// docs/localization.md has them all. Where no component has energy, time and the
	// time of an execution stand for it; where none has executions, it is ByEnergy.
	ByWeightedEnergy Order = "weighted"
	// OrderAuto stands for another order by what is ranked; package ranking says which.
	// Rank takes it for ByPsi.
	OrderAuto Order = "auto"
)

// weightExponent is the power of EPI in the scores of ByWeightedEnergy.
const weightExponent = 0.25

// known is o, or ByPsi where o is empty or stands for another.
func (o Order) known() Order {
	if o.shares() {
		return o
	}
	return ByPsi
}

// shares says whether the scores are shares of what components use.
func (o Order) shares() bool { return o == ByEnergy || o == ByWeightedEnergy }

// A Criterion is what the scores of an order are shares of.
type Criterion string

// The criteria: psi of ByPsi, the weighted ones of ByWeightedEnergy, the others of ByEnergy.
const (
	PsiCriterion            Criterion = "psi"
	EnergyCriterion         Criterion = "energy"
	TimeCriterion           Criterion = "time"
	ExecutionsCriterion     Criterion = "executions"
	WeightedEnergyCriterion Criterion = "weighted energy"
	WeightedTimeCriterion   Criterion = "weighted time"
)

// Words names a criterion in a sentence: ranks follow "the running time".
func (c Criterion) Words() string {
	return map[Criterion]string{
		PsiCriterion: "psi", EnergyCriterion: "the energy", TimeCriterion: "the running time", ExecutionsCriterion: "the executions",
		WeightedEnergyCriterion: "the energy, weighted by the energy per call", WeightedTimeCriterion: "the running time, weighted by the time per call",
	}[c]
}

// Scores returns the scores by component, 0 to 1, from the psi, joules, milliseconds and
// executions of each. Except under ByPsi they add up to 1, unless all are 0.
func (o Order) Scores(psi, joules, timeMS, n []float64) ([]float64, Criterion) {
	if !o.shares() {
		return psi, PsiCriterion
	}
	held, of := sharesOf(joules, timeMS, n)
	if o == ByEnergy || of == ExecutionsCriterion || sumOf(n) == 0 {
		return held, of
	}
	weigh(held, n)
	return held, map[Criterion]Criterion{EnergyCriterion: WeightedEnergyCriterion, TimeCriterion: WeightedTimeCriterion}[of]
}

// held returns what components use as shares, for the zones; nil under ByPsi.
func (o Order) held(joules, timeMS, n []float64) []float64 {
	if !o.shares() {
		return nil
	}
	held, _ := sharesOf(joules, timeMS, n)
	return held
}

// sharesOf returns by component its share of the first of energy, time and executions that
// has values.
func sharesOf(joules, timeMS, n []float64) ([]float64, Criterion) {
	values, of := n, ExecutionsCriterion
	switch {
	case sumOf(joules) > 0:
		values, of = joules, EnergyCriterion
	case sumOf(timeMS) > 0:
		values, of = timeMS, TimeCriterion
	}
	held := slices.Clone(values)
	normalize(held)
	return held, of
}

// weigh makes scores of ByWeightedEnergy of shares. A component with a share but without
// executions, such as one that was running before the first test began, counts as executed
// once.
func weigh(held, n []float64) {
	for j, h := range held {
		if h > 0 {
			each := min(h/cmp.Or(n[j], 1), math.MaxFloat64)
			held[j] = h * math.Pow(each, weightExponent)
		}
	}
	normalize(held)
}

// normalize divides values by their sum, unless that is 0.
func normalize(values []float64) {
	all := sumOf(values)
	for j, v := range values {
		values[j] = share(v, all)
	}
}

// totalJ returns the joules of each component, of all domains, unweighted.
func (t *totals) totalJ() []float64 {
	list := make([]float64, len(t.n))
	for j := range list {
		list[j] = sumOf(t.joulesOf(j))
	}
	return list
}
