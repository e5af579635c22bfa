package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/record"
)

// A program runs the tests of one package.
type program struct {
	execution.Program
	chosen *choice // of its tests; nil is all
}

// A round is one execution of all tests, and more executions of those that are too short for
// the meter.
type round struct {
	number int            // 0 for a warm-up
	tests  []*observation // in the order in which they began
	// calls are the call trees of programs whose calls are not known by test; their components
	// are rows.
	calls       [][]record.CallNode
	invalid     string             // why it does not count; "" if it does
	programs    []children.Program // child processes, listed for each execution
	warnings    []string
	referenceMS float64 // CPU time of the reference workload; 0 if not known
}

// round executes every program, in the random order of the round.
func (m *measurement) round(ctx context.Context, name string, fraction float64) (*round, error) {
	r := &round{}
	if len(m.warm) >= m.Warmup {
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
		m.Progress(fmt.Sprintf("%s: %s", name, p.Path), fraction)
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
		r.invalidate(disturbed(before, m.meter.Moment(), m.machine.Cores))
	}
	return r, nil
}

// invalidate sets why the round does not count, unless there is a reason already.
func (r *round) invalidate(cause string) {
	if r.invalid == "" {
		r.invalid = cause
	}
}

// executeTests executes the tests of a package, and repeats those that are too short for the
// meter.
func (m *measurement) executeTests(ctx context.Context, r *round, p program) error {
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
		m.warn(fmt.Sprintf("the tests of %s depend on their order (%s): they are run in that of their source", p.Path, differs))
		if seen, err = m.executeChosen(ctx, p, nil); err != nil {
			return err
		}
	}
	if differs := h.differs(seen); differs != "" && p.chosen.flags() != nil {
		p.chosen.args = nil
		m.warn(fmt.Sprintf("the tests of %s that reach %s depend on others (%s): those are run too, but do not count", p.Path, m.build.Reach, differs))
		if seen, err = m.executeChosen(ctx, p, nil); err != nil {
			return err
		}
	}
	if failed := h.differs(seen); failed != "" {
		r.invalidate("test failed: " + failed)
	}
	if m.info.Counter && r.number > 0 {
		if err := m.repeatShort(ctx, seen, p, h); err != nil {
			return err
		}
	}
	p.chosen.keepRows(seen)
	r.tests, r.warnings = append(r.tests, seen.tests...), append(r.warnings, seen.warnings...)
	r.calls, r.programs = append(r.calls, seen.calls...), append(r.programs, seen.programs...)
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

// executeOnce executes a program, and returns its tests as a round.
func (m *measurement) executeOnce(ctx context.Context, p program, args []string) (*round, error) {
	e, err := m.meter.Execute(ctx, p.Program, execution.Options{
		Args: slices.Concat(m.testArgs(), args), Timeout: m.Timeout, GOROOT: m.build.GOROOT, Setup: m.setUp,
	}, m.model)
	if e != nil && e.Incomplete {
		m.warn("what ran in each millisecond could not be written down whole, as too much ran: what is missing tells nothing of the power of functions")
	}
	r := &round{}
	if lost := (*execution.LostError)(nil); errors.As(err, &lost) {
		r.warnings = append(r.warnings, lost.Error())
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if m.build.Fallback != "" {
		r.calls = append(r.calls, m.applyProfile(e))
	}
	m.learn(e.Log, float64(e.Line.ProgramNS()))
	r.observe(p, e, &m.machine)
	return r, nil
}

// testArgs are the flags of every execution.
func (m *measurement) testArgs() []string {
	args := []string{"-test.parallel=1", "-test.run=" + m.Run}
	if m.Bench != "" {
		args = append(args, "-test.bench="+m.Bench)
	}
	if m.build.Fallback != "" {
		args = append(args, "-test.cpuprofile="+m.profileFile())
	}
	return args
}

func (m *measurement) profileFile() string { return filepath.Join(m.scratch, "profile") }

// applyProfile completes what a program counted without the runtime's help, and returns who
// called whom. A program that ended early leaves no profile.
func (m *measurement) applyProfile(e *execution.Execution) []record.CallNode {
	timed := func(row int) bool {
		return row <= len(m.build.Counted) && !m.build.Counted[row-1] && m.setUp.Hot[row-1]&probe.HotCalls == 0
	}
	stacks, err := execution.TakeProfile(m.profileFile(), m.index)
	if err != nil {
		m.warnings = append(m.warnings, "a program left no CPU profile: its functions are charged for the time that they waited")
		return nil // the counts are still right
	}
	p := attribution.NewProfile(stacks, len(m.build.Components), timed)
	p.Apply(e.Log, e.Line)
	return p.Calls()
}
