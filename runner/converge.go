package runner

import (
	"math"
	"sync"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/correlation"
	"spell-lsp/spell/note"
)

// A verdict says whether the rounds kept so far are enough.
type verdict struct {
	of     *standing // the rounds; nil while they are too few to judge
	enough bool
	needed int // as many rounds can be expected to be enough; 0 where nothing can be expected
}

// wrongLook is the time that another order is worth to its reader: about what it takes to look
// at a function in vain.
const wrongLook = 2 * time.Minute

// judge decides whether another round is needed. It is not
//   - if the ranking is stable: no single round decides what it shows first, and its scores
//     have settled;
//   - or if the round is too long for what it may change.
func (m *measurement) judge() {
	now, before, n, each := m.standing(), m.verdict.of, len(m.kept), m.pace.each()
	pivotal := now.pivotal()
	m.converged = pivotal == 0 && before != nil && correlated(before, now) && now.narrow()
	m.verdict = verdict{of: now, enough: m.converged}
	switch {
	case m.converged:
	case tooLong(each, pivotal, n):
		m.verdict.enough = true
		m.note(note.RoundsTooLong(n, float64(each)/1e6, pivotal))
	case pivotal == 0:
		m.verdict.needed = min(maxRounds, max(n+1, min(now.narrowAfter(n), longAfter(each))))
	}
}

// tooLong says whether another round takes longer than it can be expected to save: the chance
// that it changes the order shown, times wrongLook. The chance follows from the rounds that
// decide the order, by Laplace's rule of succession, so that it is above 0 where none does. So
// rounds below 3 s are never too long, and those of 96 s always are.
func tooLong(round time.Duration, pivotal, rounds int) bool {
	chance := float64(pivotal+1) / float64(rounds+2)
	return chance*float64(wrongLook) <= float64(round)
}

// longAfter is the number of rounds after which another is too long if none decides the order.
func longAfter(round time.Duration) int {
	for n := range maxRounds {
		if tooLong(round, 0, n) {
			return n
		}
	}
	return maxRounds
}

// A standing is the ranking of some rounds, without a record.
type standing struct {
	units   []spell.Component
	ranking spell.Ranking // of units
	pivotal func() int    // rounds, see spell.Ranking.Pivotal
	// intervals computes the intervals of units; it takes longest, and is needed only if
	// no round is pivotal.
	intervals func() []spell.Interval
}

// standing is the ranking of the rounds kept so far; a record of them would have the same.
func (m *measurement) standing() *standing {
	f := findingsOf(shareEnergy(&m.subject, m.model.Powers(), m.warm, m.kept), &m.subject, m.info.Domains)
	return standingOf(f, m.Analysis, m.IncludeFailed, m.Seed)
}

func standingOf(f *findings, o spell.Options, includeFailed bool, seed uint32) *standing {
	p := &standing{units: f.units}
	p.intervals = sync.OnceValue(func() []spell.Interval { return f.rankIntervals(o, includeFailed, seed) })
	ranked := o
	if ranked.BelowResolution == nil {
		ranked.BelowResolution = f.below
	}
	whole := f.matrix(includeFailed)
	p.ranking = spell.Rank(whole, ranked)
	p.pivotal = func() int { return p.ranking.Pivotal(f.roundMatrices(whole), ranked) }
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

// wide is the width of an interval of a red component above which its score has not settled.
const wide = 0.1

// narrow says whether the scores of all red components have intervals that are not wide.
func (p *standing) narrow() bool { return p.widest() <= wide }

// widest is the width of the widest interval of the score of a red component.
func (p *standing) widest() (width float64) {
	intervals := p.intervals()
	for _, row := range p.ranking.Rows {
		if row.Zone == spell.Red && intervals != nil {
			width = max(width, intervals[row.Component].Score[1]-intervals[row.Component].Score[0])
		}
	}
	return width
}

// narrowAfter is the number of rounds after which the intervals can be expected to be narrow;
// they shrink with the root of the number.
func (p *standing) narrowAfter(rounds int) int {
	ratio := p.widest() / wide
	return int(math.Ceil(float64(rounds) * ratio * ratio))
}
