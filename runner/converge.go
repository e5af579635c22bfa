package runner

import (
	"spell-lsp/spell"
	"spell-lsp/spell/correlation"
)

// A psi is the ranking of some rounds, without a record.
type psi struct {
	units   []spell.Component
	ranking spell.Ranking // of units
	// intervals computes the intervals of units; it takes longest, and is needed only if psi is
	// correlated.
	intervals func() []spell.Interval
}

// psiNow is the psi of the rounds kept so far; a record of them would have the same.
func (m *measurement) psiNow() *psi {
	f := findingsOf(shareEnergy(&m.subject, m.model.Powers(), m.warm, m.kept), &m.subject, m.info.Domains)
	return psiOf(f, m.Analysis, m.IncludeFailed, m.Seed)
}

func psiOf(f *findings, o spell.Options, includeFailed bool, seed uint32) *psi {
	p := &psi{units: f.units, intervals: func() []spell.Interval { return f.psiIntervals(o, includeFailed, seed) }}
	ranked := o
	if ranked.BelowResolution == nil {
		ranked.BelowResolution = f.below
	}
	p.ranking = spell.Rank(f.matrix(includeFailed), ranked)
	return p
}

// stable is the correlation above which psi counts as unchanged, as in Chappie (2020).
const stable = 0.99

// correlated says whether Pearson's correlation of the psi of two sets of rounds is above
// stable.
func correlated(a, b *psi) bool {
	before := make(map[string]float64, len(a.ranking.Rows))
	for _, row := range a.ranking.Rows {
		before[a.units[row.Component].ID] = row.Psi
	}
	x, y := make([]float64, len(b.ranking.Rows)), make([]float64, len(b.ranking.Rows))
	for i, row := range b.ranking.Rows {
		x[i], y[i] = before[b.units[row.Component].ID], row.Psi
	}
	r, ok := correlation.Pearson(x, y)
	return !ok || r > stable // without variance there is nothing left to settle
}

// narrow says whether all intervals of red components are at most 0.1 wide.
func (p *psi) narrow() bool {
	const widest = 0.1
	intervals := p.intervals()
	for _, row := range p.ranking.Rows {
		if row.Zone == spell.Red && intervals != nil && intervals[row.Component].Psi[1]-intervals[row.Component].Psi[0] > widest {
			return false
		}
	}
	return true
}
