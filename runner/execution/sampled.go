package execution

import (
	"context"
	"fmt"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/stacks"
	"spell-lsp/spell/capture"
)

// A SamplingError says why a program cannot be sampled.
type SamplingError struct{ Err error }

func (e *SamplingError) Error() string { return e.Err.Error() }
func (e *SamplingError) Unwrap() error { return e.Err }

// ExecuteSampled is Execute for a test program without probes: samples of its stacks, the kernel's or
// those of its own profiler, say what ran, and its output (-test.v=test2json) which test was running.
func (m *Meter) ExecuteSampled(ctx context.Context, p Program, o Options, s Sampling, model *attribution.Model) (*Execution, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout+graceTime)
	defer cancel()
	taken, err := samplingOf(p, s)
	if err != nil {
		return nil, err
	}
	flags := []string{"-test.v=test2json"}
	if taken.profile != nil {
		flags = append(flags, taken.profile.flags()...)
	}
	cmd := testCommand(limited, p, o, flags...)
	var out capture.Output
	events := &testEvents{cut: func() int64 { return taken.cut(monotonic()) }, subtests: o.Setup.Subtests, said: reports{to: &out}}
	cmd.Stdout, cmd.Stderr = events, events
	e, err := m.follow(ctx, p, cmd, m.newWatch(p, nil, taken, model), nil)
	if e == nil {
		return nil, err
	}
	e.Output, e.TimedOut = out.String(), limited.Err() != nil
	e.Log = events.finish(e.Status == "", e.Life.EndedNS)
	if unread := taken.fill(e, ""); unread != nil && err == nil {
		err = &LostError{fmt.Errorf("%s: its tests are not counted: %w", p.Path, unread)}
	}
	return e, err
}

// samplingError says why a program cannot be sampled, and what to do.
func samplingError(p Program, err error) error {
	if remedy := stacks.Remedy(err); remedy != "" {
		return &SamplingError{fmt.Errorf("%s: %w\n%s", p.Path, err, remedy)}
	}
	return &SamplingError{fmt.Errorf("%s: %w", p.Path, err)}
}
