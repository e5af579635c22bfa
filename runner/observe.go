package runner

import (
	"cmp"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// An observation is one test in one round.
type observation struct {
	pkg, name  string
	outcome    record.Outcome
	output     string  // why it did not pass: an excerpt of what its program printed
	operation  bool    // it is a benchmark: its values are those of one
	executions float64 // within the round; of a benchmark: operations
	windows    float64 // of time, of which these consist
	timeMS     float64 // mean of one execution, as joules
	running    bool    // it was running when the program ended
	ends       int     // how often it ended by itself
	program    bool    // it is not a test, but a program as a whole
	exitCode   *int    // of a scenario's program
	joules     []float64
	separate   []float64               // joules of counters beside the domains, likewise
	intervals  []*attribution.Interval // one for each process in which it was executed
	calls      [][]record.CallNode     // call tree of each of these processes; components are rows
	parts      []execution.Part        // of the own time of components, of all these processes
	groups     []execution.Grouped     // and the goroutines and labels of it
	sizes      []probe.Sized           // calls of components by size, likewise
	subs       []*observation          // of a benchmark: its subbenchmarks that have no rows of their own, see fold
}

// observe adds the tests of one execution to the round.
func (r *round) observe(p program, e *execution.Execution, machine *attribution.Machine) {
	log := e.Log
	r.programs = append(r.programs, e.Children...)
	r.left = append(r.left, leftBehind(p.Path, log)...)
	seen := make(map[string]*observation)
	for i, w := range log.Windows {
		o := seen[w.Test]
		if o == nil {
			o = &observation{pkg: p.Path, name: w.Test, executions: 1, joules: make([]float64, len(machine.Domains)), separate: make([]float64, len(machine.Separate))}
			seen[w.Test] = o
			r.tests = append(r.tests, o)
		}
		if log.Open && i == len(log.Windows)-1 {
			w.End = max(w.Start, min(e.Line.LastNS(), e.Life.EndedNS))
			o.running = true
		}
		v := e.Line.Interval(machine, w, attribution.ProbeCost{InnerNS: log.InnerNS, OuterNS: log.OuterNS, FrameNS: log.FrameNS, ChangeNS: log.SwitchNS})
		v.Strays = log.Strays
		o.add(v)
	}
	for test, calls := range log.Calls {
		seen[test].calls = [][]record.CallNode{attribution.CallNodes(calls)} // each has a window
	}
	for test, parts := range e.Parts {
		seen[test].parts = parts
	}
	for test, groups := range e.Groups {
		seen[test].groups = groups
	}
	for test, sizes := range log.Sizes {
		seen[test].sizes = withoutProbes(sizes, log.InnerNS)
	}
	for _, o := range seen {
		if isBenchmark(o.name) {
			o.divide(log.Operations[o.name])
		}
	}
	if log.Uncounted {
		r.note(note.CallsMissing(p.Path))
	}
	if log.LostNS > 0 {
		r.note(note.StacksMissing(p.Path))
	}
	for _, end := range log.Ends {
		if o := seen[end.Test]; o != nil {
			o.ends++
			if o.outcome != record.Fail {
				o.outcome = record.Outcome(end.Outcome)
			}
		}
	}
	for name := range log.Interrupted {
		if !log.Uncounted { // if something was not logged, that may be the end of the run
			seen[name].outcome = "" // it was the outcome of earlier runs
		}
	}
	r.judge(p, e, seen)
}

// add adds a window of the test.
func (o *observation) add(v *attribution.Interval) {
	for d := range v.Joules {
		o.joules[d] += v.Joules[d]
	}
	for s := range v.Separate {
		o.separate[s] += v.Separate[s]
	}
	o.timeMS += v.LengthNS / 1e6
	o.windows++
	if len(o.intervals) == 0 {
		o.intervals = []*attribution.Interval{v}
		return
	}
	o.intervals[0].Add(v)
}

// judge sets the outcome of tests that did not end, and notes programs that ended
// unexpectedly.
func (r *round) judge(p program, e *execution.Execution, seen map[string]*observation) {
	log, unfinished := e.Log, record.Crash
	if e.TimedOut || strings.Contains(e.Output, "panic: test timed out after") {
		unfinished = record.Timeout
	}
	// A log that was full has no end.
	whole := e.Status == "" && (log.Reached == probe.Ran || log.Uncounted)
	status := cmp.Or(e.Status, "exit status 0")
	var waiting []string
	allPassed, told := true, false
	for _, o := range r.tests {
		switch {
		case seen[o.name] != o || o.outcome != "":
		case log.Reached == probe.Ran && o.operation && !o.running && !log.Uncounted:
			// When a benchmark panics or calls Goexit, its deferred calls let the testing package continue, which may end
			// the program before the panic does.
			o.outcome = record.Crash
			r.note(note.BenchmarkUnwound(p.Path + "." + o.name))
		case whole:
			// The exit status says that every test passed; only counts were lost.
			o.outcome = record.Pass
			r.note(note.CountsIncomplete(p.Path + "." + o.name))
		case o.running || o.operation && !log.Open && o.name == log.Windows[len(log.Windows)-1].Test: // its timer may be off
			o.outcome = unfinished
			r.note(note.TestDidNotEnd(p.Path+"."+o.name, string(unfinished), status))
			told = true
		default:
			o.outcome = record.Crash
			waiting = append(waiting, o.name)
		}
		if seen[o.name] == o && o.outcome != record.Pass && o.outcome != record.Skip {
			o.output, allPassed = execution.Excerpt(e.Output, o.name), false
		}
	}
	if len(waiting) > 0 {
		r.note(note.TestsWaiting(p.Path, shortlist.Of(waiting)))
	}
	switch {
	case whole:
	case e.Status == "" && log.Reached == probe.InMain:
		r.note(note.EndedInTestMain(p.Path, status, execution.LastWords(e.Output)))
	case e.Status == "" && log.Reached < probe.Running:
		r.note(note.EndedInInit(p.Path, status, execution.LastWords(e.Output)))
	case e.Status == "" && !told:
		begun := begun(log)
		r.note(note.ProgramEndedEarly(p.Path, status, len(begun), begun[max(0, len(begun)-shortlist.Most):], execution.LastWords(e.Output)))
	case len(seen) == 0:
		r.note(note.ProgramFailedFirst(p.Path, e.Status, strings.TrimSpace(e.Output)))
	case allPassed:
		r.note(note.ProgramFailed(p.Path, e.Status, strings.TrimSpace(e.Output)))
	}
}

// begun lists the tests that began.
func begun(log *probe.Log) []string {
	names := []string{} // not nil: JSON would have null, which is no list
	for _, w := range log.Windows {
		if !slices.Contains(names, w.Test) {
			names = append(names, w.Test)
		}
	}
	return names
}
