package spell

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Options say how a matrix is ranked. The zero value is the paper's analysis.
type Options struct {
	Order   Order    // "" = ByPsi
	Oracle  Oracle   // "" = SumOfProducts
	Weights Weights  // nil = DefaultWeights
	Zones   ZoneRule // zero = red to 0.5, yellow to 0.95, nothing red under 0.05
	// BelowResolution marks, by component index, those whose energy the meter
	// could not tell from nothing; nil = none. They keep their psi and rank but
	// are never red, and yellow only if the other categories say so too: under ByPsi if
	// N x T without energy puts them there, otherwise if they have a tenth of T. No zone
	// rests on unresolved energy alone. This goes before neverGreen: a tenth that is not
	// resolved is no tenth that is held.
	BelowResolution []bool
	// Kept are the zones, by component index, that components keep whatever their share is;
	// "" or nil = the zone of the rule. None is kept with a score of 0, green with a tenth of the
	// energy, or red with a score under a hundredth of all. BelowResolution does not matter for
	// them: they rest on another run.
	Kept []Zone
}

// Phi is the similarity of a component per category: its share of the total
// over all components and tests, 0 to 1. The thesis' eq. 9, the min/max Jaccard
// coefficient, comes to the same, as no component exceeds the total.
type Phi struct {
	Energy  []float64 // by domain
	N, Time float64
}

// A Row is one component of a ranking.
type Row struct {
	Component int       // index into Matrix.Components
	Rank      int       // from 1
	N         float64   // executions in all tests
	TimeMS    float64   // milliseconds it ran in all tests
	Joules    []float64 // by domain, in all tests
	EPI       float64   // joules of all domains, unweighted, per execution; 0 if N is 0
	Phi       Phi
	Psi       float64 // global similarity, 0 to 1
	Score     float64 // what the order ranks by, 0 to 1
	Zone      Zone
	ByRule    Zone // that it has without Options.Kept
}

// A Ranking is the outcome of an analysis, with all that it depended on.
type Ranking struct {
	Rows    []Row // by rank; every component of the matrix has one
	Domains []Domain
	Order   Order
	By      Criterion // what the scores are shares of
	Oracle  Oracle
	Weights Weights  // those that were used
	Remarks []Remark // what a reader must know to take the ranking for what it is
}

// Rank analyses m, which must be valid (see Matrix.Validate). Components are
// ranked by the score of the order; those with equal scores by psi, then by package,
// ID and line. No number in the result is infinite or NaN.
//
// Every sum is the exact one, rounded once. So the order of tests, components
// and cells changes nothing, and neither does the number of processors, all of
// which Rank uses where there are many cells. Time is linear in the cells;
// memory beyond m is some hundred bytes for each component.
func Rank(m *Matrix, o Options) Ranking {
	return rank(m, o, workersFor(len(m.Cells), len(m.Components)))
}

func rank(m *Matrix, o Options, workers int) Ranking {
	oracle, weights := o.WithDefaults()
	p := newProduct(m, weights)
	t := p.totals(workers)
	psi := p.psi(t, oracle, workers)
	joules := t.totalJ()
	score, by := o.Order.Scores(psi, joules, t.timeMS, t.n)
	order := rankOrder(m.Components, score, psi)
	held := o.Order.held(joules, t.timeMS, t.n)
	byRule := o.Zones.cut(order, score, held, nil)
	o.holdBack(byRule, nil, p, workers)
	zones := byRule
	if o.Kept != nil {
		zones = o.Zones.cut(order, score, held, o.Kept)
		o.holdBack(zones, o.Kept, p, workers)
	}

	r := Ranking{
		Rows:    make([]Row, len(order)),
		Domains: slices.Clone(m.Domains), Order: o.Order.known(), By: by, Oracle: oracle, Weights: weights,
		Remarks: remarks(o, p, t, psi),
	}
	d := len(m.Domains)
	energy := make([]float64, len(t.joules)) // of every Phi
	for i, j := range order {
		r.Rows[i] = Row{
			Component: j, Rank: i + 1,
			N: t.n[j], TimeMS: t.timeMS[j], Joules: t.joulesOf(j), EPI: epi(t.joulesOf(j), t.n[j]),
			Phi: t.phi(j, energy[j*d:(j+1)*d:(j+1)*d]), Psi: psi[j], Score: score[j], Zone: zones[j], ByRule: byRule[j],
		}
	}
	return r
}

// WithDefaults returns the oracle and the weights that an analysis uses.
func (o Options) WithDefaults() (Oracle, Weights) {
	oracle, weights := SumOfProducts, DefaultWeights()
	if o.Oracle == ProductOfSums {
		oracle = ProductOfSums
	}
	if o.Weights != nil {
		weights = maps.Clone(o.Weights)
		for d, w := range weights {
			if !validWeight(w) {
				weights[d] = 0
			}
		}
	}
	return oracle, weights
}

// rankOrder returns the component indices from the highest score to the lowest.
func rankOrder(components []Component, score, psi []float64) []int {
	order := make([]int, len(score))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &components[i], &components[j]
		return cmp.Or(
			cmp.Compare(score[j], score[i]),
			cmp.Compare(psi[j], psi[i]),
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Line, b.Line),
		)
	})
	return order
}

// holdBack makes the zones of components below resolution milder, as documented at
// Options.BelowResolution and Options.Kept.
func (o Options) holdBack(zones, kept []Zone, p *product, workers int) {
	if !slices.Contains(o.BelowResolution, true) {
		return
	}
	exact := *p
	exact.use.energy = false
	t := exact.totals(workers)
	held := o.Order.held(nil, t.timeMS, t.n)
	var supported []Zone
	if held == nil {
		psi := exact.psi(t, SumOfProducts, workers)
		supported = o.Zones.cut(rankOrder(p.m.Components, psi, psi), psi, nil, nil)
	}
	for j := range zones {
		if j >= len(o.BelowResolution) || !o.BelowResolution[j] || kept != nil && kept[j] != "" {
			continue
		}
		if held == nil {
			zones[j] = milder(zones[j], milder(supported[j], Yellow))
		} else if zones[j] = milder(zones[j], Yellow); held[j] < neverGreen-rounding {
			zones[j] = Green
		}
	}
}

// epi is the energy per invocation. A mean over rounds can make n so small
// that the quotient overflows.
func epi(joules []float64, n float64) float64 {
	if n == 0 {
		return 0
	}
	return min(sumOf(joules)/n, math.MaxFloat64)
}
