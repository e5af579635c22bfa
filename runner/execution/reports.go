package execution

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// reports take what tests log out of what a program prints. Package testing prints it as it comes
// where it says which test runs (-test.v), and otherwise only under the failure of the test, indented
// with each level.
type reports struct {
	to   io.Writer // gets the rest
	name string    // of the test that logs; "" for none
	of   map[string][]string
	line []byte // that has not ended
	log  bool   // the line before was logged
}

// longestLogged is the longest line that may be one of a test's log.
const longestLogged = 4 << 10

// loggedLine finds the first line of what a test logs; what it printed itself can precede it. The
// others are indented further.
var loggedLine = regexp.MustCompile(`    [^\s:]+\.go:\d+: `)

const furtherLines = "        "

// begin is called when the words of another test follow.
func (r *reports) begin(name string) {
	r.end(false)
	r.name, r.log = name, false
}

// add takes what is printed.
func (r *reports) add(text []byte) {
	for len(text) > 0 {
		piece, rest, ended := bytes.Cut(text, []byte("\n"))
		text, r.line = rest, append(r.line, piece...)
		if ended {
			r.end(true)
		} else if len(r.line) > longestLogged {
			r.pass(r.line)
		}
	}
}

// end takes a line, whole if a newline ended it.
func (r *reports) end(whole bool) {
	line := r.line
	var at []int
	if bytes.Contains(line, []byte(".go:")) { // most lines are not a test's log, and there may be many
		at = loggedLine.FindIndex(line)
	}
	switch {
	case r.name == "":
		r.log = false
	case at != nil:
		r.log = true
		r.pass(line[:at[0]])
		line = line[at[0]:]
	default:
		r.log = r.log && bytes.HasPrefix(line, []byte(furtherLines))
	}
	if r.log {
		r.keep(r.name, string(line))
	} else {
		r.pass(line)
		if whole {
			r.pass([]byte("\n"))
		}
	}
	r.line = r.line[:0]
}

func (r *reports) pass(text []byte) {
	r.to.Write(text) //nolint:errcheck // it cannot fail
	r.line = r.line[:0]
}

func (r *reports) keep(name, line string) {
	if r.of == nil {
		r.of = make(map[string][]string)
	}
	if len(r.of[name]) < excerptLines {
		r.of[name] = append(r.of[name], line)
	}
}

// ended is called when a test has ended. If it failed, what it logged is passed on under the line
// that says so, with the failures of its subtests.
func (r *reports) ended(name, line string, failed bool) {
	r.begin("")
	logged := r.of[name]
	delete(r.of, name)
	if !failed {
		return
	}
	logged = append([]string{line}, logged...)
	above := nameAbove(name)
	for _, line := range logged {
		r.pass([]byte(line + "\n"))
		if above != "" {
			r.keep(above, "    "+line)
		}
	}
}

// nameAbove is the test that a subtest is part of; "" for others.
func nameAbove(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }
