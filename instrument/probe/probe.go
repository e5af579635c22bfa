// Package probe is the code that runs inside the program under test, and the
// file in which that program leaves what it counted.
//
// The file is mapped into the program's memory: a panic, os.Exit or a kill loses
// nothing of what was counted. layout.go tells what stands where. A part of it is a
// log, a line an event:
//
//	main                  the main function of the tests begins
//	stop T CPU            the test that was running stops at monotonic time T, ns,
//	                      after so much CPU time of the program; 0 if that is not known
//	I N SELF CUM ...      row I grew by this before the last stop, see counters; those that are
//	                      left out at the end did not grow
//	moved I READ ...      row I moved so many bytes more before the last stop, see Moved
//	go S LINE "TEST" "IN" "FILE" "F"  go statement S, in function IN, started F in a test
//	strays S G TICKS       so many more of its goroutines ran after their test was over, and
//	                      all of them ran for so many ticks more before the last stop
//	dropped I TICKS       row I ran for so many ticks after the last stop, which is of no test
//	test T CPU "NAME"     the test begins, or goes on, at T
//	operations N "NAME"   the benchmark did N of them in a run that is over; a fraction where only some were logged
//	reset "NAME"          the benchmark has reset its timer: what was logged of this run does not count
//	end OUTCOME "NAME"    the test is over: pass, fail or skip
//	waited NS NONE        until the stops from here on, the children that the program waited
//	                      for used NS of CPU time; NONE is true if it had no other child
//	children TICKS        goroutines of child processes with probes ran for so many ticks more
//	                      before the last stop
//	run                   testing.M.Run begins
//	ran                   and returns
package probe

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Sources holds the files that an instrumented build adds to GOROOT/src, under
// the directories of their packages with an underscore before.
//
//go:embed _runtime/*.go _runtime/*.s _runtime_plain/*.go _calibration/*.go _syscall/*.go _testing/*.go _spell_lsp_probe/*.go
var Sources embed.FS

// Variable is the name of the environment variable that tells the program
// which of the files that it inherits is its own.
const Variable = "SPELL_LSP_PROBE"

// A Count is what one row did: a component, or what is none.
type Count struct {
	N      uint64 // calls
	SelfNS uint64 // running time while it was on top, without timed callees
	CumNS  uint64 // running time of timed calls, with callees; recursion counts once
	WallNS uint64 // as CumNS, with the time it waited
	Calls  uint64 // of timed callees, literals included
	Timed  uint64 // those of N that were timed
	// Literals is how often a literal of the function began and was timed; these
	// are no calls.
	Literals uint64
	// Switches is how often it came on top in the place of another block of its
	// function, or that in its place.
	Switches uint64

	// What samples say, in ns of CPU time: in its own code and in that of others
	// while it was on top, in its own code while another was on top, and anywhere
	// below what ran.
	KeptNS, LostNS, GainedNS, BelowNS uint64
	Samples                           uint64 // in its own code

	// What it allocated on the heap, by samples: bytes of the slots and objects, without what
	// callees with rows allocated. 0 where the runtime is not edited.
	AllocBytes, AllocObjects uint64
	Moved                    Moved
}

// largest is the largest of the numbers.
func (c Count) largest() uint64 {
	return max(c.N, c.SelfNS, c.CumNS, c.WallNS, c.Calls, c.Timed, c.Literals, c.Switches, c.KeptNS, c.LostNS, c.GainedNS, c.BelowNS, c.Samples, c.AllocBytes, c.AllocObjects, c.Moved.Largest())
}

// Plus adds up what two intervals, or two programs, counted.
func (c Count) Plus(o Count) Count {
	return Count{
		c.N + o.N, c.SelfNS + o.SelfNS, c.CumNS + o.CumNS, c.WallNS + o.WallNS, c.Calls + o.Calls, c.Timed + o.Timed, c.Literals + o.Literals, c.Switches + o.Switches,
		c.KeptNS + o.KeptNS, c.LostNS + o.LostNS, c.GainedNS + o.GainedNS, c.BelowNS + o.BelowNS, c.Samples + o.Samples,
		c.AllocBytes + o.AllocBytes, c.AllocObjects + o.AllocObjects,
		c.Moved.plus(o.Moved),
	}
}

