package runner

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"spell-lsp/runner/calm"
	"spell-lsp/runner/children"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A round is one execution of all tests, and more executions of those that are too short for
// the meter.
type round struct {
	number int            // 0 for a warm-up
	tests  []*observation // in the order in which they began
	// calls are the call trees of programs whose calls are not known by test; their components
	// are rows.
	calls       [][]record.CallNode
	invalid     note.Note          // why it does not count; zero if it does
	programs    []children.Program // child processes, listed for each execution
	left        []left             // goroutines that outlived their tests, for each execution
	notes       []note.Note
	lived       calm.Round // the programs' first executions
	referenceMS float64    // CPU time of the reference workload; 0 if not known
}

// round executes every program, in the random order of the round.
func (m *measurement) round(ctx context.Context) (*round, error) {
	r := &round{}
	if !m.warming() {
		r.number = m.executed
	}
	before := m.meter.Moment()
	programs := slices.Clone(m.programs)
	if random := m.shuffled(r.number); len(m.first) > 0 {
		random.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	}
	slices.SortStableFunc(programs, func(a, b program) int { return cmp.Compare(m.faults[a.Path], m.faults[b.Path]) })
	m.reference.Run()
	for _, p := range programs {
		m.tellOthers()
		m.tellRound(p.name())
		m.reference.RunAgain()
		err := m.executeTests(ctx, r, p)
		m.blame(p, err)
		if err != nil {
			return nil, err
		}
	}
	m.reference.Run()
	r.referenceMS = m.reference.TakeMS()
	if m.info.Source == record.Measured {
		if why, is := execution.Disturbed(before, m.meter.Moment(), m.machine.Cores); is {
			r.invalidate(why)
		}
	}
	return r, nil
}

// invalidate sets why the round does not count, unless there is a reason already.
func (r *round) invalidate(cause note.Note) {
	if r.counts() {
		r.invalid = cause
	}
}

func (r *round) counts() bool { return r.invalid.Code == "" }

func (r *round) note(n note.Note) { r.notes = append(r.notes, n) }

// executeTests executes the tests of a package, and repeats those that are too short for the
// meter.
func (m *measurement) executeTests(ctx context.Context, r *round, p program) error {
	if p.scenario != nil {
		return m.executeScenario(ctx, r, p)
	}
	h := m.first[p.Path]
	if h == nil {
		h = &firstOutcomes{outcomes: make(map[string]record.Outcome)}
	}
	seen, err := m.executeChosen(ctx, p, h.order(m.Seed, r.number))
	if err != nil {
		return err
	}
	if m.first[p.Path] == nil {
		m.first[p.Path] = h
		h.learn(seen)
	} else if differs := h.differs(seen); differs != "" && !h.ordered {
		h.ordered = true
		m.note(note.OrderMatters(p.Path, differs))
		if seen, err = m.executeChosen(ctx, p, nil); err != nil {
			return err
		}
	}
	if differs := h.differs(seen); differs != "" && p.chosen.flags() != nil {
		p.chosen.args = nil
		m.note(note.ReachNeedsOthers(p.Path, m.build.Reach, differs))
		if seen, err = m.executeChosen(ctx, p, nil); err != nil {
			return err
		}
	}
	if failed := h.differs(seen); failed != "" {
		r.invalidate(note.TestFailed(failed))
	}
	if m.info.Counter && r.number > 0 {
		if err := m.repeatShort(ctx, seen, p, h); err != nil {
			return err
		}
	}
	addLife(&r.lived, seen.lived.Seconds, seen.lived.CPUSeconds, seen.lived.Trace)
	p.chosen.keepRows(seen)
	r.tests, r.notes = append(r.tests, seen.tests...), append(r.notes, seen.notes...)
	r.calls, r.programs, r.left = append(r.calls, seen.calls...), append(r.programs, seen.programs...), append(r.left, seen.left...)
	return nil
}

// executeChosen executes the tests of a program, or only those that were chosen.
func (m *measurement) executeChosen(ctx context.Context, p program, args []string) (*round, error) {
	seen, err := m.executeOnce(ctx, p, slices.Concat(p.chosen.flags(), args))
	if err == nil {
		p.chosen.keep(seen)
	}
	return seen, err
}

// shuffled is the random source of one round.
func (m *measurement) shuffled(round int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(m.Seed), uint64(round)))
}
