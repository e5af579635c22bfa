package runner

import (
	"spell-lsp/spell"
	"spell-lsp/spell/correlation"
)

// A standing is the ranking of some rounds, without a record.
type standing struct {
	units   []spell.Component
	ranking spell.Ranking // of units
	// intervals computes the intervals of units; it takes longest, and is needed only if
	// the scores are correlated.
	intervals func() []spell.Interval
}

// standing is the ranking of the rounds kept so far; a record of them would have the same.
func (m *measurement) standing() *standing {
	f := findingsOf(shareEnergy(&m.subject, m.model.Powers(), m.warm, m.kept), &m.subject, m.info.Domains)
	return standingOf(f, m.Analysis, m.IncludeFailed, m.Seed)
}

func standingOf(f *findings, o spell.Options, includeFailed bool, seed uint32) *standing {
	p := &standing{units: f.units, intervals: func() []spell.Interval { return f.rankIntervals(o, includeFailed, seed) }}
	ranked := o
	if ranked.BelowResolution == nil {
		ranked.BelowResolution = f.below
	}
	p.ranking = spell.Rank(f.matrix(includeFailed), ranked)
	return p
}

// stable is the correlation above which a ranking counts as unchanged, as in Chappie (2020).
const stable = 0.99

// correlated says whether Pearson's correlation of the scores of two sets of rounds is above
// stable.
func correlated(a, b *standing) bool {
	before := make(map[string]float64, len(a.ranking.Rows))
	for _, row := range a.ranking.Rows {
		before[a.units[row.Component].ID] = row.Score
	}
	x, y := make([]float64, len(b.ranking.Rows)), make([]float64, len(b.ranking.Rows))
	for i, row := range b.ranking.Rows {
		x[i], y[i] = before[b.units[row.Component].ID], row.Score
	}
	r, ok := correlation.Pearson(x, y)
	return !ok || r > stable // without variance there is nothing left to settle
}

// narrow says whether the scores of all red components have intervals of at most 0.1.
func (p *standing) narrow() bool {
	const widest = 0.1
	intervals := p.intervals()
	for _, row := range p.ranking.Rows {
		if row.Zone == spell.Red && intervals != nil && intervals[row.Component].Score[1]-intervals[row.Component].Score[0] > widest {
			return false
		}
	}
	return true
}
