package runner

import (
	"context"
	"fmt"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// A round is one execution of all tests.
type round struct {
	tests    []*observation // in the order in which they began
	warnings []string
}

// An observation is one test in one round.
type observation struct {
	pkg, name string
	outcome   record.Outcome
	output    string // of a test that did not pass: the end of what its program printed
	timeMS    float64
	running   bool // when the program ended
	joules    []float64
	intervals []*interval
	shares    map[int]share // by unit; these and the parts are set by attribute
	parts     map[record.Part]portion
}

// attribute shares the energy of the round's tests anew, with what p knows.
// The share of a component goes to the unit that unit says.
func (r *round) attribute(p *pool, unit func(component int, s share) (int, share)) {
	for _, o := range r.tests {
		o.shares, o.parts = make(map[int]share), make(map[record.Part]portion)
		for _, v := range o.intervals {
			shares, parts := p.attribute(v)
			for _, component := range sortedRows(shares) {
				u, s := unit(component, shares[component])
				o.shares[u] = o.shares[u].plus(s)
			}
			for name, more := range parts {
				o.parts[name] = o.parts[name].plus(more)
			}
		}
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

// round executes every program once.
func (m *measurement) round(ctx context.Context, name string, fraction float64) (*round, error) {
	r := &round{}
	for _, p := range m.programs {
		m.Progress(fmt.Sprintf("%s: %s", name, p.Path), fraction)
		e, log, err := m.counted(ctx, p)
		if err != nil {
			return nil, err
		}
		m.learn(log, e.ticks.programNS())
		m.observe(r, p, e, log)
	}
	return r, nil
}

// counted executes a program and returns what it counted.
func (m *measurement) counted(ctx context.Context, p program) (*execution, *probe.Log, error) {
	file, err := probe.Create(m.setUp)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // nothing of it is kept
	e, err := m.execute(ctx, p, file)
	if err != nil {
		return nil, nil, err
	}
	log, err := file.Read()
	if err == nil && m.build.Fallback != "" {
		err = m.applyProfile(log, &e.ticks)
	}
	return e, log, err
}

// observe adds what one program left behind to the round.
func (m *measurement) observe(r *round, p program, e *execution, log *probe.Log) {
	seen := make(map[string]*observation)
	for i, w := range log.Windows {
		o := seen[w.Test]
		if o == nil {
			o = &observation{pkg: p.Path, name: w.Test, joules: make([]float64, e.ticks.domains)}
			seen[w.Test] = o
			r.tests = append(r.tests, o)
		}
		if log.Open && i == len(log.Windows)-1 {
			w.End = max(w.Start, e.ticks.last())
			o.running = true
		}
		m.addWindow(o, e, w, probeCost{log.InnerNS, log.OuterNS, log.SwitchNS})
	}
	for _, end := range log.Ends {
		if o := seen[end.Test]; o != nil && o.outcome != record.Fail {
			o.outcome = record.Outcome(end.Outcome)
		}
	}
	m.judge(r, p, e, seen)
}

// addWindow shares the energy of a window and adds it to its test.
func (m *measurement) addWindow(o *observation, e *execution, w probe.Window, cost probeCost) {
	cpuFrom, from := e.ticks.at(w.Start)
	cpuTo, to := e.ticks.at(w.End)
	length := float64(w.End - w.Start)
	v := &interval{counts: w.Counts, cost: cost, joules: to, idle: make([]float64, len(to)), programNS: cpuTo - cpuFrom}
	if w.CPUNS > 0 {
		v.programNS = float64(w.CPUNS)
	}
	if all := e.ticks.length(); m.meter.Info().WholeMachine && all > 0 {
		v.othersNS = float64(e.ticks.others) * length / all
	}
	for d := range to {
		to[d] -= from[d]
		o.joules[d] += to[d]
		v.idle[d] = m.idle[d] * length / 1e9
	}
	o.timeMS += length / 1e6
	o.intervals = append(o.intervals, v)
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

func (s share) plus(t share) share {
	if s.joules == nil {
		return t
	}
	for d := range t.joules {
		s.joules[d] += t.joules[d]
		s.cumJoules[d] += t.cumJoules[d]
	}
	s.n, s.selfNS, s.cumNS, s.wallNS, s.probesNS = s.n+t.n, s.selfNS+t.selfNS, s.cumNS+t.cumNS, s.wallNS+t.wallNS, s.probesNS+t.probesNS
	return s
}

// judge gives an outcome to tests that did not end, and says what the
// program's end means.
func (m *measurement) judge(r *round, p program, e *execution, seen map[string]*observation) {
	unfinished := record.Crash
	if e.timedOut || strings.Contains(e.output, "panic: test timed out after") {
		unfinished = record.Timeout
	}
	var waiting []string
	allPassed := true
	for _, o := range r.tests {
		switch {
		case seen[o.name] != o || o.outcome != "":
		case e.status == "":
			// The program said that every test passed; what was counted was lost.
			o.outcome = record.Pass
			r.warnings = append(r.warnings, fmt.Sprintf("%s.%s passed, but its counts are not whole: the test stopped the probe from writing", p.Path, o.name))
		case o.running:
			o.outcome = unfinished
			r.warnings = append(r.warnings, fmt.Sprintf("%s.%s did not end (%s, %s): tests of the package after it did not run", p.Path, o.name, unfinished, e.status))
		default:
			o.outcome = record.Crash
			waiting = append(waiting, o.name)
		}
		if seen[o.name] == o && o.outcome != record.Pass && o.outcome != record.Skip {
			o.output, allPassed = excerpt(e.output, o.name), false
		}
	}
	if len(waiting) > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%s: %s had begun, but the program ended before it was their turn to go on", p.Path, strings.Join(waiting, ", ")))
	}
	switch {
	case e.status == "":
	case len(seen) == 0:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: its tests ended with %s before any ran:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
	case allPassed:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: every test passed, but the program ended with %s:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
	}
}
