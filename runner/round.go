package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/children"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// A round is one execution of all tests; of those that are too short for the
// meter, several.
type round struct {
	number int            // 0 for a warm-up
	tests  []*observation // in the order in which they began
	// calls are who called whom in programs that do not tell it by test; components
	// are rows.
	calls    [][]record.CallNode
	invalid  string             // why it does not count; "" if it does
	programs []children.Program // of its child processes, those of each execution by itself
	warnings []string
	yardMS   float64 // how long the yardstick took in it; 0 if that is not known
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
	intervals  []*interval         // one for each process in which it was executed
	calls      [][]record.CallNode // likewise, all executions together: who called whom; components are rows
	shares     map[int]share       // by unit; these and the parts are set by attribute
	parts      map[record.Part]portion
}

// attribute shares the energy of the round's tests anew, with what p knows.
// The share of a component goes to the unit that unit says.
func (r *round) attribute(p *pool, w *powers, unit func(component int, s share) (int, share)) {
	for _, o := range r.tests {
		o.shares, o.parts = make(map[int]share), make(map[record.Part]portion)
		for _, v := range o.intervals {
			shares, parts := p.attribute(v, w)
			for _, component := range sortedRows(shares) {
				u, s := unit(component, shares[component])
				o.shares[u] = o.shares[u].plus(s)
			}
			for name, more := range parts {
				o.parts[name] = o.parts[name].plus(more)
			}
		}
		o.perExecution()
	}
}

// perExecution takes the mean of what is in the shares and parts.
func (o *observation) perExecution() {
	if o.executions <= 1 {
		return
	}
	for c, s := range o.shares {
		o.shares[c] = s.divided(o.executions)
	}
	for name, p := range o.parts {
		o.parts[name] = p.divided(o.executions)
	}
}

// addTo adds what was counted in the round to p.
func (r *round) addTo(p *pool) {
	for _, o := range r.tests {
		for _, v := range o.intervals {
			p.add(v)
		}
	}
}

