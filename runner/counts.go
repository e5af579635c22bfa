package runner

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"

	"spell-lsp/instrument/coverage"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// Programs without probes do not count calls. A round of its own does, in which nothing is
// measured: of programs in which the compiler's coverage counts, whose counters would cost up to
// several times the time of a hot function if they were measured.

// A countedTest is how often a test called each unit.
type countedTest struct {
	outcome record.Outcome
	calls   map[int]float64 // by unit
}

// countCalls runs that round, if calls are wanted. Whatever goes wrong in it costs no more than
// the calls. The error is that of ctx.
func (m *measurement) countCalls(ctx context.Context) error {
	if m.sampling == nil || !m.Counts || m.sampling.Library != nil { // the standard library has no counters
		return nil
	}
	if m.unsampled != nil {
		return nil //nolint:nilerr // nothing will be measured, and the first round says why
	}
	m.tell("building with the compiler's coverage, to count calls")
	built, said, err := m.supply.Counting(ctx, m.packages())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		said = err.Error()
	}
	m.pace.begin() // its time is within Params.For
	m.calls = make(map[string]countedTest)
	find := m.unitsByPlace()
	for _, p := range m.programs {
		at := slices.IndexFunc(built, func(b execution.Program) bool { return b.Path == p.Path })
		if at < 0 {
			m.note(note.CallsNotCounted(p.name(), cmp.Or(said, "its program does not build with the compiler's coverage")))
			continue
		}
		m.tell("counting the calls of " + p.name())
		p.Program = built[at]
		if err := m.countProgram(ctx, p, find); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			m.note(note.CallsNotCounted(p.name(), err.Error()))
		}
	}
	if len(m.calls) > 0 {
		m.note(note.CallsByCoverage())
	}
	return nil
}

// countProgram counts the calls of one program.
func (m *measurement) countProgram(ctx context.Context, p program, find func(coverage.Place) int) error {
	if p.scenario != nil {
		calls, err := m.meter.CountScenario(ctx, p.Program, p.scenario, execution.ScenarioOptions{Dir: m.Dir, Timeout: m.Timeout})
		if err == nil {
			m.calls[p.name()] = countedTest{record.Pass, byUnit(calls, find)}
		}
		return err
	}
	log, err := m.meter.CountTests(ctx, p.Program, execution.Options{Args: m.selection(), Timeout: m.Timeout, GOROOT: m.build.GOROOT, Setup: m.setUp})
	if err != nil {
		return err
	}
	if len(log.Outcomes) == 0 {
		return errors.New("none of its tests ended")
	}
	for test, outcome := range log.Outcomes {
		m.calls[p.Path+"."+test] = countedTest{record.Outcome(outcome), byUnit(log.Tests[test], find)}
	}
	return nil
}

// byUnit adds up the calls of the functions of each unit.
func byUnit(calls coverage.Calls, find func(coverage.Place) int) map[int]float64 {
	sums := make(map[int]float64)
	for place, n := range calls {
		if unit := find(place); unit >= 0 {
			sums[unit] += float64(n)
		}
	}
	return sums
}

// unitsByPlace returns a function that finds the unit of the function around a place, -1 for none.
func (m *measurement) unitsByPlace() func(coverage.Place) int {
	byFile := make(map[string][]int) // components
	for i, c := range m.build.Components {
		if c.Kind == spell.KindFunction && c.File != "" {
			file := c.Package + "/" + path.Base(c.File)
			byFile[file] = append(byFile[file], i)
		}
	}
	return func(p coverage.Place) int {
		unit, line, column := -1, 0, 0
		for _, i := range byFile[p.File] {
			c := &m.build.Components[i]
			before := c.Line < p.Line || c.Line == p.Line && c.Column <= p.Column
			if before && p.Line <= c.EndLine && (c.Line > line || c.Line == line && c.Column > column) {
				unit, line, column = m.unitOf[i], c.Line, c.Column
			}
		}
		return unit
	}
}

// addCalls adds the calls of a test that ended as it did when they were counted. A unit that was
// called and has no sample has calls alone.
func (s *subject) addCalls(t *sharedTest, domains int) {
	counted := s.calls[t.pkg+"."+t.name]
	if counted.outcome != t.outcome {
		return
	}
	for unit, n := range counted.calls {
		share := t.shares[unit]
		if share.Joules == nil {
			share = attribution.Share{Joules: make([]float64, domains), CumJoules: make([]float64, domains)}
		}
		share.N = n
		t.shares[unit] = share
	}
}

// noteUncounted names the tests that passed whose calls are not known, where others' are.
func (m *measurement) noteUncounted() {
	if len(m.calls) == 0 {
		return
	}
	var names []string
	for _, r := range m.kept {
		for _, o := range r.tests {
			name := o.pkg + "." + o.name
			if o.outcome == record.Pass && m.calls[name].outcome != record.Pass && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if slices.Sort(names); len(names) > 0 {
		m.note(note.CallsOfTestsLost(len(names), shortlist.Of(names)))
	}
}
