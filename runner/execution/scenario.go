package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/capture"
)

// ScenarioOptions say how a program is run as a scenario.
type ScenarioOptions struct {
	Dir     string        // in which it and its load run
	Timeout time.Duration // for all but Scenario.For
	Setup   probe.Setup
	// Stdout and Stderr, if not nil, get what the program prints. Writes do not overlap.
	Stdout, Stderr io.Writer
	// Sampling, if not nil, is how a program without probes is sampled.
	Sampling *Sampling
	// Live, if not nil, is called each second with the running time of components so far, in ns.
	Live func(own map[int]float64)
}

// A ScenarioError says what went wrong in a scenario, with what was printed then. What was
// counted until then is known.
type ScenarioError struct {
	What   string
	output bool // what the program printed belongs to it, which is known when it has ended
}

func (e *ScenarioError) Error() string { return e.What }

// A Course says how a scenario ended.
type Course struct {
	Err     *ScenarioError // nil if it went as planned
	Stopped bool           // it was told to stop
	Ignored bool           // it did not stop when it was told to, and was killed
}

// ExecuteScenario runs a program as a scenario, while the meter is read. The log has one window:
// from when the program was ready to the end of its load, or of the time that the scenario sets,
// or of the program. Errors are those of [Meter.Execute]; what goes wrong in the scenario is in the
// Course. Without an Execution and an error the program was not started.
func (m *Meter) ExecuteScenario(ctx context.Context, p Program, s *scenario.Scenario, o ScenarioOptions, model *attribution.Model) (*Execution, *Course, error) {
	if err := unanswered(ctx, s.Ready); err != nil {
		return nil, &Course{Err: err}, ctx.Err()
	}
	counts, err := newCounting(p, o)
	if err != nil {
		return nil, nil, err
	}
	defer counts.close()
	limited, start, cancel := withLimit(ctx, o.Timeout+s.For)
	defer cancel()
	cmd, c := scenarioCommand(limited, p, s, o, counts)
	c.start = start
	if counts.profile != nil {
		cmd.Env = append(cmd.Env, counts.profile.env())
	}
	e, err := m.follow(ctx, p, cmd, m.newWatch(p, counts.file, counts.sampling, model), c)
	if e == nil {
		return nil, nil, err
	}
	e.Output, e.TimedOut = c.out.String(), limited.Err() != nil
	if e.TimedOut && c.course.Err != nil {
		c.course.Err = &ScenarioError{fmt.Sprintf("it was not done when its time was over (--timeout %v)", o.Timeout), true}
	}
	if fault := c.course.Err; fault != nil && fault.output {
		fault.What += saying(e.Output)
	}
	if err != nil {
		return e, &c.course, err
	}
	return e, &c.course, c.read(e, p)
}

// withLimit is a context that ends when a time is over, which begins with start: until a program
// runs, a busy machine may take longer than the time that the program has.
func withLimit(ctx context.Context, length time.Duration) (limited context.Context, start, cancel func()) {
	limited, end := context.WithCancel(ctx)
	timer := time.AfterFunc(math.MaxInt64, end)
	return limited, func() { timer.Reset(length) }, func() { timer.Stop(); end() }
}

// scenarioCommand is the program, and what leads it through its scenario.
func scenarioCommand(ctx context.Context, p Program, s *scenario.Scenario, o ScenarioOptions, counts *counting) (*exec.Cmd, *conductor) {
	cmd := exec.CommandContext(ctx, p.file, s.Args...)
	cmd.Dir = o.Dir
	c := &conductor{Scenario: s, counting: counts, dir: o.Dir, live: o.Live, over: make(chan struct{}), done: make(chan struct{})}
	c.env = append(os.Environ(), "PWD="+o.Dir, c.mark())
	cmd.Env = c.env
	c.print(cmd, o)
	return cmd, c
}

// read reads what the program counted.
func (c *conductor) read(e *Execution, p Program) error {
	if c.to == nil {
		var err error
		if c.to, err = c.moment(e.Life.EndedNS); err != nil {
			return &LostError{fmt.Errorf("%s: %w", p.Path, err)}
		}
	}
	if err := c.fill(e, c.Name, c.from, c.to); err != nil {
		return &LostError{fmt.Errorf("%s: it is not counted: %w", p.Path, err)}
	}
	return nil
}

// A conductor leads a program through its scenario.
type conductor struct {
	*scenario.Scenario
	*counting
	dir      string
	env      []string // of the program and its load
	live     func(map[int]float64)
	start    func() // begins the time that it may take; may be nil
	printing sync.Mutex
	out      capture.Output
	found    chan []string // gets what the groups matched in the line that says ready; nil where it is ready by other means
	from, to *probe.Moment
	course   Course
	cmd      *exec.Cmd
	token    string        // see mark
	over     chan struct{} // closed when the program has ended
	done     chan struct{} // closed when it is led no longer
}

