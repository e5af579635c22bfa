package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/scratch"
	"spell-lsp/runner/stacks"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/regularfile"
)

// A Program runs the tests of one package.
type Program struct {
	instrument.Package
	file       string
	identity   string               // see Move
	statements map[uint32]Statement // go statements that were found, by where their calls return
}

// Built is the program of a package that was built into a file.
func Built(pkg instrument.Package, file string) Program {
	return Program{Package: pkg, file: file, statements: map[uint32]Statement{0: {}}}
}

// File is where the program is.
func (p Program) File() string { return p.file }

// Hash adds what the program is to a hash.
func (p Program) Hash(h io.Writer) error {
	if p.identity != "" {
		_, err := io.WriteString(h, p.identity)
		return err
	}
	f, err := regularfile.Open(p.file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, regularfile.Limit(f, p.file, 1<<40))
	return err
}

// Move changes the names of the program's source files from those below a folder to those below another one, see
// [pclntab.Rename]. What it was before is told by identity, which is all that Hash adds from now on: the other folder
// may be called differently each time.
func (p *Program) Move(from, to, identity string) error {
	f, err := os.OpenFile(p.file, os.O_RDWR, 0)
	if err == nil {
		_, err = pclntab.Rename(f, from, to)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	p.identity = identity
	return nil
}

// A LostError says why there are no data of the tests of one package. Other packages are not
// affected. If the program ran, it comes with an Execution without a log.
type LostError struct{ error }

func (e *LostError) Unwrap() error { return e.error }

// An Execution is the outcome of one run of a test program.
type Execution struct {
	Output   string // the beginning, the end, and the panic that ended it
	Status   string // "exit status 2", "signal: killed"; "" for success
	ExitCode int    // as a shell has it: 128 and the number of the signal that ended it
	TimedOut bool
	Left     []string // names of processes that a scenario's program left running; they were killed
	Life     attribution.Life
	Line     *attribution.Timeline
	Log      *probe.Log
	Children []children.Program // names and CPU times of its child processes
	Trace    [][]float64        // while Meter.Trace is on: what the cores did
	Sampled  stacks.Stats       // of a program without probes
	// ProfilerTaken says that the program started the profiler itself that was to sample it.
	ProfilerTaken bool
	Parts         map[string][]Part    // of the own time of components, by test; nil where they are not known
	Groups        map[string][]Grouped // goroutines and labels of it, by test; nil where they are not known
	// Incomplete says that occupancy records were lost, as too much ran at once.
	Incomplete bool
}

// UsedNS is the CPU time of the program, and the running time of child processes that have probes.
func (e *Execution) UsedNS() float64 {
	used := float64(e.Line.ProgramNS())
	if e.Log != nil {
		for _, w := range e.Log.Windows {
			used += w.ChildrenNS
		}
	}
	return used
}

// Options say how a program is run.
type Options struct {
	Args    []string // flags of package testing, without the time limit
	Timeout time.Duration
	GOROOT  string // its bin folder comes first in PATH; "" adds none
	Setup   probe.Setup
}

// graceTime is how long after its own time limit a program may take to end by itself.
const graceTime = 5 * time.Second

// Execute runs a test program in its package's folder, as go test does, while the meter is
// read. The ticks go to the model. The error is a *MeterError or a *LostError, both of which come
// with an Execution without a log if the program ran, or that of ctx; any other error ends the
// measurement.
func (m *Meter) Execute(ctx context.Context, p Program, o Options, model *attribution.Model) (*Execution, error) {
	file, err := probe.Create(o.Setup)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing of it is kept
	e, err := m.start(ctx, p, o, file, model)
	if err != nil {
		return e, err
	}
	log, err := file.Read()
	if err == nil {
		err = e.Life.Plausible(log)
	}
	if err != nil {
		return e, &LostError{fmt.Errorf("%s: its tests are not counted: the data of its probes is corrupt (%w); a test probably overwrote memory or a file that it does not own", p.Path, err)}
	}
	e.Log, e.Parts, e.Groups = log, p.parts(log), p.groups(log)
	e.Line.RefineDescendants(log.Waits)
	return e, nil
}

// start starts the test program and waits for its end.
func (m *Meter) start(ctx context.Context, p Program, o Options, file *probe.File, model *attribution.Model) (*Execution, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	cmd := testCommand(limited, p, o)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	e, err := m.follow(ctx, p, cmd, m.newWatch(p, file, nil, model), nil)
	if e != nil {
		e.Output, e.TimedOut = out.String(), limited.Err() != nil
	}
	return e, err
}

// testCommand runs a test program in its package's folder, as go test does.
func testCommand(ctx context.Context, p Program, o Options, args ...string) *exec.Cmd {
	args = append(args, "-test.paniconexit0", "-test.timeout="+o.Timeout.String())
	cmd := exec.CommandContext(ctx, p.file, append(args, o.Args...)...) // of one flag twice the last counts
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "PWD="+p.Dir)
	if o.GOROOT != "" {
		cmd.Env = append(cmd.Env, "PATH="+filepath.Join(o.GOROOT, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	return cmd
}

// A course is what happens while a program runs.
type course interface {
	begins(ns int64) error // it is about to be started, at that instant of CLOCK_MONOTONIC
	began(*exec.Cmd)       // the program runs
	ended()                // it has ended, and is still a zombie; what the course does must end
	mark() string          // NAME=VALUE in the environment of all that it starts, and of nothing else
}

// follow starts a program that counts into the watch's file, and waits for its end. Without an
// execution the program did not start, or ctx has ended.
func (m *Meter) follow(ctx context.Context, p Program, cmd *exec.Cmd, w *watch, c course) (*Execution, error) {
	if w.file != nil {
		const firstExtra = 3 // exec.Cmd.ExtraFiles
		variable, inherited := w.file.ForProgram(firstExtra)
		cmd.ExtraFiles, cmd.Env = inherited, append(cmd.Env, variable)
	}
	ownGroup(cmd)
	began := monotonic()
	if c != nil {
		if err := c.begins(began); err != nil {
			return nil, err
		}
	}
	var left []string
	err := run(cmd, func() {
		w.began(cmd.Process.Pid)
		if w.unsampled != nil {
			killGroup(cmd) //nolint:errcheck // it may have ended
		}
		if c != nil {
			c.began(cmd)
		}
	}, func() {
		if c == nil {
			w.ended()
			return
		}
		c.ended()
		w.ended()
		left = w.family.EndLeft(c.mark())
	})
	e := w.stop()
	e.Left = left
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.Process == nil {
		return nil, notStarted(p, err)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		e.Status = err.Error()
	}
	e.Life.BeganNS, e.Life.CPUNS = began, float64(e.Line.ProgramNS()+e.Line.DescendantsNS())
	if s := cmd.ProcessState; s != nil {
		e.ExitCode = exitCode(s)
		e.Life.CPUNS = max(e.Life.CPUNS, float64(s.UserTime()+s.SystemTime()))
	}
	if w.unsampled != nil {
		return e, w.unsampled
	}
	return e, w.fault
}

// notStarted says why a program did not start. It is a *LostError unless no program at all can
// be started.
func notStarted(p Program, err error) error {
	all, why := scratch.StartError(filepath.Dir(p.file), err)
	if all {
		return why
	}
	return &LostError{fmt.Errorf("%s: its tests could not be started: %w", p.Path, why)}
}
