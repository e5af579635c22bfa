package contest

import (
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

func byDefault(e *Evidence) (Order, error) {
	return ranked(e.Leaky, spell.Options{Order: spell.OrderAuto}), nil
}

// withCallers is the order of byDefault, in which the callers that the first screen names beside its
// three functions stand behind them, unless they stand further up.
func withCallers(e *Evidence) (Order, error) {
	r := e.Leaky.Clone()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false) // sorts by rank
	shown := make([]int, len(r.Components))
	for i := range shown {
		shown[i] = i
	}
	scores, green, next := make([]float64, len(shown)), make([]bool, len(shown)), 0.0
	name := func(i int, harmless bool) {
		if next--; scores[i] == 0 {
			scores[i], green[i] = next, harmless
		}
	}
	const onScreen = 3
	for k, item := range ranking.Summarize(r, r.Tallies(), shown).Items {
		harmless := r.Components[item.Component].Zone == spell.Green
		name(item.Component, harmless)
		if k < onScreen && item.Caller.Share > 0 {
			name(item.Caller.Component, harmless)
		}
	}
	o := newOrder(r, scores)
	for k := range o {
		o[k].Green = green[slices.IndexFunc(r.Components, func(c record.Component) bool { return c.ID == o[k].ID })]
	}
	return o, nil
}

func psi(e *Evidence) (Order, error) {
	return ranked(e.Leaky, spell.Options{Oracle: spell.SumOfProducts}), nil
}

func psiProductOfSums(e *Evidence) (Order, error) {
	return ranked(e.Leaky, spell.Options{Oracle: spell.ProductOfSums}), nil
}

// ranked is an order of spell-lsp, with its zones.
func ranked(r *record.Run, options spell.Options) Order {
	r = r.Clone() // the analysis sorts its components
	ranking.Analyze(r, options, false)
	scores, green := make([]float64, len(r.Components)), make(map[string]bool)
	for i, c := range r.Components {
		scores[i], green[c.ID] = -float64(c.Rank), c.Zone == spell.Green
	}
	o := newOrder(r, scores)
	for i := range o {
		o[i].Green = green[o[i].ID]
	}
	return o
}

func energyTime(r *record.Run) []float64 {
	return overTests(r, func(joules, _, ms float64) float64 { return joules * ms })
}

func logarithmic(r *record.Run) []float64 {
	return overTests(r, func(joules, n, ms float64) float64 { return joules * math.Log1p(n) * ms })
}

func squareRoot(r *record.Run) []float64 {
	return overTests(r, func(joules, n, ms float64) float64 { return joules * math.Sqrt(n) * ms })
}

// overTests sums up a function of the cells of each component: of its energy, weighted as
// in psi, its executions and its milliseconds in one test.
func overTests(r *record.Run, of func(joules, n, ms float64) float64) []float64 {
	m, weights := r.SpellMatrix(false), spell.DefaultWeights()
	scores := make([]float64, len(r.Components))
	for i, c := range m.Cells {
		weighted := 0.0
		for d, joules := range m.Joules(i) {
			weighted += weights[m.Domains[d]] * joules
		}
		scores[c.Component] += of(weighted, c.N, c.TimeMS)
	}
	return scores
}

func energy(r *record.Run) []float64 {
	return ofTallies(r.Tallies(), func(t *record.Tally) float64 { return t.TotalJ() })
}

func time(r *record.Run) []float64 {
	return ofTallies(r.Tallies(), func(t *record.Tally) float64 { return t.TimeMS })
}

func executions(r *record.Run) []float64 {
	return ofTallies(r.Tallies(), func(t *record.Tally) float64 { return t.N })
}

func energyPerCall(r *record.Run) []float64 {
	return ofTallies(r.Tallies(), func(t *record.Tally) float64 {
		if t.N == 0 {
			return 0
		}
		return t.TotalJ() / t.N
	})
}

// ofTallies gives a score for what each component used in the tests that count.
func ofTallies(tallies []record.Tally, score func(*record.Tally) float64) []float64 {
	scores := make([]float64, len(tallies))
	for i := range tallies {
		scores[i] = score(&tallies[i])
	}
	return scores
}

func cumulativeEnergy(r *record.Run) []float64 {
	scores := make([]float64, len(r.Components))
	for i, c := range ranking.Counted(r).Components {
		scores[i] = max(c.CumEnergyJ.Total(), c.EnergyJ.Total()) // 0: not known
	}
	return scores
}

func chance(r *record.Run) []float64 { return make([]float64, len(r.Components)) }

// growth orders by the energy that functions used more than in the program without the
// leak, whether or not the difference is significant.
func growth(e *Evidence) (Order, error) {
	c, err := comparison.Compare(e.Clean, e.Leaky, comparison.Options{})
	if err != nil {
		return nil, err
	}
	grown := make(map[string]float64)
	for _, m := range c.Components {
		grown[m.ID] = m.EnergyJ.Head - m.EnergyJ.Base
	}
	for _, a := range c.Added {
		grown[a.ID] = a.EnergyJ
	}
	scores := make([]float64, len(e.Leaky.Components))
	for i := range scores {
		scores[i] = grown[e.Leaky.Components[i].ID]
	}
	return newOrder(e.Leaky, scores), nil
}
