package execution

import (
	"bytes"
	"regexp"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/capture"
)

// testEvents follows what a test program without probes prints (-test.v=test2json): which test
// runs from when to when, and how it ended. A line that package testing prints of itself begins
// with a mark, wherever the output stands. What is passed on is what the program prints without
// -test.v, as far as an [Excerpt] looks at it: the events are left out, and a test's own words stand
// under its failure.
type testEvents struct {
	cut      func() int64 // an instant, ns of CLOCK_MONOTONIC, at which another window may begin
	subtests bool         // they have rows of their own
	marked   bool         // line is one of package testing, so far
	line     []byte       // that has not ended
	row      string       // that is running, "" for none
	said     reports      // pass the rest of the output on
	failing  failing
	log      probe.Log
}

// failing is the state before the latest failures, if nothing but them was said since: that of a
// test and of those that it is part of. If the program panics next, they did not end.
type failing struct {
	row           string
	windows, ends int
	words         []byte // that followed
}

const eventMark = 0x16 // package testing, (*chattyPrinter).prefix

// Write takes what is printed.
func (t *testEvents) Write(text []byte) (int, error) {
	written := len(text)
	for len(text) > 0 {
		if !t.marked {
			before, after, found := bytes.Cut(text, []byte{eventMark})
			t.print(before)
			text, t.marked = after, found
			continue
		}
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		text, t.line = rest, append(t.line, line...)
		if ended || len(t.line) > longestLine {
			t.end(ended)
		}
	}
	return written, nil
}

// end takes a marked line. One that package testing did not print is the test's.
func (t *testEvents) end(whole bool) {
	line, own := string(t.line), false
	t.line, t.marked = t.line[:0], false
	if whole {
		own = t.event(line)
	}
	if own {
		return
	}
	t.print(append([]byte{eventMark}, line...))
	if whole {
		t.print([]byte("\n"))
	}
}

// print takes what is no event.
func (t *testEvents) print(text []byte) {
	if len(text) == 0 {
		return
	}
	t.said.add(text)
	if w := &t.failing.words; t.failing.row != "" {
		*w = append(*w, text[:min(len(text), longestWords-len(*w))]...)
	}
}

// longestWords is how much is kept of what follows a failure, to tell whether a panic does.
const longestWords = 1 << 10

// panicked says that the first words after a failure are those of the test's own panic, which
// package testing had in hand when it reported the failure.
func (f *failing) panicked() bool {
	line, _, _ := strings.Cut(string(f.words), "\n")
	return f.row != "" && capture.StartsPanic(line) && strings.Contains(line, " [recovered")
}

var (
	eventLine = regexp.MustCompile(`^=== (RUN|PAUSE|CONT|NAME|ATTR|ARTIFACTS) +(\S*)`)
	endLine   = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$`)
)

// event takes a line after a mark; own says that it is one of package testing.
func (t *testEvents) event(line string) (own bool) {
	if line == "PASS" || line == "FAIL" { // M.Run is about to return
		t.log.Reached = probe.Ran
		t.said.begin("")
		t.print([]byte(line + "\n"))
		return true
	}
	if m := endLine.FindStringSubmatch(line); m != nil {
		t.ended(m[2], m[1], line)
		return true
	}
	m := eventLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	t.failing = failing{}
	t.said.begin(m[2])
	switch m[1] {
	case "RUN":
		t.log.Reached = probe.Running // again, if TestMain calls Run twice
		t.change(t.rowOf(m[2]))
	case "CONT":
		t.change(t.rowOf(m[2]))
	case "PAUSE":
		if t.rowOf(m[2]) == t.row {
			t.change(t.above(m[2]))
		}
	}
	return true
}

// ended takes the end of a test; its parent goes on.
func (t *testEvents) ended(name, outcome, line string) {
	failed := outcome == "FAIL"
	t.said.ended(name, line, failed)
	switch {
	case !failed:
		t.failing = failing{}
	case t.failing.row == "":
		t.failing = failing{row: t.row, windows: len(t.log.Windows), ends: len(t.log.Ends)}
	}
	t.failing.words = nil
	if t.rowOf(name) != name {
		return
	}
	if t.row == name {
		t.change(t.above(name))
	}
	t.log.Ends = append(t.log.Ends, probe.End{Test: name, Outcome: strings.ToLower(outcome)})
}

func (t *testEvents) rowOf(name string) string {
	if !t.subtests {
		return topLevel(name)
	}
	return name
}

// above is the row of the test that a test is part of; "" for none.
func (t *testEvents) above(name string) string { return t.rowOf(nameAbove(name)) }

func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// change ends the window of the row that runs, and begins one of the next.
func (t *testEvents) change(row string) {
	if row == t.row {
		return
	}
	now := t.cut()
	if n := len(t.log.Windows); t.row != "" {
		t.log.Windows[n-1].End = now
	}
	if t.row = row; row != "" {
		t.log.Windows = append(t.log.Windows, probe.Window{Test: row, Start: now, End: now})
	}
}

// finish ends the log when the program has ended: well, if it said so itself.
func (t *testEvents) finish(well bool, now int64) *probe.Log {
	if t.marked {
		t.end(false)
	}
	t.said.begin("")
	if f := &t.failing; !well && f.panicked() {
		t.row, t.log.Windows, t.log.Ends = f.row, t.log.Windows[:f.windows], t.log.Ends[:f.ends]
	}
	if t.row != "" {
		t.log.Open = true
		t.log.Windows[len(t.log.Windows)-1].End = now
	}
	// How far it came before the first test is not known.
	t.log.Reached = max(t.log.Reached, probe.Running)
	return &t.log
}
