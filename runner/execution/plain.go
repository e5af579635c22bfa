package execution

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"spell-lsp/runner/calm"
	"spell-lsp/runner/children"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/regularfile"
)

// A Plain is an execution that nothing measured.
type Plain struct {
	Seconds, CPUSeconds float64
	Trace               [][]float64 // see calm.Round
}

// Trace begins to note, in all executions, what the cores of the processor do: their frequencies
// where these can be read, else their CPU time. It ends with the result.
func (m *Meter) Trace() (end func()) {
	m.tracer = &tracer{}
	m.tracer.frequencies, _ = calm.OpenFrequencies("/sys")
	return func() {
		if m.tracer.frequencies != nil {
			m.tracer.frequencies.Close() //nolint:errcheck // it was only read
		}
		m.tracer = nil
	}
}

// TracesFrequencies says whether traces have frequencies, and not CPU time.
func (m *Meter) TracesFrequencies() bool { return m.tracer != nil && m.tracer.frequencies != nil }

// A tracer reads what the cores do. Its zero value reads CPU times; a nil one reads nothing.
type tracer struct {
	frequencies *calm.Frequencies // nil where they cannot be read
	before      []float64         // CPU time of each core at the last reading
	rows        [][]float64
}

// read appends a reading.
func (t *tracer) read() {
	switch {
	case t == nil:
	case t.frequencies != nil:
		row := make([]float64, t.frequencies.Cores())
		if t.frequencies.Read(row) == nil {
			t.rows = append(t.rows, row)
		}
	default:
		now := coreTimes()
		if len(now) == len(t.before) && len(now) > 0 {
			row := make([]float64, len(now))
			for i := range row {
				row[i] = now[i] - t.before[i]
			}
			t.rows = append(t.rows, row)
		}
		t.before = now
	}
}

// take returns the readings since the last call.
func (t *tracer) take() [][]float64 {
	if t == nil {
		return nil
	}
	rows := t.rows
	t.rows, t.before = nil, nil
	return rows
}

// coreTimes are the CPU times of the cores so far, in hundredths of a second (proc_stat(5)).
func coreTimes() (list []float64) {
	const idle, iowait, fields = 4, 5, 9
	text, _ := regularfile.Read("/proc/stat", regularfile.MaxBuilt) // without it there is no trace
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		values := bytes.Fields(lines.Bytes())
		if len(values) < fields || !bytes.HasPrefix(values[0], []byte("cpu")) || len(values[0]) == len("cpu") {
			continue
		}
		busy := 0.0
		for i := 1; i < fields; i++ {
			n, _ := strconv.ParseFloat(string(values[i]), 64) // the kernel writes numbers
			if i != idle && i != iowait {
				busy += n
			}
		}
		list = append(list, busy)
	}
	return list
}

// ExecutePlain executes a test program without probes, while nothing is read.
func (m *Meter) ExecutePlain(ctx context.Context, p Program, o Options) (*Plain, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	cmd := testCommand(limited, p, o)
	var out capture.Output
	cmd.Stdout, cmd.Stderr = &out, &out
	return m.followPlain(ctx, p, cmd, nil)
}

// ExecuteScenarioPlain is ExecuteScenario without probes, while nothing is read.
func (m *Meter) ExecuteScenarioPlain(ctx context.Context, p Program, s *scenario.Scenario, o ScenarioOptions) (*Plain, error) {
	limited, start, cancel := withLimit(ctx, o.Timeout+s.For)
	defer cancel()
	cmd, c := scenarioCommand(limited, p, s, o, &counting{program: p})
	c.start = start
	plain, err := m.followPlain(ctx, p, cmd, c)
	if err == nil && (c.course.Err != nil || limited.Err() != nil) {
		return nil, ErrOtherCourse
	}
	return plain, err
}

// ErrOtherCourse says that a scenario did not go as planned without being measured: its time says
// nothing.
var ErrOtherCourse = errors.New("the scenario did not go as planned")

// followPlain starts a program and waits for its end.
func (m *Meter) followPlain(ctx context.Context, p Program, cmd *exec.Cmd, c course) (*Plain, error) {
	ownGroup(cmd)
	began, ended := monotonic(), int64(0)
	if c != nil {
		if err := c.begins(began); err != nil {
			return nil, err
		}
	}
	if err := m.sampler.Pause(); err != nil {
		return nil, &MeterError{err}
	}
	quit, done := make(chan struct{}), sync.WaitGroup{}
	var family *children.Watch
	err := run(cmd, func() {
		began, family = monotonic(), children.New(cmd.Process.Pid)
		done.Go(func() { m.traceUntil(quit) })
		if c != nil {
			c.began(cmd)
		}
	}, func() {
		close(quit)
		done.Wait()
		if c != nil {
			c.ended()
		}
		ended = monotonic()
		family.Finish()
		if c != nil {
			family.EndLeft(c.mark())
		}
		family.Close() //nolint:errcheck // it was only read
	})
	if err := m.resume(); err != nil {
		return nil, &MeterError{err}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return nil, notStarted(p, err)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return &Plain{Seconds: float64(ended-began) / 1e9, CPUSeconds: cpu.Seconds(), Trace: m.tracer.take()}, nil
}

// resume ends the pause of the sampler, and waits for its first reading after that: with the one from
// before, what is executed next would begin with a gap.
func (m *Meter) resume() error {
	now := monotonic()
	if err := m.sampler.Watch(0); err != nil {
		return err
	}
	for monotonic()-now < maxGapNS && !m.sampler.ReadSince(now) && !m.Ended() {
		time.Sleep(time.Millisecond)
	}
	return nil
}

// traceUntil reads what the cores do.
func (m *Meter) traceUntil(quit chan struct{}) {
	if m.tracer == nil {
		return
	}
	m.tracer.take()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.tracer.read()
		case <-quit:
			return
		}
	}
}
