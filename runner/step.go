package runner

import "time"

// A Step is what a measurement is doing, and how far it has come. These are facts: whoever shows
// them writes the text.
type Step struct {
	Doing string // in words, before the first round; in a round it is empty

	Package  string // whose tests run, by import path; for a scenario its row
	Packages int    // that a round has
	WarmUp   bool   // the round is discarded
	Reach    string // the round finds the tests that reach this function; "" in other rounds
	Round    int    // from 1, of the warm-up or of the rounds after it
	Of       int    // rounds planned
	AtMost   bool   // there may be fewer
	Kept     int    // complete rounds that remain if the measurement is interrupted

	Each time.Duration // median length of a round; 0 before one is complete
	// Least and Most bound how long the rounds still take if each takes Each. They are equal
	// where it is known, or can be expected, how many there will be; 0 where Each is.
	Least, Most time.Duration

	// Live are the components with the most running time so far of the program of a scenario
	// that runs; nil where it has just begun.
	Live []LiveRow

	Fraction float64 // 0 to 1, never falls; below 0 before the first round
}

// tell reports what is done before the first round.
func (m *measurement) tell(doing string) { m.Progress(Step{Doing: doing, Fraction: -1}) }

// A LiveRow is a component of the program that runs.
type LiveRow struct {
	ID    string
	Share float64 // of the running time of all components so far
}

// tellRound reports that the tests of a package run.
func (m *measurement) tellRound(pkg string) { m.Progress(m.step(pkg)) }

// step is the state of the round that runs.
func (m *measurement) step(pkg string) Step {
	s := Step{
		Package: pkg, Packages: len(m.programs), Kept: len(m.kept), Each: m.pace.each(),
		Round: len(m.kept) + 1, Of: m.planned(), AtMost: m.Rounds == 0 || m.For > 0,
	}
	if m.warming() {
		s.WarmUp, s.Round, s.Of, s.AtMost = true, len(m.warm)+1, m.Warmup, false
	}
	if s.WarmUp && s.Round == 1 {
		s.Reach = m.build.Reach
	}
	s.Least, s.Most = m.left()
	s.Fraction = m.pace.fraction(s.Least)
	return s
}

// warming says whether the round that runs, or the next one, belongs to the warm-up.
func (m *measurement) warming() bool { return len(m.warm) < m.Warmup }

// left bounds how long the rounds still take, the one that runs included.
func (m *measurement) left() (least, most time.Duration) {
	each, rest := m.pace.each(), m.pace.rest()
	if each == 0 {
		return 0, 0
	}
	further := func(rounds int) int { return m.Warmup - len(m.warm) + rounds - len(m.kept) - 1 }
	fewest, all := m.expected()
	fewest, all = further(fewest), further(all)
	if m.For > 0 {
		room := m.pace.room(m.For)
		if m.warming() {
			room = max(room, 1) // the round that is kept in any case
		}
		fewest, all = min(fewest, room), min(all, room)
	}
	return rest + time.Duration(fewest)*each, rest + time.Duration(all)*each
}

// expected are the fewest and the most rounds that will be kept, if no bound of time ends them.
func (m *measurement) expected() (fewest, most int) {
	switch {
	case m.Rounds > 0:
		return m.Rounds, m.Rounds
	case m.verdict.needed > 0:
		return m.verdict.needed, m.verdict.needed
	}
	return min(maxRounds, max(minRounds+m.Drop, len(m.kept)+1)), maxRounds
}
