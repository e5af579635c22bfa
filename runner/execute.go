package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A program runs the tests of one package.
type program struct {
	execution.Program
	chosen *choice // of its tests; nil is all
	// scenario is how the program of a main package is run; nil for tests.
	scenario *scenario.Scenario
}

// name is what the program is called in notes: its package, or its row.
func (p program) name() string {
	if p.scenario != nil {
		return p.Path + "." + p.scenario.Name
	}
	return p.Path
}

// executeOnce executes a program, and returns its tests as a round.
func (m *measurement) executeOnce(ctx context.Context, p program, args []string) (*round, error) {
	e, err := m.execute(ctx, p, execution.Options{
		Args: slices.Concat(m.testArgs(), args), Timeout: m.Timeout, GOROOT: m.build.GOROOT, Setup: m.setUp,
	})
	if e != nil && e.Incomplete {
		m.note(note.ActivityLost())
	}
	r := &round{}
	if lost := (*execution.LostError)(nil); errors.As(err, &lost) {
		r.note(note.TestsNotCounted(lost.Error()))
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if m.build.Fallback != "" {
		r.calls = append(r.calls, m.applyProfile(e))
	}
	m.learn(e.Log, e.UsedNS())
	m.learnSizes(e.Log, e.UsedNS())
	m.learnLoad(e)
	r.lives(e)
	r.observe(p, e, &m.machine)
	if !m.setUp.Subtests {
		r.foldBenchmarks()
	}
	return r, nil
}

// testArgs are the flags of every execution.
func (m *measurement) testArgs() []string {
	args := m.selection()
	if m.build.Fallback != "" {
		args = append(args, "-test.cpuprofile="+m.profileFile())
	}
	return args
}

// selection are those that say which tests run, and how long.
func (m *measurement) selection() []string {
	args := []string{"-test.parallel=1", "-test.run=" + m.Run}
	if m.Bench != "" {
		args = append(args, "-test.bench="+m.Bench, benchTime)
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
		m.note(note.ProfileMissing())
		return nil // the counts are still right
	}
	p := attribution.NewProfile(stacks, len(m.build.Components), timed)
	p.Apply(e.Log, e.Line)
	return p.Calls()
}
