package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// ErrScenario says that a scenario did not go as planned the first time, or again and again.
var ErrScenario = errors.New("the scenario cannot be measured")

// checkScenarios refuses what only tests have, and scenarios that cannot be told apart.
func checkScenarios(p Params) error {
	if len(p.Scenarios) == 0 {
		return nil
	}
	seen := make(map[string]bool)
	for _, s := range p.Scenarios {
		if seen[s.Name] {
			return fmt.Errorf("two scenarios have the name %q: rename one", s.Name)
		}
		seen[s.Name] = true
		if strings.Contains(s.Package, "...") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, s.Package) {
			return fmt.Errorf("scenario %s: %s is a pattern: name one main package", s.Name, s.Package)
		}
	}
	if p.Bench != "" || p.Reach != "" || p.Subtests || len(p.Patterns) > 0 {
		return errors.New("programs are measured in place of tests: packages, benchmarks, subtests and a function to reach cannot be chosen with them")
	}
	return nil
}

// packagesOf are the packages of the scenarios, each once.
func packagesOf(list []scenario.Scenario) []string {
	var pkgs []string
	for _, s := range list {
		if !slices.Contains(pkgs, s.Package) {
			pkgs = append(pkgs, s.Package)
		}
	}
	return pkgs
}

// programsOf are the programs that a round runs: one for each package with tests, or for each
// scenario.
func (m *measurement) programsOf(built []execution.Program) (list []program, err error) {
	if len(m.Scenarios) == 0 {
		for _, p := range built {
			list = append(list, program{Program: p})
		}
		return list, nil
	}
	for i := range m.Scenarios {
		s := &m.Scenarios[i]
		at := slices.IndexFunc(built, func(p execution.Program) bool { return mayMatch(m.Dir, s.Package, p.Package) })
		if at < 0 {
			return nil, fmt.Errorf("scenario %s: %w: the program of %s is not built", s.Name, ErrNoTest, s.Package)
		}
		list = append(list, program{Program: built[at], scenario: s})
	}
	return list, nil
}

// executeScenario runs a program as its scenario says, and again where that is too short for the
// meter.
func (m *measurement) executeScenario(ctx context.Context, r *round, p program) error {
	h := m.first[p.name()]
	o, err := m.runScenario(ctx, r, p)
	if err != nil || o == nil {
		return err
	}
	lived := r.lived
	if h == nil {
		h = &firstOutcomes{outcomes: map[string]record.Outcome{o.name: o.outcome}}
		m.first[p.name()] = h
	} else if first := h.outcomes[o.name]; first != o.outcome {
		r.invalidate(note.EndedOtherwise(p.name(), string(o.outcome), string(first), o.output))
	}
	r.tests = append(r.tests, o)
	if m.info.Counter && r.number > 0 && o.outcome == record.Pass && !p.scenario.Ends() {
		err = m.repeatScenario(ctx, r, p, o)
	}
	r.lived = lived // of the first executions only
	return err
}

// repeatScenario runs a program again that ends by itself before the meter can resolve it.
func (m *measurement) repeatScenario(ctx context.Context, r *round, p program, o *observation) error {
	for all := o.timeMS; all < resolvedMS && o.executions < maxCopies; {
		again, err := m.runScenario(ctx, r, p)
		if err != nil || again == nil {
			return err
		}
		if again.outcome != o.outcome {
			r.invalidate(note.EndedOtherwise(p.name(), string(again.outcome), string(o.outcome), again.output))
			return nil
		}
		all += again.timeMS
		o.merge(again, 1)
	}
	return nil
}

