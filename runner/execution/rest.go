package execution

import (
	"context"
	"fmt"
	"os"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/sampler"
)

const (
	restTries   = 5
	restWindows = 5
)

// Rest measures the machine while no program runs, unless the meter knows the idle power, or no
// energy at all.
func (m *Meter) Rest(ctx context.Context) (attribution.Rest, error) {
	if m.info.IdleW != nil || len(m.info.Domains) == 0 {
		return attribution.Rest{IdleW: m.info.IdleW}, nil
	}
	machine := m.Machine()
	for range restTries {
		tasks, from := othersNow(m.sampler.PID(), os.Getpid()), time.Now()
		line, err := m.watchRest(ctx, &machine)
		if err != nil {
			return attribution.Rest{}, err
		}
		seconds := time.Since(from).Seconds()
		load := tasks.since(othersNow(m.sampler.PID(), os.Getpid())) / seconds
		if rest, ok := line.Rest(&machine, restWindows+1, load); ok {
			return rest, nil
		}
	}
	return attribution.Rest{}, &MeterError{fmt.Errorf("while the machine was idle, %d times: %w", restTries, m.sampler.Fault())}
}

// watchRest reads the meter for a few windows.
func (m *Meter) watchRest(ctx context.Context, machine *attribution.Machine) (*attribution.Timeline, error) {
	m.sampler.Skip()
	line := attribution.NewTimeline(machine)
	window := time.Duration(attribution.RestWindowNS)
	for d := range m.info.Domains {
		window = max(window, 3*updates(m.info, d))
	}
	for range restWindows {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(window):
		}
		if err := m.take(func(r sampler.Reading) { line.Add(reading(r, 0)) }); err != nil {
			return nil, &MeterError{err}
		}
		if m.sampler.Ended() {
			return nil, &MeterError{errSampler}
		}
	}
	return line, nil
}
