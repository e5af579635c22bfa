package pooling

import (
	"math"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// setIntervals sets the intervals of the energies of components. Each part has fitted powers of its own, so
// their errors are independent of one another.
func setIntervals(r *record.Run, parts []Part) {
	squares := make(map[string]map[spell.Domain]float64) // of the errors of powers, by component
	for _, p := range parts {
		share := float64(p.Run.Rounds) / float64(r.Rounds)
		for i := range p.Run.Components {
			c := &p.Run.Components[i]
			if squares[c.ID] == nil {
				squares[c.ID] = make(map[spell.Domain]float64)
			}
			for _, d := range r.Matrix.Domains {
				sd := math.NaN() // of powers without an interval
				if ci, known := c.EnergyCI[d]; known {
					sd = share * record.PowerError(c.EnergyJ[d], ci, c.RoundEnergyJ[d], nil)
				}
				squares[c.ID][d] += sd * sd
			}
		}
	}
	for i := range r.Components {
		c := &r.Components[i]
		for _, d := range r.Matrix.Domains {
			of := squares[c.ID][d]
			if math.IsNaN(of) || c.RoundEnergyJ == nil {
				continue
			}
			if c.EnergyCI == nil {
				c.EnergyCI = make(map[spell.Domain][2]float64, len(r.Matrix.Domains))
			}
			c.EnergyCI[d] = record.EnergyInterval(c.EnergyJ[d], math.Sqrt(of), c.RoundEnergyJ[d], r.Nodes)
			ofMeter := record.EnergyInterval(c.EnergyJ[d], math.Sqrt(of), c.RoundEnergyJ[d], nil) // nodes may differ by much
			c.BelowResolution = c.BelowResolution || record.TooWide(c.EnergyJ[d], ofMeter)
		}
	}
}

// fewNodes is how many say too little about nodes for intervals of psi and ranks: resamples of them are almost all
// alike.
const fewNodes = 4

// setRankIntervals sets the intervals of psi and ranks, by a bootstrap over nodes; over parts if they are of
// one node. A single part has its own.
func setRankIntervals(r *record.Run, parts []Part, o Options) {
	if len(parts) == 1 {
		own := make(map[string]*record.Component)
		for i := range parts[0].Run.Components {
			own[parts[0].Run.Components[i].ID] = &parts[0].Run.Components[i]
		}
		for i := range r.Components {
			c := &r.Components[i]
			c.PsiCI, c.RankCI = own[c.ID].PsiCI, own[c.ID].RankCI
		}
		return
	}
	if n := len(r.Nodes); n > 1 && n < fewNodes || n == 1 && len(parts) < fewNodes {
		return
	}
	whole := r.SpellMatrix(o.IncludeFailed)
	var means []*spell.Matrix
	var weights []float64
	for _, list := range clusters(parts, len(r.Nodes) > 1) {
		means = append(means, matrixOf(add(list), r, whole))
		weights = append(weights, float64(rounds(list)))
	}
	b := spell.Bootstrap{Seed: o.Seed, EnergySD: spreads(r), Weights: weights, Draws: len(means) - 1}
	for i, v := range spell.Intervals(means, o.Analysis, b) {
		r.Components[i].PsiCI, r.Components[i].RankCI = v.Psi, v.Rank
	}
}

// clusters groups parts by node, or leaves each alone.
func clusters(parts []Part, byNode bool) (list [][]Part) {
	for i, p := range parts {
		if n := len(list); i > 0 && byNode && parts[i-1].Node == p.Node {
			list[n-1] = append(list[n-1], p)
			continue
		}
		list = append(list, []Part{p})
	}
	return list
}

// matrixOf is the matrix of a run with the tests and components of the whole.
func matrixOf(of, r *record.Run, whole *spell.Matrix) *spell.Matrix {
	m := &spell.Matrix{Domains: whole.Domains, Tests: whole.Tests, Components: whole.Components}
	row, column := make(map[string]int32), make(map[string]int32)
	for i, name := range whole.Tests {
		row[name] = int32(i)
	}
	for i := range r.Components {
		column[r.Components[i].ID] = int32(i)
	}
	width := len(m.Domains)
	for i, c := range of.Matrix.Cells {
		if test, ok := row[of.Tests[c.Test].Name]; ok { // else it is left out
			c.Test, c.Component = test, column[of.Components[c.Component].ID]
			m.Add(c, of.Matrix.EnergyJ[i*width:(i+1)*width]...)
		}
	}
	return m
}

// spreads are the errors of the powers, relative to the energies, by component and domain. Of those that have
// no interval they are 0; nil where none has one.
func spreads(r *record.Run) (list [][]float64) {
	known := false
	for i := range r.Components {
		c, of := &r.Components[i], make([]float64, len(r.Matrix.Domains))
		for k, d := range r.Matrix.Domains {
			if ci, has := c.EnergyCI[d]; has && c.EnergyJ[d] > 0 {
				of[k] = record.PowerError(c.EnergyJ[d], ci, c.RoundEnergyJ[d], r.Nodes) / c.EnergyJ[d]
				known = true
			}
		}
		list = append(list, of)
	}
	if !known {
		return nil
	}
	return list
}
