// Package coverage knows how programs that are built with -cover tell, while they run, how often
// their functions were called: the sources that are added to their standard library, and the reader
// of what these write. The counters are the compiler's: a function is called as often as its first
// block begins. They have 32 bits, so that up to four billion calls are counted between two entries.
package coverage

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Counters is added to package internal/coverage/cfile, and Testing to package testing, whose edits
// call it.
var (
	//go:embed _cfile/spell_lsp.go
	Counters []byte
	//go:embed _testing/spell_lsp.go
	Testing []byte
)

// Variable returns what a program needs in its environment so that it writes into a file. reader is
// the process that starts it and reads the counts; it asks for them by writing a byte to descriptor
// fd of the program, 0 for none, which is answered with a byte. subtests says whether they have rows.
func Variable(reader, fd int, subtests bool, file string) string {
	return fmt.Sprintf("SPELL_LSP_COUNTS=%d:%d:%t:%s", reader, fd, subtests, file)
}

// A Place is where the first block of a function begins.
type Place struct {
	File         string // the import path of the package and the name of the file
	Line, Column int
}

// Calls are how often functions were called.
type Calls map[Place]uint64

// A Log is what a program wrote.
type Log struct {
	// Tests are the calls of each row, those of child processes that ran the same program included.
	Tests map[string]Calls
	// Outcomes are how rows ended, pass, fail or skip, the worst one of a row that ended several
	// times. A row that did not end has none.
	Outcomes map[string]string
	// Moments are the calls up to each moment that was asked for, since the one before. The last
	// ones are those up to the end of the program, if it came that far.
	Moments []Calls
	Exited  bool // the program came to its end
}

// A reading is the state of reading a Log.
type reading struct {
	Log
	places map[[2]int]Place // of functions, by process and number
	row    string
	since  Calls // the latest moment
	child  bool
	pid    int
}

// Read reads what a program wrote.
func Read(from io.Reader) (*Log, error) {
	r := reading{Log: Log{Tests: make(map[string]Calls), Outcomes: make(map[string]string)}, places: make(map[[2]int]Place), since: make(Calls)}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if err := r.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("the counts of calls, line %d: %q: %w", n, lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the counts of calls: %w", err)
	}
	if len(r.since) > 0 {
		r.Moments = append(r.Moments, r.since)
	}
	return &r.Log, nil
}

// longestLine has the name of a test or of a file.
const longestLine = 1 << 20

func (r *reading) line(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "program", "child":
		var err error
		r.child = word == "child"
		r.pid, err = strconv.Atoi(rest)
		return err
	case "function":
		return r.function(rest)
	case "calls":
		return r.calls(rest)
	case "moment":
		r.moment()
	case "exit":
		if !r.child {
			r.moment()
			r.Exited = true
		}
	case "test":
		var err error
		r.row, err = strconv.Unquote(rest)
		return err
	case "end":
		outcome, quoted, _ := strings.Cut(rest, " ")
		name, err := strconv.Unquote(quoted)
		if r.Outcomes[name] != "fail" {
			r.Outcomes[name] = outcome
		}
		return err
	default:
		return fmt.Errorf("%q is not known", word)
	}
	return nil
}

func (r *reading) moment() {
	r.Moments = append(r.Moments, r.since)
	r.since = make(Calls)
}

func (r *reading) function(text string) error {
	var p Place
	var number int
	var quoted string
	if _, err := fmt.Sscanf(text, "%d %d %d %q", &number, &p.Line, &p.Column, &quoted); err != nil {
		return err
	}
	p.File = quoted
	r.places[[2]int{r.pid, number}] = p
	return nil
}

func (r *reading) calls(text string) error {
	first, second, _ := strings.Cut(text, " ")
	number, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(second, 10, 32)
	if err != nil {
		return err
	}
	p, known := r.places[[2]int{r.pid, number}]
	if !known {
		return nil // nothing is known of the function
	}
	r.since[p] += n
	if r.row != "" {
		if r.Tests[r.row] == nil {
			r.Tests[r.row] = make(Calls)
		}
		r.Tests[r.row][p] += n
	}
	return nil
}
