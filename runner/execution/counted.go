package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/coverage"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/scenario"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/regularfile"
)

// CompileCounting builds programs in which the compiler's coverage counts calls, atomically: with
// plain counters, goroutines that run at the same time would lose some. What does not build is
// missing, and said says why.
func CompileCounting(ctx context.Context, s Source, pkgs []instrument.Package) (programs []Program, said string, err error) {
	name, err := s.countingOverlay()
	if err != nil {
		return nil, err.Error(), nil //nolint:nilerr // it is why calls are not counted
	}
	var patterns []string
	for _, module := range strings.Split(s.Module, ",") {
		patterns = append(patterns, strings.TrimSpace(module)+"/...")
	}
	s.counted = strings.Join(patterns, ",")
	for i, group := range Groups(pkgs) {
		built, _, output, err := s.compileGroup(ctx, fmt.Sprintf("counting%d", i), name, group)
		if err != nil {
			return nil, "", err
		}
		programs, said = append(programs, built...), capture.Text(said+output)
	}
	return programs, strings.TrimSpace(said), nil
}

// A counter is the file into which a program that counts calls writes them.
type counter struct {
	dir  string // its own, in which the program leaves its coverage data, too
	file string
}

func newCounter(s string) (*counter, error) {
	dir, err := scratch.Sub(filepath.Dir(s), "counts-"+filepath.Base(s))
	if err != nil {
		return nil, err
	}
	c := &counter{dir: dir, file: filepath.Join(dir, "calls")}
	f, err := os.Create(c.file)
	if err != nil {
		return nil, fmt.Errorf("counting calls: %w", err)
	}
	return c, f.Close()
}

// env is what the program needs in its environment. fd is by which it is asked, 0 for none.
func (c *counter) env(fd int, subtests bool) []string {
	return []string{"GOCOVERDIR=" + c.dir, coverage.Variable(os.Getpid(), fd, subtests, c.file)}
}

func (c *counter) read() (*coverage.Log, error) {
	f, err := regularfile.Open(c.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return coverage.Read(f)
}

// CountTests executes a test program that counts calls, while nothing is read.
func (m *Meter) CountTests(ctx context.Context, p Program, o Options) (*coverage.Log, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	c, err := newCounter(p.file)
	if err != nil {
		return nil, err
	}
	cmd := testCommand(limited, p, o, "-test.gocoverdir="+c.dir)
	cmd.Env = append(cmd.Env, c.env(0, o.Setup.Subtests)...)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	if _, err := m.followPlain(ctx, p, cmd, nil); err != nil {
		return nil, err
	}
	return c.read()
}

// asked is by which a program that counts calls is asked for them.
type asked struct {
	counter *counter
	program *os.File              // the program's end
	own     *os.File              // this end
	moments map[*probe.Moment]int // how many moments the program had written then
	written int
}

// atExit stands for all moments that a program writes, of which the last one is at its exit.
const atExit = math.MaxInt

func newAsked(c *counter) (*asked, error) {
	program, own, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("counting calls: %w", err)
	}
	return &asked{counter: c, program: program, own: own, moments: make(map[*probe.Moment]int)}, nil
}

// answerPatience is how long a program may take to write its counts.
const answerPatience = 10 * time.Second

// moment has the program write its counts, once it runs.
func (a *asked) moment(now int64) (*probe.Moment, error) {
	at := &probe.Moment{At: time.Duration(now)}
	if a.program == nil {
		err := a.own.SetDeadline(time.Now().Add(answerPatience))
		if err == nil {
			_, err = a.own.Write([]byte{0})
		}
		if err == nil {
			_, err = a.own.Read(make([]byte, 1))
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET): // it has ended
			a.written = atExit
		case err != nil:
			return nil, fmt.Errorf("the program does not tell its counts: %w", err)
		default:
			a.written++
		}
	}
	a.moments[at] = a.written
	return at, nil
}

// began closes the program's end, so that this one ends with the program.
func (a *asked) began() {
	a.program.Close()
	a.program = nil
}

func (a *asked) close() {
	if a.program != nil {
		a.began()
	}
	a.own.Close()
}

// between adds up the calls from one moment to another, or to the end of the program.
func (a *asked) between(log *coverage.Log, from, to *probe.Moment) (coverage.Calls, error) {
	end := atExit
	if to != nil {
		end = a.moments[to]
	}
	if end == atExit && !log.Exited {
		return nil, errors.New("the program did not come to its end")
	}
	end = min(end, len(log.Moments))
	all := make(coverage.Calls)
	for _, calls := range log.Moments[min(a.moments[from], end):end] {
		for place, n := range calls {
			all[place] += n
		}
	}
	return all, nil
}

// CountScenario is ExecuteScenarioPlain for a program that counts calls. It returns those of the
// time in which it is measured.
func (m *Meter) CountScenario(ctx context.Context, p Program, s *scenario.Scenario, o ScenarioOptions) (coverage.Calls, error) {
	counts, err := newCounter(p.file)
	if err != nil {
		return nil, err
	}
	a, err := newAsked(counts)
	if err != nil {
		return nil, err
	}
	defer a.close()
	limited, start, cancel := withLimit(ctx, o.Timeout+s.For)
	defer cancel()
	cmd, c := scenarioCommand(limited, p, s, o, &counting{program: p, asked: a})
	c.start = start
	const firstExtra = 3 // exec.Cmd.ExtraFiles
	cmd.ExtraFiles, cmd.Env = []*os.File{a.program}, append(cmd.Env, counts.env(firstExtra, false)...)
	if _, err := m.followPlain(ctx, p, cmd, c); err != nil {
		return nil, err
	}
	if c.course.Err != nil {
		return nil, c.course.Err
	}
	if limited.Err() != nil {
		return nil, ErrOtherCourse
	}
	log, err := counts.read()
	if err != nil {
		return nil, err
	}
	return a.between(log, c.from, c.to)
}