// A Window is a time in which one test was running, and no other.
type Window struct {
	Test       string
	Start, End int64 // CLOCK_MONOTONIC, ns
	// CPUNS is the CPU time of the program in the window; 0 if it is not known.
	CPUNS  int64
	Counts map[int]Count // by row: 0 is outside of all components, i+1 is component i, see RuntimeRow
	// ChildrenNS is how long goroutines of child processes ran, of those that have probes. It is
	// in Counts, too.
	ChildrenNS float64
	// SchedulerNS is what samples saw of the scheduler; 0 with probes, where it is the rest of
	// the program's CPU time.
	SchedulerNS uint64
	// StraysNS is how long goroutines ran that had outlived their tests, by their go
	// statement in Log.Strays, with those that they had started; nil if none did.
	StraysNS map[int]float64
}

// An End says how a test ended: pass, fail or skip.
type End struct{ Test, Outcome string }

// A Wait is what was known of a program's children at a moment.
type Wait struct {
	At   int64 // CLOCK_MONOTONIC, ns
	NS   int64 // CPU time of those that it had waited for, and of theirs
	None bool  // it had no other child
}

// A Stage is how far a test program came.
type Stage int

// The stages, in their order.
const (
	Initializing Stage = iota // package variables and init functions
	InMain                    // TestMain, or the main function that stands for it
	Running                   // testing.M.Run
	Ran                       // it returned
)

// A Log is what one process left behind.
type Log struct {
	Reached          Stage   // at its end
	InnerNS, OuterNS float64 // a timed probe's cost a call: within its function's time, and within its caller's
	FrameNS          float64 // what the probe of a hot function adds a call to that function's own code, as samples see it
	SwitchNS         float64 // the cost of putting a block on top, half of it in the time of each of the two
	// Stops is how often a goroutine stopped running. The probe reads the clock then, and again when
	// one goes on, which takes about as long as a timed call.
	Stops     uint64
	Hot       []Hot // by component: what is so frequent that it is counted only
	Uncounted bool  // the program had more processors, or tests, than the file has room for
	Windows   []Window
	Ends      []End
	Waits     []Wait // in the order of time, where tests stopped; none where it is not known
	// Open says that the last window was still open when the process ended. Its
	// End is its Start, and its counts are what the file holds beyond the log.
	Open bool
	// Calls are who called whom, by test; nil where it is not known. LostNS is the
	// CPU time of samples for whose stacks there was no room.
	Calls  map[string][]Call
	LostNS uint64
	// Strays are the go statements of goroutines that outlived their tests, and ran then;
	// the first is for those for which there was no room. nil if there were none.
	Strays []Stray
	// Operations are how many the runs of benchmarks had together that came to their end, by
	// benchmark.
	Operations map[string]float64
	// Interrupted are benchmarks of which a run did not end, after others that did.
	Interrupted map[string]bool
	// Parts are those of the own time of components, by test; nil where they are not known.
	Parts map[string][]Part
	// Groups are the goroutines and labels of components' own time, by test; nil where they are
	// not known.
	Groups map[string][]Grouped
	// Sizes are the calls of some components by their sizes, by test; nil where none were noted.
	Sizes map[string][]Sized
}

// Read reads what a program left after its end, however it ended. An error says
// that it is not what a probe writes: the program has the file mapped, and may
// write anything there, by accident or not. What it wrote that a probe could have
// written too cannot be told from that.
func (f *File) Read() (*Log, error) {
	if f.damage != nil {
		return nil, f.damage
	}
	log, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("reading the probe's %w", err)
	}
	return log, nil
}

func (f *File) read() (*Log, error) {
	t, err := f.table()
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	p := newParser(t.rows-calibration, t.scale())
	if err := p.parse(t.log()); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	if p.open {
		totals, err := t.totals()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finish(totals); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		moved, err := t.moves()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finishMoved(moved); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		origins, err := t.words(t.origins(), straySlots*strayWords)
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finishStrays(origins); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		family, err := t.family()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.grewBy(&p.log.Windows[len(p.log.Windows)-1].ChildrenNS, family-p.family); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
	}
	if err := t.describe(&p.log); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	stacks, err := t.words(t.stacks(), callSlots*callWords)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	if p.log.Calls, p.log.Parts, err = t.calls(stacks, testsOf(p.log.Windows)); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	groups, err := t.grouped()
	if err == nil {
		p.log.Groups, err = groups.of(testsOf(p.log.Windows))
	}
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	sizes, err := t.sizeTable(f.setup.Sized)
	if err == nil {
		p.log.Sizes, err = sizes.of(testsOf(p.log.Windows))
	}
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	p.log.Interrupted = p.interrupted()
	return &p.log, nil
}

