package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// A program runs the tests of one package.
type program struct {
	execution.Program
	chosen *choice // of its tests; nil is all
}

// A round is one execution of all tests; of those that are too short for the
// meter, several.
type round struct {
	number int            // 0 for a warm-up
	tests  []*observation // in the order in which they began
	// calls are who called whom in programs that do not tell it by test; components
	// are rows.
	calls       [][]record.CallNode
	invalid     string             // why it does not count; "" if it does
	programs    []children.Program // of its child processes, those of each execution by itself
	warnings    []string
	referenceMS float64 // how long the reference workload took in it; 0 if that is not known
}

// An observation is one test in one round.
type observation struct {
	pkg, name  string
	outcome    record.Outcome
	output     string  // of a test that did not pass: the end of what its program printed
	executions float64 // within the round
	timeMS     float64 // of one execution on average, as all that follows
	running    bool    // when the program ended
	ends       int     // how often it ended by itself
	joules     []float64
	intervals  []*attribution.Interval // one for each process in which it was executed
	calls      [][]record.CallNode     // likewise, all executions together: who called whom; components are rows
}

// round executes every program, in an order of its own.
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

// invalidate says why the round does not count; the first reason stands.
func (r *round) invalidate(cause string) {
	if r.invalid == "" {
		r.invalid = cause
	}
}

// executeTests executes the tests of a package, and again those that are too
// short for the meter.
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

// executeChosen executes those tests of a program that were chosen, if any were.
func (m *measurement) executeChosen(ctx context.Context, p program, args []string) (*round, error) {
	seen, err := m.executeOnce(ctx, p, slices.Concat(p.chosen.flags(), args))
	if err == nil {
		p.chosen.keep(seen)
	}
	return seen, err
}

// executeOnce executes a program, and returns what it left behind as a round of
// its own.
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
	m.observe(r, p, e)
	return r, nil
}

// testArgs are what every execution is told.
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

// applyProfile completes what a program counted without the runtime's help. A
// program that ended early has left no profile. It returns who called whom.
func (m *measurement) applyProfile(e *execution.Execution) []record.CallNode {
	timed := func(row int) bool {
		return row <= len(m.build.Counted) && !m.build.Counted[row-1] && m.setUp.Hot[row-1]&probe.HotCalls == 0
	}
	stacks, err := execution.TakeProfile(m.profileFile(), m.index)
	if err != nil {
		m.warnings = append(m.warnings, "a program left no CPU profile: its functions are charged for the time that they waited")
		return nil // what was counted is still true
	}
	p := attribution.NewProfile(stacks, len(m.build.Components), timed)
	p.Apply(e.Log, e.Line)
	return p.Calls()
}

// observe adds what one program left behind to the round.
func (m *measurement) observe(r *round, p program, e *execution.Execution) {
	log := e.Log
	r.programs = append(r.programs, e.Children...)
	seen := make(map[string]*observation)
	for i, w := range log.Windows {
		o := seen[w.Test]
		if o == nil {
			o = &observation{pkg: p.Path, name: w.Test, executions: 1, joules: make([]float64, len(m.machine.Domains))}
			seen[w.Test] = o
			r.tests = append(r.tests, o)
		}
		if log.Open && i == len(log.Windows)-1 {
			w.End = max(w.Start, min(e.Line.LastNS(), e.Life.EndedNS))
			o.running = true
		}
		o.add(e.Line.Interval(&m.machine, w, attribution.ProbeCost{InnerNS: log.InnerNS, OuterNS: log.OuterNS, FrameNS: log.FrameNS, ChangeNS: log.SwitchNS}))
	}
	for test, calls := range log.Calls {
		seen[test].calls = [][]record.CallNode{attribution.CallNodes(calls)} // each has a window
	}
	if log.Uncounted {
		r.warnings = append(r.warnings, fmt.Sprintf("%s used more processors, or had more tests, than there is room for: calls are missing (lower GOMAXPROCS, or measure fewer packages at once)", p.Path))
	}
	if log.LostNS > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("who called whom is not known in full: %s has more different stacks than there is room for", p.Path))
	}
	for _, end := range log.Ends {
		if o := seen[end.Test]; o != nil {
			o.ends++
			if o.outcome != record.Fail {
				o.outcome = record.Outcome(end.Outcome)
			}
		}
	}
	m.judge(r, p, e, seen)
}

