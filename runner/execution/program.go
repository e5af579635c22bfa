package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/capture"
)

// A Program runs the tests of one package.
type Program struct {
	instrument.TestPackage
	file string
}

// A LostError says why there are no data of the tests of one package. Other packages are not
// affected. If the program ran, it comes with an Execution without a log.
type LostError struct{ error }

func (e *LostError) Unwrap() error { return e.error }

// An Execution is the outcome of one run of a test program.
type Execution struct {
	Output   string // the beginning, the end, and the panic that ended it
	Status   string // "exit status 2", "signal: killed"; "" for success
	TimedOut bool
	Life     attribution.Life
	Line     *attribution.Timeline
	Log      *probe.Log
	Children []children.Program // names and CPU times of its child processes
	Parts    map[string][]Part  // of the own time of components, by test; nil where they are not known
	// Incomplete says that occupancy records were lost, as too much ran at once.
	Incomplete bool
}

// Options say how a program is run.
type Options struct {
	Args    []string // flags of package testing, without the time limit
	Timeout time.Duration
	GOROOT  string // its bin folder comes first in PATH
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
	e.Log, e.Parts = log, p.parts(log)
	e.Line.RefineDescendants(log.Waits)
	return e, nil
}

// start starts the program and waits for its end.
func (m *Meter) start(ctx context.Context, p Program, o Options, file *probe.File, model *attribution.Model) (*Execution, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	args := append([]string{"-test.paniconexit0", "-test.timeout=" + o.Timeout.String()}, o.Args...) // of one flag twice the last counts
	const firstExtra = 3                                                                             // exec.Cmd.ExtraFiles
	variable, inherited := file.ForProgram(firstExtra)
	cmd := exec.CommandContext(limited, p.file, args...)
	cmd.ExtraFiles = inherited
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "PWD="+p.Dir, "PATH="+filepath.Join(o.GOROOT, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), variable)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	ownGroup(cmd)
	w := m.newWatch(file, model)
	began := monotonic()
	err := run(cmd, func() { w.began(cmd.Process.Pid) }, w.ended)
	e := w.stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.Process == nil {
		return nil, notStarted(p, err)
	}
	e.Output, e.TimedOut = out.String(), limited.Err() != nil
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		e.Status = err.Error()
	}
	e.Life.BeganNS, e.Life.CPUNS = began, float64(e.Line.ProgramNS())
	if s := cmd.ProcessState; s != nil {
		e.Life.CPUNS = max(e.Life.CPUNS, float64(s.UserTime()+s.SystemTime()))
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