// A parser follows the log; while open, the last window is that of the test
// that is running.
type parser struct {
	log    Log
	rows   int     // that may be counted
	scale  float64 // ns a tick
	open   bool
	now    int64              // the time of the last event that has one
	cpu    int64              // of the program when the last window began
	waited *Wait              // as it was logged last
	counts map[int]Count      // where count lines go: those of the window that was stopped last
	logged map[int]counters   // sum of all count lines
	strays *map[int]float64   // where lines of strays go, as counts
	ran    [straySlots]uint64 // sum of these lines, ticks
	moved  map[int]Moved      // sum of all lines of bytes
	// Where lines of children go, as counts, and the sum of these lines, ticks.
	children *float64
	family   uint64
	// ranBefore is where the windows of the present run of a benchmark begin, by its name.
	ranBefore map[string]int
	// resetBefore is where those begin that a reset has not emptied yet.
	resetBefore map[string]int
}

func newParser(rows int, scale float64) *parser {
	return &parser{rows: rows, scale: scale, logged: make(map[int]counters), moved: make(map[int]Moved), ranBefore: make(map[string]int), resetBefore: make(map[string]int)}
}

// A log that is larger is no probe's: its lines are a name or numbers, and a test
// begins and ends in no less than a microsecond.
const (
	longestLine = 16 << 20
	mostWindows = 1 << 22
)

func (p *parser) parse(log io.Reader) error {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, longestLine)
	for i := 1; lines.Scan(); i++ {
		if err := p.line(lines.Text()); err != nil {
			return fmt.Errorf("line %d, %.100q: %w", i, lines.Text(), err)
		}
	}
	return lines.Err()
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "main":
		p.log.Reached = InMain
		return nil
	case "run":
		p.log.Reached = Running
		return nil
	case "ran":
		p.log.Reached = Ran
		return nil
	case "test":
		t, cpu, quoted, err := p.instant(rest)
		if err != nil {
			return err
		}
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		if len(p.log.Windows) == mostWindows {
			return fmt.Errorf("more than %d changes from one test to another", mostWindows)
		}
		p.log.Windows = append(p.log.Windows, Window{Test: name, Start: t, End: t, Counts: make(map[int]Count)})
		p.open, p.cpu = true, cpu
		return nil
	case "stop":
		t, cpu, _, err := p.instant(rest)
		if err != nil {
			return err
		}
		p.stop(t, cpu)
		if p.waited != nil {
			p.log.Waits = append(p.log.Waits, Wait{t, p.waited.NS, p.waited.None})
		}
		return nil
	case "waited":
		return p.wait(rest)
	case "go":
		return p.statement(rest)
	case "strays":
		return p.stray(rest)
	case "moved":
		return p.move(rest)
	case "children":
		return p.addChildren(rest)
	case "dropped":
		return p.drop(rest)
	case "operations":
		return p.operations(rest)
	case "reset":
		return p.reset(rest)
	case "end":
		outcome, quoted, _ := strings.Cut(rest, " ")
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"pass", "fail", "skip"}, outcome) {
			return fmt.Errorf("unknown test outcome %q", outcome)
		}
		p.log.Ends = append(p.log.Ends, End{Test: name, Outcome: outcome})
		return nil
	}
	return p.count(line)
}

// operations reads how many a benchmark did in one of its runs.
func (p *parser) operations(line string) error {
	field, quoted, _ := strings.Cut(line, " ")
	n, err := strconv.ParseFloat(field, 64)
	if err != nil {
		return err
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return err
	}
	if !(n >= 0 && n <= mostCounted) {
		return fmt.Errorf("a benchmark has an impossible number of operations: %g", n)
	}
	if p.log.Operations == nil {
		p.log.Operations = make(map[string]float64)
	}
	p.log.Operations[name] += n
	p.ranBefore[name] = len(p.log.Windows)
	return nil
}

// reset empties the windows of a run of a benchmark that has reset its timer. They stay, as tests are numbered by their first ones.
func (p *parser) reset(quoted string) error {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return err
	}
	for i := max(p.ranBefore[name], p.resetBefore[name]); i < len(p.log.Windows); i++ {
		w := &p.log.Windows[i]
		if w.Test != name {
			continue
		}
		if p.open && i == len(p.log.Windows)-1 {
			return errors.New("the timer of a benchmark was reset while its window was open")
		}
		*w = Window{Test: name, Start: w.Start, End: w.Start, Counts: make(map[int]Count)}
	}
	p.resetBefore[name] = len(p.log.Windows)
	p.counts, p.strays, p.children = nil, nil, nil
	return nil
}