// runScenario runs a program once. There is no observation where its counts are lost.
func (m *measurement) runScenario(ctx context.Context, r *round, p program) (*observation, error) {
	e, course, err := m.meter.ExecuteScenario(ctx, p.Program, p.scenario, execution.ScenarioOptions{
		Dir: m.Dir, Timeout: m.Timeout, Setup: m.setUp, Stdout: m.Stdout, Stderr: m.Stderr, Live: m.live(p), Sampling: m.sampling,
	}, m.model)
	if lost := (*execution.LostError)(nil); errors.As(err, &lost) {
		r.note(note.TestsNotCounted(lost.Error()))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if course.Err != nil {
		course.Err.What = m.asBuilt(course.Err.What)
	}
	if e == nil {
		return nil, scenarioFailed(p, course.Err)
	}
	e.Output = m.asBuilt(e.Output)
	if e.Incomplete {
		m.note(note.ActivityLost())
	}
	if m.sampling != nil {
		m.noteSamples(p, e)
	}
	m.learn(e.Log, e.UsedNS())
	m.learnSizes(e.Log, e.UsedNS())
	m.learnLoad(e)
	r.programs = append(r.programs, e.Children...)
	r.lives(e)
	o := observeScenario(p, e, &m.machine)
	if course.Err != nil && (m.first[p.name()] == nil || m.repeated >= maxDropped) {
		return nil, scenarioFailed(p, course.Err)
	}
	o.judgeScenario(e, course)
	r.noteScenario(p, o, e, course)
	return o, nil
}

// scenarioFailed is the error of a scenario that does not go as planned.
func scenarioFailed(p program, why *execution.ScenarioError) error {
	return fmt.Errorf("%w: %s: %w", ErrScenario, p.name(), why)
}

// observeScenario is the row of a program that ran once.
func observeScenario(p program, e *execution.Execution, machine *attribution.Machine) *observation {
	o := &observation{pkg: p.Path, name: p.scenario.Name, executions: 1, joules: make([]float64, len(machine.Domains)), separate: make([]float64, len(machine.Separate)), ends: 1, program: true, exitCode: &e.ExitCode}
	log := e.Log
	for _, w := range log.Windows {
		o.add(e.Line.Interval(machine, w, attribution.ProbeCost{InnerNS: log.InnerNS, OuterNS: log.OuterNS, FrameNS: log.FrameNS, ChangeNS: log.SwitchNS}))
	}
	for _, calls := range log.Calls {
		o.calls = [][]record.CallNode{attribution.CallNodes(calls)}
	}
	for _, parts := range e.Parts {
		o.parts = parts
	}
	for _, groups := range e.Groups {
		o.groups = groups
	}
	for _, sizes := range log.Sizes {
		o.sizes = withoutProbes(sizes, log.InnerNS)
	}
	return o
}

// judgeScenario sets the outcome. However a program ends after it was told to stop, it passes.
func (o *observation) judgeScenario(e *execution.Execution, c *execution.Course) {
	switch {
	case c.Err != nil:
		o.outcome, o.output = record.Fail, c.Err.What
	case e.TimedOut:
		o.outcome, o.output = record.Timeout, "it did not end in time (timeout); a service needs a load, or a time for which it is measured\n"+execution.LastWords(e.Output)
	case e.Status == "", c.Stopped:
		o.outcome = record.Pass
	case strings.HasPrefix(e.Status, "signal:"):
		o.outcome, o.output = record.Crash, execution.Excerpt(e.Output, "")
	default:
		o.outcome, o.output = record.Fail, execution.Excerpt(e.Output, "")
	}
}

// noteScenario notes what a user should know of how the program ended.
func (r *round) noteScenario(p program, o *observation, e *execution.Execution, c *execution.Course) {
	if o.outcome != record.Pass && c.Err == nil {
		r.note(note.ProgramNotPassed(p.name(), string(o.outcome), e.Status))
	}
	if c.Ignored {
		r.note(note.StopIgnored(p.name(), p.scenario.StopName()))
	}
	if len(e.Left) > 0 {
		r.note(note.ProcessesLeft(p.name(), shortlist.Of(e.Left)))
	}
	if e.Log.Uncounted {
		r.note(note.CallsMissing(p.Path))
	}
	if e.Log.LostNS > 0 {
		r.note(note.StacksMissing(p.Path))
	}
}

// live returns what shows the ranking while a program runs; nil shows nothing.
func (m *measurement) live(p program) func(map[int]float64) {
	return func(own map[int]float64) {
		var all float64
		units := make(map[int]float64)
		for component, ns := range own {
			if unit := m.unitOf[component]; unit >= 0 {
				units[unit] += ns
				all += ns
			}
		}
		if all <= 0 {
			return
		}
		order := sortedKeys(units)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[b], units[a]) })
		step := m.step(p.name())
		for _, unit := range order[:min(len(order), liveRows)] {
			step.Live = append(step.Live, LiveRow{ID: m.units[unit].ID, Share: units[unit] / all})
		}
		m.Progress(step)
	}
}

// liveRows is how many components are shown while a program runs.
const liveRows = 10
