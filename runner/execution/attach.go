package execution

import (
	"context"
	"errors"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
)

// ErrNoTime says that a process ended, or the measurement was interrupted, before a part of it was
// complete.
var ErrNoTime = errors.New("it ended before anything was measured: measure for a shorter time")

// Attach samples a process that runs already for a number of equal parts of a time, while the
// meter is read. There is an Execution with one window, of that name, for each part that was
// complete, of which complete is told the number; ended says that the process has ended. The error
// is a *MeterError, a *SamplingError or ErrNoTime.
func (m *Meter) Attach(ctx context.Context, p Program, pid int, name string, s Sampling, part time.Duration, parts int, complete func(int), model *attribution.Model) (list []*Execution, ended bool, err error) {
	taken := newSampling(s)
	w := m.newWatch(p, nil, taken, model)
	w.joined = true
	w.began(pid)
	var edges []int64
	if w.unsampled == nil {
		edges, ended = w.divide(ctx, part, parts, complete)
	}
	w.ended()
	e := w.stop()
	switch {
	case w.unsampled != nil:
		return nil, false, w.unsampled
	case w.fault != nil && !ended:
		return nil, ended, w.fault
	case len(edges) < 2:
		return nil, ended, errors.Join(ErrNoTime, ctx.Err())
	}
	return taken.parts(e, edges, name), ended, nil
}

// parts are the parts of an execution between edges.
func (s *sampling) parts(e *Execution, edges []int64, name string) (list []*Execution) {
	for i := range edges[1:] {
		one := *e
		one.Log = &probe.Log{Reached: probe.Ran, Windows: []probe.Window{{Test: name, Start: edges[i], End: edges[i+1]}}}
		one.Parts, one.Sampled = s.count(one.Log), s.stats
		list = append(list, &one)
	}
	return list
}

// divide waits, and returns the instants between which parts of the time were complete.
func (w *watch) divide(ctx context.Context, part time.Duration, parts int, complete func(int)) (edges []int64, ended bool) {
	ticker := time.NewTicker(part)
	defer ticker.Stop()
	gone := time.NewTicker(watchEvery)
	defer gone.Stop()
	edges = []int64{w.sampling.cut(monotonic())}
	for len(edges) <= parts {
		select {
		case <-ticker.C:
			edges = append(edges, w.sampling.cut(monotonic()))
			complete(len(edges) - 1)
		case <-gone.C:
			if w.sampling.ended() {
				return edges, true
			}
		case <-ctx.Done():
			return edges, false
		}
	}
	return edges, false
}