// round executes every program, in an order of its own.
func (m *measurement) round(ctx context.Context, name string, fraction float64) (*round, error) {
	r := &round{}
	if len(m.warm) >= m.Warmup {
		r.number = m.executed
	}
	before := machineNow(m.stealNS)
	programs := slices.Clone(m.programs)
	if random := m.shuffled(r.number); len(m.habits) > 0 {
		random.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	}
	slices.SortStableFunc(programs, func(a, b program) int { return cmp.Compare(m.faults[a.Path], m.faults[b.Path]) })
	m.yardstick.use()
	for _, p := range programs {
		m.Progress(fmt.Sprintf("%s: %s", name, p.Path), fraction)
		m.yardstick.between()
		err := m.executeTests(ctx, r, p)
		m.blame(p, err)
		if err != nil {
			return nil, err
		}
	}
	m.yardstick.use()
	r.yardMS = m.yardstick.read()
	if m.info.Source == record.Measured {
		r.invalidate(before.disturbed(machineNow(m.stealNS), m.cores))
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
	h := m.habits[p.Path]
	if h == nil {
		h = &habit{outcomes: make(map[string]record.Outcome)}
	}
	seen, err := m.executeChosen(ctx, p, h.order(m.Seed, r.number))
	if err != nil {
		return err
	}
	if m.habits[p.Path] == nil {
		m.habits[p.Path] = h
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
	e, log, err := m.counted(ctx, p, args)
	r := &round{}
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		r.warnings = append(r.warnings, lost.Error())
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if m.build.Fallback != "" {
		calls, err := m.applyProfile(log, &e.line)
		if err != nil {
			return nil, err
		}
		r.calls = append(r.calls, calls)
	}
	m.learn(log, e.line.programNS())
	m.observe(r, p, e, log)
	return r, nil
}

// counted executes a program and returns what it counted.
func (m *measurement) counted(ctx context.Context, p program, args []string) (*execution, *probe.Log, error) {
	file, err := probe.Create(m.setUp)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // nothing of it is kept
	e, err := m.execute(ctx, p, file, args)
	if err != nil {
		return nil, nil, err
	}
	log, err := file.Read()
	if err == nil {
		err = e.plausible(log)
	}
	if err != nil {
		return nil, nil, &lostError{fmt.Errorf("%s: its tests are not counted: the data of its probes is corrupt (%w); a test probably overwrote memory or a file that it does not own", p.Path, err)}
	}
	return e, log, nil
}

// observe adds what one program left behind to the round.
func (m *measurement) observe(r *round, p program, e *execution, log *probe.Log) {
	r.programs = append(r.programs, e.line.family.programs...)
	e.line.family.learn(log.Waits)
	seen := make(map[string]*observation)
	for i, w := range log.Windows {
		o := seen[w.Test]
		if o == nil {
			o = &observation{pkg: p.Path, name: w.Test, executions: 1, joules: make([]float64, e.line.domains)}
			seen[w.Test] = o
			r.tests = append(r.tests, o)
		}
		if log.Open && i == len(log.Windows)-1 {
			w.End = max(w.Start, min(e.line.last(), e.line.ended))
			o.running = true
		}
		m.addWindow(o, e, w, probeCost{log.InnerNS, log.OuterNS, log.FrameNS, log.SwitchNS})
	}
	for test, calls := range log.Calls {
		seen[test].calls = [][]record.CallNode{callsOf(calls)} // each has a window
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
	m.judge(r, p, e, log, seen)
}

// addWindow shares the energy of a window and adds it to its test.
func (m *measurement) addWindow(o *observation, e *execution, w probe.Window, cost probeCost) {
	from, to := e.line.at(w.Start), e.line.at(w.End)
	v := &interval{
		counts: w.Counts, cost: cost, lengthNS: float64(w.End - w.Start), joules: to.joules,
		programNS: to.cpu - from.cpu, childrenNS: to.children - from.children,
	}
	if w.CPUNS > 0 {
		v.programNS = float64(w.CPUNS)
	}
	if m.info.WholeMachine {
		v.othersNS, v.samplerNS = to.others-from.others, to.own-from.own
	}
	for d := range v.joules {
		v.joules[d] -= from.joules[d]
		o.joules[d] += v.joules[d]
	}
	o.timeMS += v.lengthNS / 1e6
	if len(o.intervals) == 0 {
		o.intervals = []*interval{v}
		return
	}
	o.intervals[0].add(v)
}

// add makes one of two intervals of one execution.
func (v *interval) add(w *interval) {
	for row, c := range w.counts {
		v.counts[row] = v.counts[row].Plus(c)
	}
	for d := range v.joules {
		v.joules[d] += w.joules[d]
	}
	v.lengthNS, v.programNS = v.lengthNS+w.lengthNS, v.programNS+w.programNS
	v.othersNS, v.samplerNS, v.childrenNS = v.othersNS+w.othersNS, v.samplerNS+w.samplerNS, v.childrenNS+w.childrenNS
}

func (p portion) plus(q portion) portion {
	if p.joules == nil {
		return q
	}
	for d := range q.joules {
		p.joules[d] += q.joules[d]
	}
	p.ns += q.ns
	return p
}

func (p portion) divided(by float64) portion {
	for d := range p.joules {
		p.joules[d] /= by
	}
	p.ns /= by
	return p
}

func (s share) divided(by float64) share {
	s.n, s.selfNS, s.cumNS, s.wallNS = s.n/by, s.selfNS/by, s.cumNS/by, s.wallNS/by
	s.probesNS, s.framesNS = s.probesNS/by, s.framesNS/by
	for d := range s.joules {
		s.joules[d] /= by
		s.cumJoules[d] /= by
	}
	return s
}

func (s share) plus(t share) share {
	if s.joules == nil {
		return t
	}
	for d := range t.joules {
		s.joules[d] += t.joules[d]
		s.cumJoules[d] += t.cumJoules[d]
	}
	s.n, s.selfNS, s.cumNS, s.wallNS = s.n+t.n, s.selfNS+t.selfNS, s.cumNS+t.cumNS, s.wallNS+t.wallNS
	s.probesNS, s.framesNS = s.probesNS+t.probesNS, s.framesNS+t.framesNS
	return s
}

// judge gives an outcome to tests that did not end, and says what the
// program's end means.
func (m *measurement) judge(r *round, p program, e *execution, log *probe.Log, seen map[string]*observation) {
	unfinished := record.Crash
	if e.timedOut || strings.Contains(e.output, "panic: test timed out after") {
		unfinished = record.Timeout
	}
	// A log that was full does not tell the end.
	whole := e.status == "" && (log.Reached == probe.Ran || log.Uncounted)
	status := cmp.Or(e.status, "exit status 0")
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
			o.output, allPassed = excerpt(e.output, o.name), false
		}
	}
	if len(waiting) > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%s: %s had begun, but the program ended before it was their turn to go on", p.Path, strings.Join(shortlist.Of(waiting), ", ")))
	}
	switch {
	case whole:
	case e.status == "" && log.Reached < probe.Running:
		r.warnings = append(r.warnings, fmt.Sprintf("%s ran no test: its program ended with %s in %s%s", p.Path, status, placeOf(log.Reached), lastWords(e.output)))
	case e.status == "" && !told:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: the program ended with %s before its last test; %s%s", p.Path, status, begun(log), lastWords(e.output)))
	case len(seen) == 0:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: its tests ended with %s before any ran:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
	case allPassed:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: every test passed, but the program ended with %s:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
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

// lastWords formats the end of what a program printed as a suffix of a sentence.
func lastWords(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if text := strings.Join(lines[max(0, len(lines)-excerptLines):], "\n"); text != "" {
		return "; it printed:\n" + text
	}
	return ""
}
