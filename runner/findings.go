package runner

import (
	"math"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// findings are the means of rounds and the matrix of them, from which both psi and the record
// are made.
type findings struct {
	columns columns
	tests   []*mean
	units   []spell.Component // those that ran
	at      map[int]int       // index in units, by unit of the subject
	rounds  [][]sharedTest
	below   []bool        // below resolution, by unit
	joules  [][]float64   // sum over all tests, by unit and shared domain
	roundJ  [][][]float64 // the same of each round
	spread  [][]float64   // relative standard deviation of the power, by unit and shared domain; nil without a fit
}

// findingsOf computes the findings of a sharing.
func findingsOf(h *sharing, s *subject, domains []spell.Domain) *findings {
	f := &findings{columns: newColumns(domains, h.powers.Divides), tests: average(h.rounds), at: make(map[int]int), rounds: h.rounds}
	sums := make(map[int]attribution.Share)
	for _, t := range f.tests {
		for u, share := range t.shares {
			sum := sums[u]
			sum.SelfNS, sum.ProbesNS, sum.FramesNS = sum.SelfNS+share.SelfNS, sum.ProbesNS+share.ProbesNS, sum.FramesNS+share.FramesNS
			sums[u] = sum
		}
	}
	resolved := h.resolved(s)
	for i, u := range sortedKeys(sums) {
		f.at[u] = i
		f.units = append(f.units, s.units[u])
		f.below = append(f.below, !sums[u].Resolved() || !resolved(u))
	}
	f.addUp()
	f.spread = spreads(h, s, f)
	f.markWide()
	return f
}

// addUp sums the energy of units.
func (f *findings) addUp() {
	f.joules, f.roundJ = make([][]float64, len(f.units)), make([][][]float64, len(f.units))
	for i := range f.units {
		f.joules[i], f.roundJ[i] = make([]float64, len(f.columns.at)), make([][]float64, len(f.columns.at))
		for k := range f.roundJ[i] {
			f.roundJ[i][k] = make([]float64, len(f.rounds))
		}
	}
	for _, t := range f.tests {
		for u, share := range t.shares {
			for k, d := range f.columns.at {
				f.joules[f.at[u]][k] += share.Joules[d]
			}
		}
	}
	for r, tests := range f.rounds {
		for _, t := range tests {
			for u, share := range t.shares {
				for k, d := range f.columns.at {
					f.roundJ[f.at[u]][k][r] += share.Joules[d]
				}
			}
		}
	}
}

// markWide marks units as below resolution where the interval of their energy is too wide.
func (f *findings) markWide() {
	if f.spread == nil {
		return
	}
	for i := range f.units {
		for k, mean := range f.joules[i] {
			f.below[i] = f.below[i] || record.TooWide(mean, f.interval(i, k))
		}
	}
}

// interval is the 95 % interval of the energy of a unit in a domain, from the error of its power
// and the differences between rounds.
func (f *findings) interval(unit, domain int) [2]float64 {
	mean := f.joules[unit][domain]
	return record.EnergyInterval(mean, mean*f.spread[unit][domain], f.roundJ[unit][domain], nil)
}

// matrix is the matrix of the means, without the tests that the analysis leaves out.
func (f *findings) matrix(includeFailed bool) *spell.Matrix {
	m := &spell.Matrix{Domains: f.columns.shared, Components: f.units}
	for _, t := range f.tests {
		test := record.Test{Outcome: t.outcome}
		if test.LeftOut(includeFailed) {
			continue
		}
		row := int32(len(m.Tests))
		m.Tests = append(m.Tests, t.pkg+"."+t.name)
		if test.InAnalysis(includeFailed) {
			f.addCells(m, row, t.shares)
		}
	}
	return m
}

func (f *findings) addCells(m *spell.Matrix, row int32, shares map[int]attribution.Share) {
	for _, u := range sortedKeys(shares) {
		s := shares[u]
		m.Add(spell.Cell{Test: row, Component: int32(f.at[u]), N: s.N, TimeMS: s.SelfNS / 1e6}, f.columns.values(s.Joules)...)
	}
}

// roundMatrices are the matrices of single rounds, with the tests and components of whole.
func (f *findings) roundMatrices(whole *spell.Matrix) []*spell.Matrix {
	row := make(map[string]int32, len(whole.Tests))
	for i, name := range whole.Tests {
		row[name] = int32(i)
	}
	list := make([]*spell.Matrix, len(f.rounds))
	for i, tests := range f.rounds {
		list[i] = &spell.Matrix{Domains: whole.Domains, Tests: whole.Tests, Components: whole.Components}
		for _, t := range tests {
			if r, ok := row[t.pkg+"."+t.name]; ok { // otherwise it is left out
				f.addCells(list[i], r, t.shares)
			}
		}
	}
	return list
}

// rankIntervals are the 95 % intervals of psi, score and rank of units, by a bootstrap over
// rounds; nil for fewer than two rounds.
func (f *findings) rankIntervals(o spell.Options, includeFailed bool, seed uint32) []spell.Interval {
	if len(f.rounds) < 2 {
		return nil
	}
	return spell.Intervals(f.roundMatrices(f.matrix(includeFailed)), o, spell.Bootstrap{Seed: uint64(seed), EnergySD: f.spread})
}

// spreads are the relative standard deviations of the powers of units, by unit and shared
// domain; nil without a fit. Those of the members of a unit are weighted by energy.
func spreads(h *sharing, s *subject, f *findings) [][]float64 {
	if !h.powers.Estimated() {
		return nil
	}
	list := make([][]float64, len(f.units))
	for i := range list {
		list[i] = make([]float64, len(f.columns.at))
	}
	squares, weights := make([][]float64, len(list)), make([][]float64, len(list))
	for component, unit := range s.unitOf {
		at, ran := f.at[unit]
		if unit < 0 || !ran {
			continue
		}
		if squares[at] == nil {
			squares[at], weights[at] = make([]float64, len(f.columns.at)), make([]float64, len(f.columns.at))
		}
		for i, d := range f.columns.at {
			energy := h.ranNS[component] * h.powers.Watts(component+1, d)
			squares[at][i] += energy * energy * h.powers.Spread(component+1, d) * h.powers.Spread(component+1, d)
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
