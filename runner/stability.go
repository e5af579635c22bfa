package runner

import (
	"math"
	"slices"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/correlation"
	"spell-lsp/spell/record"
)

const stable = 0.99 // Chappie (2020) stops repeating where two results correlate above this

// intervals gives each component its 95 % intervals: of psi and rank by a bootstrap
// over rounds; with fewer than two rounds there are none. index tells where the
// components stand in r, whose components are not yet in the order of their
// ranks. All take into account how well the powers are known.
func (m *measurement) intervals(r *record.Run, index map[int]int, w *attribution.Powers) {
	spread := m.spreads(r, index, w)
	addRoundValues(r, m.kept, index)
	energyIntervals(r, spread)
	if len(m.kept) < 2 {
		return
	}
	whole := r.SpellMatrix(m.IncludeFailed)
	matrices := make([]*spell.Matrix, len(m.kept))
	for i, round := range m.kept {
		matrices[i] = roundMatrix(round, whole, index, newColumns(m.info.Domains))
	}
	for i, v := range spell.Intervals(matrices, m.Analysis, spell.Bootstrap{Seed: uint64(m.Seed), EnergySD: spread}) {
		r.Components[i].PsiCI, r.Components[i].RankCI = v.Psi, v.Rank
	}
}

// spreads are the relative standard deviations of the components' powers, by
// component and domain of the matrix; nil where powers are no estimates. Those of the members of a
// package, file or type are weighted by energy.
func (m *measurement) spreads(r *record.Run, index map[int]int, w *attribution.Powers) [][]float64 {
	if !w.Estimated() {
		return nil
	}
	columns := newColumns(m.info.Domains)
	list := make([][]float64, len(r.Components))
	for i := range list {
		list[i] = make([]float64, len(columns.at))
	}
	squares, weights := make([][]float64, len(list)), make([][]float64, len(list))
	for component, unit := range m.of {
		at, ran := index[unit]
		if unit < 0 || !ran {
			continue
		}
		if squares[at] == nil {
			squares[at], weights[at] = make([]float64, len(columns.at)), make([]float64, len(columns.at))
		}
		for i, d := range columns.at {
			energy := m.ranNS[component] * w.Watts(component+1, d)
			squares[at][i] += energy * energy * w.Spread(component+1, d) * w.Spread(component+1, d)
			weights[at][i] += energy
		}
	}
	for at := range list {
		for d := range list[at] {
			if squares[at] != nil && weights[at][d] > 0 {
				list[at][d] = math.Sqrt(squares[at][d]) / weights[at][d]
			}
		}
	}
	return list
}

// addRoundValues gives the components and tests their energy and time in each
// round, of which a comparison makes pairs.
func addRoundValues(r *record.Run, rounds []*round, index map[int]int) {
	addTestRounds(r, rounds)
	columns := newColumns(r.Meter.Domains)
	for i := range r.Components {
		c := &r.Components[i]
		c.RoundTimeMS = make([]float64, len(rounds))
		c.RoundEnergyJ = make(map[spell.Domain][]float64, len(columns.shared))
		for _, domain := range columns.shared {
			c.RoundEnergyJ[domain] = make([]float64, len(rounds))
		}
	}
	for i, round := range rounds {
		for _, o := range round.tests {
			for _, component := range sortedKeys(o.shares) {
				s, c := o.shares[component], &r.Components[index[component]]
				c.RoundTimeMS[i] += s.SelfNS / 1e6
				for k, domain := range columns.shared {
					c.RoundEnergyJ[domain][i] += s.Joules[columns.at[k]]
				}
			}
		}
	}
}

// addReference notes how fast the machine was in each round.
func addReference(r *record.Run, rounds []*round) {
	if len(rounds) == 0 || rounds[0].referenceMS == 0 {
		return
	}
	for _, round := range rounds {
		r.YardstickMS = append(r.YardstickMS, round.referenceMS)
	}
}

// addTestRounds leaves out a test that did not run in each of the rounds.
func addTestRounds(r *record.Run, rounds []*round) {
	of := make(map[string][]*observation, len(r.Tests))
	for _, round := range rounds {
		for _, o := range round.tests {
			name := o.pkg + "." + o.name
			of[name] = append(of[name], o)
		}
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		if len(of[t.Name]) != len(rounds) {
			continue
		}
		t.RoundEnergyJ = make(map[spell.Domain][]float64, len(r.Meter.Domains))
		for _, o := range of[t.Name] {
			t.RoundTimeMS = append(t.RoundTimeMS, o.timeMS)
			for d, domain := range r.Meter.Domains {
				t.RoundEnergyJ[domain] = append(t.RoundEnergyJ[domain], o.joules[d])
			}
		}
	}
}

// energyIntervals gives the components the intervals of their energies: from how
// well their power is known, and from how much rounds differ. Where they are too
// wide, the component is below resolution.
func energyIntervals(r *record.Run, spread [][]float64) {
	if spread == nil {
		return
	}
	for i := range r.Components {
		c := &r.Components[i]
		c.EnergyCI = make(map[spell.Domain][2]float64, len(r.Matrix.Domains))
		for d, domain := range r.Matrix.Domains {
			mean := c.EnergyJ[domain]
			c.EnergyCI[domain] = record.EnergyInterval(mean, mean*spread[i][d], c.RoundEnergyJ[domain])
			c.BelowResolution = c.BelowResolution || record.TooWide(mean, c.EnergyCI[domain])
		}
	}
}

// roundMatrix is the matrix of one round, with the tests and components of the
// whole run.
func roundMatrix(r *round, whole *spell.Matrix, index map[int]int, columns columns) *spell.Matrix {
	m := &spell.Matrix{Domains: whole.Domains, Tests: whole.Tests, Components: whole.Components}
	for _, o := range r.tests {
		t := slices.Index(whole.Tests, o.pkg+"."+o.name)
		if t < 0 {
			continue // it failed, and is left out of the analysis
		}
		for c, s := range o.shares {
			m.Add(spell.Cell{Test: int32(t), Component: int32(index[c]), N: s.N, TimeMS: s.SelfNS / 1e6}, columns.values(s.Joules)...)
		}
	}
	return m
}

// correlated says whether the psi of two runs of the same program are
// linearly correlated (Pearson) above stable.
func correlated(a, b *record.Run) bool {
	before := make(map[string]float64, len(a.Components))
	for _, c := range a.Components {
		before[c.ID] = c.Psi
	}
	x, y := make([]float64, len(b.Components)), make([]float64, len(b.Components))
	for i, c := range b.Components {
		x[i], y[i] = before[c.ID], c.Psi
	}
	r, ok := correlation.Pearson(x, y)
	return !ok || r > stable // if no component differs from another, nothing is left to settle
}