// add adds what a window of the test used.
func (o *observation) add(v *attribution.Interval) {
	for d := range v.Joules {
		o.joules[d] += v.Joules[d]
	}
	o.timeMS += v.LengthNS / 1e6
	if len(o.intervals) == 0 {
		o.intervals = []*attribution.Interval{v}
		return
	}
	o.intervals[0].Add(v)
}

// judge gives an outcome to tests that did not end, and says what the
// program's end means.
func (m *measurement) judge(r *round, p program, e *execution.Execution, seen map[string]*observation) {
	log, unfinished := e.Log, record.Crash
	if e.TimedOut || strings.Contains(e.Output, "panic: test timed out after") {
		unfinished = record.Timeout
	}
	// A log that was full does not tell the end.
	whole := e.Status == "" && (log.Reached == probe.Ran || log.Uncounted)
	status := cmp.Or(e.Status, "exit status 0")
	var waiting []string
	allPassed, told := true, false
	for _, o := range r.tests {
		switch {
		case seen[o.name] != o || o.outcome != "":
		case whole:
			// The program said that every test passed; what was counted was lost.
			o.outcome = record.Pass
			r.warnings = append(r.warnings, fmt.Sprintf("%s.%s passed, but its counts are not whole: the test stopped the probe from writing", p.Path, o.name))
		case o.running:
			o.outcome = unfinished
			r.warnings = append(r.warnings, fmt.Sprintf("%s.%s did not end (%s, %s): tests of the package after it did not run", p.Path, o.name, unfinished, status))
			told = true // which tests ran is in the record
		default:
			o.outcome = record.Crash
			waiting = append(waiting, o.name)
		}
		if seen[o.name] == o && o.outcome != record.Pass && o.outcome != record.Skip {
			o.output, allPassed = execution.Excerpt(e.Output, o.name), false
		}
	}
	if len(waiting) > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%s: %s had begun, but the program ended before it was their turn to go on", p.Path, strings.Join(shortlist.Of(waiting), ", ")))
	}
	switch {
	case whole:
	case e.Status == "" && log.Reached < probe.Running:
		r.warnings = append(r.warnings, fmt.Sprintf("%s ran no test: its program ended with %s in %s%s", p.Path, status, placeOf(log.Reached), printed(e.Output)))
	case e.Status == "" && !told:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: the program ended with %s before its last test; %s%s", p.Path, status, begun(log), printed(e.Output)))
	case len(seen) == 0:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: its tests ended with %s before any ran:\n%s", p.Path, e.Status, strings.TrimSpace(e.Output)))
	case allPassed:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: every test passed, but the program ended with %s:\n%s", p.Path, e.Status, strings.TrimSpace(e.Output)))
	}
}

// placeOf says which code ran in a stage before the tests.
func placeOf(s probe.Stage) string {
	if s == probe.InMain {
		return "TestMain, which did not call Run"
	}
	return "an init function or a package variable, before TestMain"
}

// begun says which tests began: all, or the last few.
func begun(log *probe.Log) string {
	var names []string
	for _, w := range log.Windows {
		if !slices.Contains(names, w.Test) {
			names = append(names, w.Test)
		}
	}
	switch more := len(names) - shortlist.Most; {
	case len(names) == 0:
		return "no test had begun"
	case more > 0:
		return fmt.Sprintf("%d tests had begun, the last of them %s", len(names), strings.Join(names[more:], ", "))
	}
	return strings.Join(names, ", ") + " had begun"
}

// printed is the end of what a program printed, as a suffix of a sentence.
func printed(output string) string {
	if text := execution.LastWords(output); text != "" {
		return "; it printed:\n" + text
	}
	return ""
}
