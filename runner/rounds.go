package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"spell-lsp/runner/sampler"
	"spell-lsp/spell/correlation"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

const (
	// maxDropped is how many rounds are run again. Beyond that a fault of the meter ends the
	// measurement, and any other cause counts as normal on this machine.
	maxDropped = 5
)

// A series is the rounds of a measurement so far.
type series struct {
	warm      []*round // the warm-up
	kept      []*round
	dropped   []record.Dropped
	repeated  int  // rounds that were run again
	executed  int  // rounds, without the warm-up
	converged bool // the ranking is stable: another round is not needed
}

// errTimeUp says that Params.For leaves no time for another round.
var errTimeUp = errors.New("no time is left for another round")

// A runRound executes every test once; m.round is one.
type runRound func(context.Context) (*round, error)

// rounds runs the warm-up and the rounds. An error other than that of ctx says that no test ran,
// or that the meter does not work.
func (m *measurement) rounds(ctx context.Context, run runRound) error {
	if err := m.warmUp(ctx, run); err != nil {
		return err
	}
	if err := m.choose(); err != nil {
		return err
	}
	for len(m.kept) < m.planned() && !m.verdict.enough {
		r, err := m.validRound(ctx, run)
		if errors.Is(err, errTimeUp) {
			m.note(note.TimeUp(m.For.String(), len(m.kept)))
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.ranFirst(r); err != nil {
			return err
		}
		m.kept = append(m.kept, r)
		if err := m.compareCalm(ctx, r); err != nil {
			return err
		}
		if m.complete != nil {
			m.complete(m.soFar())
		}
		if m.Rounds == 0 && len(m.kept) >= minRounds+m.Drop {
			m.judge()
		}
	}
	return nil
}

// soFar is the run of the rounds so far, as if the measurement ended now.
func (m *measurement) soFar() *record.Run {
	c := *m
	c.kept, c.dropped, c.notes = slices.Clone(m.kept), slices.Clone(m.dropped), slices.Clone(m.notes)
	c.conclude()
	return c.record(true)
}

// warmUp runs the rounds that are discarded. The first finds the tests that reach a function, if
// Params.Reach names one. Params.For may leave no time for others.
func (m *measurement) warmUp(ctx context.Context, run runRound) error {
	for i := range m.Warmup {
		if i > 0 && !m.pace.fits(2, m.For) { // the other is the round that must be kept
			m.Warmup = i
			return nil
		}
		r, err := m.validRound(ctx, run)
		if err != nil {
			return err
		}
		if err := m.ranFirst(r); err != nil {
			return err
		}
		m.warm = append(m.warm, r)
		if i == 0 && m.build.Reach != "" {
			if err := m.chooseReaching(r); err != nil {
				return err
			}
			m.pace.warmUps = nil // it ran all tests
		}
	}
	return nil
}

// ranFirst calls Params.Ran with the tests of r if r is the first round, warm-up rounds included.
func (m *measurement) ranFirst(r *round) error {
	if m.Ran == nil || len(m.warm)+len(m.kept) > 0 {
		return nil
	}
	if len(r.notes) > 0 {
		return nil // a program may have ended before some of its tests
	}
	var tests []record.Test
	for _, o := range r.tests {
		if o.outcome != record.Pass && o.outcome != record.Skip {
			return nil // it may have ended before some of its subtests
		}
		tests = append(tests, record.Test{Name: o.pkg + "." + o.name, Package: o.pkg})
	}
	return m.Ran(tests)
}

// planned is the largest number of rounds to keep.
func (m *measurement) planned() int {
	if m.Rounds > 0 {
		return m.Rounds
	}
	return maxRounds
}

// validRound runs rounds until one is valid, and records why others were not. It returns
// errTimeUp where a round was kept and no time is left for another.
func (m *measurement) validRound(ctx context.Context, run runRound) (*round, error) {
	for {
		if len(m.kept) > 0 && !m.pace.fits(1, m.For) {
			return nil, errTimeUp
		}
		if !m.warming() {
			m.executed++
		}
		m.pace.begin()
		r, err := run(ctx)
		if err == nil && len(r.tests) == 0 {
			err = m.nothingRan(r)
		}
		fault := (*MeterError)(nil)
		switch {
		case err != nil && !errors.As(err, &fault), fault != nil && (m.repeated >= maxDropped || m.meter.Ended()):
			return nil, err
		case fault != nil:
			m.drop(noteOf(fault))
			continue
		}
		m.pace.end(m.warming())
		switch {
		case r.counts():
			return r, nil
		case m.repeated >= maxDropped:
			r.note(note.CountsAlthough(m.executed, r.invalid, maxDropped))
			return r, nil
		}
		m.drop(r.invalid)
	}
}

// noteOf says why a fault of the meter makes a round invalid.
func noteOf(fault *MeterError) note.Note {
	if errors.Is(fault, sampler.ErrBehind) {
		return note.ReadingsLost()
	}
	return note.MeterFailed(fault.Err.Error())
}

// drop records that the last round does not count.
func (m *measurement) drop(cause note.Note) {
	m.repeated++
	if m.warming() {
		m.note(note.WarmupRepeated(cause))
		return
	}
	m.dropped = append(m.dropped, record.Dropped{Round: m.executed, Note: cause})
}

// dropCostliest leaves out the n costliest rounds, but keeps one at least.
func (s *series) dropCostliest(n int) {
	for range min(n, len(s.kept)-1) {
		worst := slices.MaxFunc(s.kept, func(a, b *round) int { return cmp.Compare(a.cost(), b.cost()) })
		s.dropped = append(s.dropped, record.Dropped{Round: worst.number, Note: note.Costliest(n)})
		s.kept = slices.DeleteFunc(s.kept, func(r *round) bool { return r == worst })
	}
}

// cost is the energy of a round's tests, or their time where no energy is known.
func (r *round) cost() (sum float64) {
	for _, o := range r.tests {
		if len(o.joules) == 0 {
			sum += o.timeMS
		}
		for _, j := range o.joules {
			sum += j
		}
	}
	return sum
}

const (
	driftRounds  = 8   // fewer rounds show trends by chance
	minDriftRank = 0.5 // Spearman's correlation of cost and number of the round
	minDrift     = 0.02
)

// drift says whether, and how, the cost of rounds has a trend, as when a machine warms up, or a
// program keeps something from round to round.
func (s *series) drift() (trend note.Note, is bool) {
	costs := make([]float64, len(s.kept))
	for i, r := range s.kept {
		costs[i] = r.cost()
	}
	third := len(costs) / 3
	if len(costs) < driftRounds || sum(costs[:third]) <= 0 {
		return note.Note{}, false
	}
	rank, _ := correlation.Drift(costs)
	change := sum(costs[len(costs)-third:])/sum(costs[:third]) - 1
	if max(rank, -rank) <= minDriftRank || max(change, -change) <= minDrift {
		return note.Note{}, false
	}
	return note.Drift(change, rank), true
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}
