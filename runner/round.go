package runner

import (
	"context"
	"fmt"
	"path/filepath"
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
	joules    []float64
	shares    map[int]share // by component
}

// round executes every program once.
func (m *measurement) round(ctx context.Context, name string, fraction float64) (*round, error) {
	r := &round{}
	for _, p := range m.programs {
		m.Progress(fmt.Sprintf("%s: %s", name, p.Path), fraction)
		file := filepath.Join(m.scratch, "probe")
		variable, err := probe.Create(file, len(m.build.Components), m.Subtests)
		if err != nil {
			return nil, err
		}
		e, err := m.execute(ctx, p, variable)
		if err != nil {
			return nil, err
		}
		log, err := probe.Read(file, len(m.build.Components))
		if err != nil {
			return nil, err
		}
		m.observe(r, p, e, log)
	}
	return r, nil
}

// observe adds what one program left behind to the round.
func (m *measurement) observe(r *round, p program, e *execution, log *probe.Log) {
	seen := make(map[string]*observation)
	for _, w := range log.Windows {
		o := seen[w.Test]
		if o == nil {
			o = &observation{pkg: p.Path, name: w.Test, joules: make([]float64, e.ticks.domains), shares: make(map[int]share)}
			seen[w.Test] = o
			r.tests = append(r.tests, o)
		}
		m.addWindow(o, e, w, log)
	}
	for _, end := range log.Ends {
		if o := seen[end.Test]; o != nil && o.outcome != record.Fail {
			o.outcome = record.Outcome(end.Outcome)
		}
	}
	m.judge(r, p, e, seen)
}

// addWindow shares the energy of a window and adds it to its test.
func (m *measurement) addWindow(o *observation, e *execution, w probe.Window, log *probe.Log) {
	end := w.End
	if n := len(e.ticks.times); end == w.Start && n > 0 {
		end = max(end, e.ticks.times[n-1]) // it was open until the program ended
	}
	cpuFrom, from := e.ticks.at(w.Start)
	cpuTo, to := e.ticks.at(end)
	seconds, busy := float64(end-w.Start)/1e9, cpuTo-cpuFrom
	if length := e.ticks.length(); m.meter.Info().WholeMachine && length > 0 {
		busy += float64(e.ticks.others) * float64(end-w.Start) / length
	}
	idle := make([]float64, len(from))
	for d := range from {
		to[d] -= from[d]
		o.joules[d] += to[d]
		idle[d] = m.idle[d] * seconds
	}
	o.timeMS += seconds * 1e3
	cost := probeCost{float64(log.InnerNS), float64(log.OuterNS)}
	for component, s := range attribute(w.Counts, cost, to, idle, busy) {
		o.shares[component] = o.shares[component].plus(s)
	}
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
	return s
}

// judge gives an outcome to tests that did not end, and says what the
// program's end means.
func (m *measurement) judge(r *round, p program, e *execution, seen map[string]*observation) {
	unfinished := record.Crash
	if e.timedOut || strings.Contains(e.output, "panic: test timed out after") {
		unfinished = record.Timeout
	}
	allPassed := true
	for _, o := range seen {
		if o.outcome == "" {
			o.outcome = unfinished
			r.warnings = append(r.warnings, fmt.Sprintf("%s.%s did not end (%s, %s): tests of the package after it did not run", p.Path, o.name, unfinished, e.status))
		}
		if o.outcome != record.Pass && o.outcome != record.Skip {
			o.output, allPassed = excerpt(e.output, o.name), false
		}
	}
	switch {
	case e.status == "":
	case len(seen) == 0:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: its tests ended with %s before any ran:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
	case allPassed:
		r.warnings = append(r.warnings, fmt.Sprintf("%s: every test passed, but the program ended with %s:\n%s", p.Path, e.status, strings.TrimSpace(e.output)))
	}
}
