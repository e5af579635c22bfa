package spell

import (
	"fmt"

	"spell-lsp/spell/note"
)

// notes says what a reader must know about a ranking.
func notes(o Options, p *product, t *totals, psi []float64) []note.Note {
	switch {
	case len(p.m.Tests) == 0: // others may have run, and failed
		return []note.Note{note.NoTestCounts()}
	case len(p.m.Cells) == 0:
		return []note.Note{note.NothingRan()}
	}
	list := oddOptions(o, p.m.Domains, t)
	if !p.use.energy {
		list = append(list, noEnergy(t))
	}
	if !p.use.n {
		list = append(list, note.ExecutionsUnknown())
	}
	if !p.use.time {
		list = append(list, note.TimeUnknown())
	}
	if sumOf(psi) == 0 {
		list = append(list, note.AllPsiZero())
	}
	return list
}

func noEnergy(t *totals) note.Note {
	if len(t.allJoules) > 0 && sumOf(t.allJoules) > 0 {
		return note.EnergyUnweighted()
	}
	if len(t.allJoules) > 0 {
		return note.EnergyZero()
	}
	return note.EnergyUnknown()
}

// oddOptions names options that do not do what they seem to.
func oddOptions(o Options, domains []Domain, t *totals) []note.Note {
	var list []note.Note
	if o.Oracle != "" && o.Oracle != SumOfProducts && o.Oracle != ProductOfSums {
		list = append(list, note.OracleUnknown(string(o.Oracle), string(SumOfProducts)))
	}
	if o.Weights == nil {
		return list
	}
	for i, d := range domains {
		switch w := o.Weights[d]; {
		case !validWeight(w):
			list = append(list, note.WeightInvalid(string(d), fmt.Sprint(w)))
		case w == 0 && t.allJoules[i] > 0:
			list = append(list, note.DomainUnweighted(string(d)))
		}
	}
	return list
}
