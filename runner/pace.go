package runner

import (
	"time"

	"spell-lsp/spell/significance"
)

// A pace is how long rounds take. Its zero value knows nothing yet.
type pace struct {
	first time.Time // when the first round began
	last  time.Time // when the latest began
	// Lengths of complete rounds. A round after the warm-up may be longer, because short tests
	// are repeated in it: the warm-up only stands in until there is one.
	warmUps, rounds []time.Duration
	shown           float64 // the largest Step.Fraction so far
}

// begin says that a round begins now.
func (p *pace) begin() {
	p.last = time.Now()
	if p.first.IsZero() {
		p.first = p.last
	}
}

// end says that the latest round is complete.
func (p *pace) end(warmUp bool) {
	if warmUp {
		p.warmUps = append(p.warmUps, time.Since(p.last))
		return
	}
	p.rounds = append(p.rounds, time.Since(p.last))
}

// each is the median length of the rounds so far; 0 before the first is complete.
func (p *pace) each() time.Duration {
	if len(p.rounds) == 0 {
		return significance.Median(p.warmUps)
	}
	return significance.Median(p.rounds)
}

// rest is how long the round that runs will still take if it is like the others.
func (p *pace) rest() time.Duration { return max(0, p.each()-time.Since(p.last)) }

// fits says whether a number of further rounds would end within a bound; 0 is no bound.
func (p *pace) fits(rounds int, bound time.Duration) bool {
	return bound == 0 || p.first.IsZero() || time.Since(p.first)+time.Duration(rounds)*p.each() <= bound
}

// room is how many rounds can follow the one that runs within a bound, once one is complete.
func (p *pace) room(bound time.Duration) int {
	return max(0, int((bound-time.Since(p.first)-p.rest())/p.each()))
}

// fraction is the portion of the time that has passed if the rounds will still take left. It
// is at most 0.95, and never falls, though estimates change.
func (p *pace) fraction(left time.Duration) float64 {
	if spent := time.Since(p.first); p.each() > 0 {
		p.shown = max(p.shown, min(0.95, float64(spent)/float64(max(1, spent+left))))
	}
	return p.shown
}
