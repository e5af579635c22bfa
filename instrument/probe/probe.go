// Package probe is the code that runs inside the program under test, and the
// file in which that program leaves what it counted.
//
// The file begins with a table that the program maps into its memory: a row of
// 64 bytes for what ran outside of all components, one for each component, and
// two for calibration. A row holds six 64-bit counters in the machine's byte
// order: calls; nanoseconds of running time, self; the same, cumulative;
// nanoseconds from entry to exit, cumulative; calls of instrumented functions
// and literals; entries of its literals. Because the table is shared memory, a panic, os.Exit or a kill
// loses nothing of it.
//
// Behind the table follows a log that the program appends to, a line an event:
//
//	cost INNER OUTER      ns that a probe adds to its function and to the caller
//	stop T                the test that was running stops at monotonic time T, ns
//	I N SELF CUM WALL CH L  row I grew by this before the last stop
//	test T "NAME"         the test begins, or goes on, at T
//	end OUTCOME "NAME"    the test is over: pass, fail or skip
package probe

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Sources holds the files that an instrumented build adds to GOROOT/src, under
// the directories of their packages with an underscore before.
//
//go:embed _runtime/*.go _testing/*.go _spell_lsp_probe/*.go
var Sources embed.FS

const rowSize = 64

// MaxComponents is how many components one program may have.
const MaxComponents = 1<<20 - 3

// Variable is the name of the environment variable that tells the program
// where its file is.
const Variable = "SPELL_LSP_PROBE"

// A Count is what one component did.
type Count struct {
	N      uint64 // calls
	SelfNS uint64 // running time, without instrumented callees
	CumNS  uint64 // running time with callees; recursion counts once
	WallNS uint64 // as CumNS, with the time it waited
	Calls  uint64 // of instrumented callees, literals included
	// Literals is how often a literal of the function began; these are no calls.
	Literals uint64
}

func (c Count) minus(o Count) Count {
	return Count{c.N - o.N, c.SelfNS - o.SelfNS, c.CumNS - o.CumNS, c.WallNS - o.WallNS, c.Calls - o.Calls, c.Literals - o.Literals}
}

func (c Count) plus(o Count) Count {
	return Count{c.N + o.N, c.SelfNS + o.SelfNS, c.CumNS + o.CumNS, c.WallNS + o.WallNS, c.Calls + o.Calls, c.Literals + o.Literals}
}

// A Window is a time in which one test was running, and no other.
type Window struct {
	Test       string
	Start, End int64         // CLOCK_MONOTONIC, ns
	Counts     map[int]Count // by row: 0 is outside of all components, i+1 is component i
}

// An End says how a test ended: pass, fail or skip.
type End struct{ Test, Outcome string }

// A Log is what one process left behind.
type Log struct {
	InnerNS, OuterNS uint64 // a probe's cost a call: within its function's time, and within its caller's
	Windows          []Window
	Ends             []End
	// Open says that the last window was still open when the process ended. Its
	// End is its Start, and its counts are what the table holds beyond the log.
	Open bool
}

// Create makes the file for a program of that many components, and returns the
// value of Variable for it. With subtests, they are told apart from the tests
// that they belong to.
func Create(path string, components int, subtests bool) (variable string, err error) {
	if components > MaxComponents {
		return "", fmt.Errorf("%d components are more than the %d that can be measured at once: measure fewer packages", components, MaxComponents)
	}
	f, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("creating the probe's file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(int64(components+3) * rowSize); err != nil {
		return "", fmt.Errorf("sizing the probe's file: %w", err)
	}
	depth := "t"
	if subtests {
		depth = "s"
	}
	return fmt.Sprintf("%s=%d:%s:%s", Variable, components, depth, path), nil
}

// Read reads the file of a program of that many components after its end,
// however it ended. A last line that is not whole is left out.
func Read(path string, components int) (*Log, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	size := (components + 3) * rowSize
	if len(data) < size {
		return nil, fmt.Errorf("reading the probe's file %s: %d bytes, but its table has %d", path, len(data), size)
	}
	p := parser{logged: make(map[int]Count)}
	if whole := bytes.LastIndexByte(data[size:], '\n'); whole >= 0 {
		if err := p.parse(data[size : size+whole+1]); err != nil {
			return nil, fmt.Errorf("reading the probe's file %s: %w", path, err)
		}
	}
	if p.open {
		p.finish(data[:(components+1)*rowSize])
	}
	return &p.log, nil
}

// A parser follows the log; while open, the last window is that of the test
// that is running.
type parser struct {
	log    Log
	open   bool
	counts map[int]Count // where count lines go: those of the window that was stopped last
	logged map[int]Count // sum of all count lines
}

func (p *parser) parse(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for i := 1; lines.Scan(); i++ {
		if err := p.line(lines.Text()); err != nil {
			return fmt.Errorf("line %d, %q: %w", i, lines.Text(), err)
		}
	}
	return lines.Err()
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "cost":
		_, err := fmt.Sscanf(rest, "%d %d", &p.log.InnerNS, &p.log.OuterNS)
		return err
	case "test":
		at, quoted, _ := strings.Cut(rest, " ")
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		t, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return err
		}
		p.log.Windows = append(p.log.Windows, Window{Test: name, Start: t, End: t, Counts: make(map[int]Count)})
		p.open = true
		return nil
	case "stop":
		t, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return err
		}
		p.stop(t)
		return nil
	case "end":
		outcome, quoted, _ := strings.Cut(rest, " ")
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		p.log.Ends = append(p.log.Ends, End{Test: name, Outcome: outcome})
		return nil
	}
	return p.count(line)
}

func (p *parser) stop(t int64) {
	p.counts = make(map[int]Count)
	if p.open {
		w := &p.log.Windows[len(p.log.Windows)-1]
		w.End, p.counts = t, w.Counts
	}
	p.open = false
}

func (p *parser) count(line string) error {
	if p.counts == nil {
		return errors.New("counts before any stop")
	}
	fields := strings.Fields(line)
	if len(fields) != 7 {
		return errors.New("neither an event nor a row with six counters")
	}
	var v [7]uint64
	for i, field := range fields {
		var err error
		if v[i], err = strconv.ParseUint(field, 10, 64); err != nil {
			return err
		}
	}
	row, c := int(v[0]), Count{v[1], v[2], v[3], v[4], v[5], v[6]}
	p.counts[row] = p.counts[row].plus(c)
	p.logged[row] = p.logged[row].plus(c)
	return nil
}

// finish gives the window that is still open what the table holds beyond the
// log.
func (p *parser) finish(table []byte) {
	p.log.Open = true
	counts := p.log.Windows[len(p.log.Windows)-1].Counts
	for row := range len(table) / rowSize {
		word := func(i int) uint64 { return binary.NativeEndian.Uint64(table[row*rowSize+i*8:]) }
		c := Count{word(0), word(1), word(2), word(3), word(4), word(5)}.minus(p.logged[row])
		if c != (Count{}) {
			counts[row] = c
		}
	}
}
