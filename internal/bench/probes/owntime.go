package main

import (
	"context"
	"fmt"

	"spell-lsp/internal/bench/harness"
)

const (
	timeBar    = 2.0 // percent
	blockedBar = 1.0 // percent
	emptyBar   = 1.0 // percent
)

// time compares T with the CPU time that the threads themselves report.
func (b *bench) time(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Time that is the function's own",
		About:  "Two goroutines with a thread each for 5 s; Blocked waits 90 % of the time. T is compared with the difference of the thread's CPU clock around the calls.",
		Header: []string{"function", "calls", "CPU time, ms", "T, ms", "wall time, ms", "error"},
	}
	run, truths, err := b.measure(ctx, "time")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Long", "Short", "Blocked"} {
		c, ok := component(run, name)
		truth := truths[name] / 1e6
		if !ok || truth == 0 {
			return nil, fmt.Errorf("%s was not measured", name)
		}
		off := 100 * (c.TimeMS/truth - 1)
		t.Row(name, fmt.Sprintf("%.0f", c.N), fmt.Sprintf("%.1f", truth), fmt.Sprintf("%.1f", c.TimeMS), fmt.Sprintf("%.1f", c.WallMS), fmt.Sprintf("%+.2f %%", off))
		t.AtMost("T of "+name+", off by %", "%.2f", max(off, -off), timeBar)
		if name == "Blocked" {
			t.AtMost("T of "+name+", over by %", "%.2f", off, blockedBar)
		}
	}
	return t, nil
}

// empty measures how much of the probes' cost remains in the time of functions that
// do nothing.
func (b *bench) empty(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Empty functions",
		About:  "Two functions that do nothing, each called 10 million times, beside 3 s of work. What the probes cost is taken out of T.",
		Header: []string{"function", "N", "T, ms", "of all time, %", "T per call, ns"},
	}
	run, _, err := b.measure(ctx, "empty")
	if err != nil {
		return nil, err
	}
	var all float64
	for _, c := range run.Components {
		all += c.TimeMS
	}
	for _, name := range []string{"Inlined", "Called", "Work"} {
		c, ok := component(run, name)
		if !ok {
			return nil, fmt.Errorf("%s was not measured", name)
		}
		share := 100 * c.TimeMS / all
		t.Row(name, fmt.Sprintf("%.0f", c.N), fmt.Sprintf("%.2f", c.TimeMS), fmt.Sprintf("%.2f", share), fmt.Sprintf("%.2f", 1e6*c.TimeMS/c.N))
		if name != "Work" {
			t.AtMost("T of "+name+", % of all time", "%.2f", share, emptyBar)
			t.Must("N of "+name, fmt.Sprintf("%.0f", c.N), "10000000", c.N == 10_000_000)
		}
	}
	return t, nil
}