// print connects the output of the program.
func (c *conductor) print(cmd *exec.Cmd, o ScenarioOptions) {
	if c.Ready != nil && c.Ready.Line != nil {
		c.found = make(chan []string, 1)
	}
	to := func(w io.Writer) io.Writer {
		var lines *lineFinder // of this stream: a line of the other may come in between
		if c.found != nil {
			lines = &lineFinder{expression: c.Ready.Line, found: c.found}
		}
		return writerFunc(func(text []byte) (int, error) {
			c.printing.Lock()
			defer c.printing.Unlock()
			c.out.Write(text) //nolint:errcheck // it cannot fail
			if lines != nil {
				lines.add(text)
			}
			if w != nil {
				w.Write(text) //nolint:errcheck // the program must not block for it
			}
			return len(text), nil
		})
	}
	cmd.Stdout, cmd.Stderr = to(o.Stdout), to(o.Stderr)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(text []byte) (int, error) { return f(text) }

// MarkVariable is in the environment of the program, its load, and all that they start.
const MarkVariable = "SPELL_LSP_SCENARIO"

// mark is different for each execution.
func (c *conductor) mark() string {
	if c.token == "" {
		c.token = fmt.Sprintf("%s=%s-%d-%016x", MarkVariable, c.Name, os.Getpid(), rand.Uint64()) //nolint:gosec // it is no secret
	}
	return c.token
}

func (c *conductor) begins(ns int64) (err error) {
	c.from, err = c.moment(ns)
	return err
}

func (c *conductor) began(cmd *exec.Cmd) {
	c.cmd = cmd
	if c.start != nil {
		c.start()
	}
	if c.asked != nil {
		c.asked.began()
	}
	go c.lead()
}

func (c *conductor) ended() {
	close(c.over)
	<-c.done
}

// lead leads the program from its start to its stop.
func (c *conductor) lead() {
	defer close(c.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-c.over:
		case <-ctx.Done():
		}
	}()
	groups, err := c.awaitReady(ctx)
	switch {
	case err != nil:
	case ctx.Err() == nil:
		err = c.measure(ctx, groups)
	case len(c.Load) > 0:
		err = endedUnderLoad()
	}
	select {
	case <-c.over: // nothing is to be stopped
		if c.to == nil || err == nil {
			c.course.Err = err
		}
		return
	default:
	}
	c.course.Err = err
	if c.profile != nil && err == nil {
		c.awaitTrace()
	}
	c.stop()
}

// awaitTrace lets the program go on until what was sampled in the measured time is in its trace: most
// services have no handler for the signal, and lose what is not written yet.
func (c *conductor) awaitTrace() {
	timer := time.NewTimer(traceDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.over:
	}
}

// measure waits for what ends the measured time, and takes the moment.
func (c *conductor) measure(ctx context.Context, groups []string) *ScenarioError {
	loading := make(chan error, 1)
	loads, cancel := context.WithCancel(ctx)
	defer cancel()
	var out capture.Output
	if command := c.Loading(groups); command != nil {
		load := exec.CommandContext(loads, command[0], command[1:]...)
		load.Dir, load.Env, load.Stdout, load.Stderr = c.dir, c.env, &out, &out
		go func() { loading <- RunCommand(load) }()
	}
	var timeUp <-chan time.Time
	if c.For > 0 {
		timer := time.NewTimer(c.For)
		defer timer.Stop()
		timeUp = timer.C
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			c.look()
		case <-timeUp:
			fault := c.finish()
			if len(c.Load) > 0 {
				cancel()
				<-loading //nolint:errcheck // it was killed
			}
			return fault
		case err := <-loading:
			switch {
			case err == nil:
				return c.finish()
			case c.diesBefore(ctx):
				return endedUnderLoad()
			}
			return loadFailed(c.Load[0], err, out.String())
		case <-ctx.Done(): // the program has ended
			if len(c.Load) == 0 {
				return nil
			}
			cancel()
			<-loading //nolint:errcheck // it was killed
			return endedUnderLoad()
		}
	}
}

func endedUnderLoad() *ScenarioError { return &ScenarioError{"it ended before its load did", true} }

// diesBefore says, of a load that has failed, that the program ended before: that is why. Its end is
// noticed later than that of the load. ctx ends with the program.
func (c *conductor) diesBefore(ctx context.Context) bool {
	if !children.Ends(c.cmd.Process.Pid) {
		return false
	}
	timer := time.NewTimer(stopGrace) // its other threads may go on for ever
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}

// loadFailed is the error of a load command that could not be started, or that failed.
func loadFailed(name string, err error, output string) *ScenarioError {
	if errors.As(err, new(*exec.ExitError)) {
		return &ScenarioError{What: fmt.Sprintf("the load command %s failed: %v%s", name, err, saying(output))}
	}
	return &ScenarioError{What: fmt.Sprintf("the load command cannot be run: %v", err)}
}

// finish ends the measured time.
func (c *conductor) finish() *ScenarioError {
	to, err := c.moment(monotonic())
	if err != nil {
		return &ScenarioError{What: err.Error()}
	}
	c.to = to
	return nil
}

// look tells what has run so far.
func (c *conductor) look() {
	if c.live == nil {
		return
	}
	if own, err := c.own(c.from); err == nil { // whoever reads the file after the end says what is wrong
		c.live(own)
	}
}

// stopGrace is how long a program may take to stop.
var stopGrace = 10 * time.Second

// stop tells the program to stop, and kills it if it does not.
func (c *conductor) stop() {
	c.course.Stopped = true
	c.cmd.Process.Signal(c.Stop) //nolint:errcheck // it may have ended
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-c.over:
	case <-timer.C:
		c.course.Ignored = true
		killGroup(c.cmd) //nolint:errcheck // it may have ended
	}
}

// saying is what a program printed last, to be appended to what went wrong.
func saying(output string) string {
	if words := LastWords(output); words != "" {
		return "; it printed:\n" + words
	}
	return "; it printed nothing"
}