// interrupted are the benchmarks that have windows after their last run.
func (p *parser) interrupted() map[string]bool {
	var names map[string]bool
	for name, from := range p.ranBefore {
		if slices.ContainsFunc(p.log.Windows[from:], func(w Window) bool { return w.Test == name }) {
			if names == nil {
				names = make(map[string]bool)
			}
			names[name] = true
		}
	}
	return names
}

// drop reads what a row ran between two tests.
func (p *parser) drop(line string) error {
	var row int
	var ticks uint64
	if _, err := fmt.Sscanf(line, "%d %d", &row, &ticks); err != nil {
		return err
	}
	if p.open || row < 0 || row >= p.rows {
		return fmt.Errorf("row %d ran between two tests", row)
	}
	c := p.logged[row]
	c[1] += ticks
	p.logged[row] = c
	return nil
}

func (p *parser) wait(line string) error {
	used, none, _ := strings.Cut(line, " ")
	ns, err := strconv.ParseInt(used, 10, 64)
	if err != nil {
		return err
	}
	if ns < 0 || ns > mostCounted {
		return fmt.Errorf("children used %d ns", ns)
	}
	p.waited = &Wait{NS: ns}
	p.waited.None, err = strconv.ParseBool(none)
	return err
}

// addChildren reads how long child processes with probes ran.
func (p *parser) addChildren(text string) error {
	if p.children == nil {
		return errors.New("children before any stop")
	}
	ticks, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	p.family += ticks
	return p.grewBy(p.children, ticks)
}

// grewBy adds ticks of child processes to a time in ns.
func (p *parser) grewBy(ns *float64, ticks uint64) error {
	*ns += float64(ticks) * p.scale
	if *ns > mostCounted {
		return fmt.Errorf("child processes ran for %g ns", *ns)
	}
	return nil
}

// instant cuts off a time, which is not before the last, and a CPU time.
func (p *parser) instant(s string) (t, cpu int64, rest string, err error) {
	at, rest, _ := strings.Cut(s, " ")
	used, rest, _ := strings.Cut(rest, " ")
	if t, err = strconv.ParseInt(at, 10, 64); err != nil {
		return 0, 0, "", err
	}
	if t < p.now {
		return 0, 0, "", fmt.Errorf("time goes backwards: %d after %d", t, p.now)
	}
	p.now = t
	cpu, err = strconv.ParseInt(used, 10, 64)
	if err == nil && (cpu < 0 || cpu > mostCounted) {
		err = fmt.Errorf("no CPU time: %d", cpu)
	}
	return t, cpu, rest, err
}

func (p *parser) stop(t, cpu int64) {
	p.counts, p.strays, p.children = make(map[int]Count), new(map[int]float64), new(float64)
	if p.open {
		w := &p.log.Windows[len(p.log.Windows)-1]
		w.End, w.CPUNS, p.counts, p.strays, p.children = t, cpu-p.cpu, w.Counts, &w.StraysNS, &w.ChildrenNS
	}
	p.open = false
}

func (p *parser) count(line string) error {
	if p.counts == nil {
		return errors.New("counts before any stop")
	}
	fields := strings.Fields(line)
	if n := len(fields) - 1; n < 1 || n > len(counters{}) {
		return fmt.Errorf("neither an event nor a row with 1 to %d counters", len(counters{}))
	}
	row, err := strconv.Atoi(fields[0])
	if err != nil {
		return err
	}
	if row < 0 || row >= p.rows {
		return fmt.Errorf("row %d of %d", row, p.rows)
	}
	var c counters
	sum := p.logged[row]
	for i, field := range fields[1:] {
		if c[i], err = strconv.ParseUint(field, 10, 64); err != nil {
			return err
		}
		sum[i] += c[i]
	}
	if _, err := sum.count(p.scale); err != nil {
		return err
	}
	count, err := c.count(p.scale)
	p.counts[row], p.logged[row] = p.counts[row].Plus(count), sum
	return err
}

// finish gives the window that is still open what the file holds beyond the
// log.
func (p *parser) finish(totals []counters) error {
	p.log.Open = true
	counts := p.log.Windows[len(p.log.Windows)-1].Counts
	for row, c := range totals {
		logged := p.logged[row]
		for i := range c {
			c[i] -= logged[i]
		}
		if c == (counters{}) {
			continue
		}
		var err error
		if counts[row], err = c.count(p.scale); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
	}
	return nil
}
