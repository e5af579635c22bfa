package probe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A parser reads the log. While open is true, the last window is that of the
// running test. A line of the log is an event:
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
//	dropped I TICKS       row I ran for so many ticks after the last stop; they belong to no test
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
	if p.open {
		return errors.New("a row can only be dropped between two tests")
	}
	if row < 0 || row >= p.rows {
		return fmt.Errorf("row %d of %d", row, p.rows)
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
