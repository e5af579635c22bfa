package main

import (
	"context"
	"fmt"
	"time"

	"spell-lsp/internal/bench/harness"
)

const (
	memoryBar = 60.0 // MB, without results
	cpuBar    = 10 * time.Millisecond
	idleFor   = 10 * time.Second // period over which CPU time is counted
	// settling is the wait before that: the Go runtime returns memory for a while.
	settling = 30 * time.Second
)

// rest measures the server's memory and CPU time while there are no requests.
func (b *bench) rest(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title: "At rest: memory and CPU time",
		About: fmt.Sprintf("Memory is what is resident (VmRSS), the CPU time that of all threads in %v, "+
			"begun %v after the last message of the client. The large module is open, with one file and one hover in it.", idleFor, settling),
		Header: []string{"server", "memory, MB", "CPU time, ms"},
	}
	name, err := b.large.save()
	if err != nil {
		return nil, err
	}
	load := func(o *connection) error { return o.load(ctx, name) }
	results := fmt.Sprintf("spell-lsp, %d components, ", b.large.components())
	for _, c := range []struct {
		what   string
		start  starter
		watch  bool
		do     func(*connection) error // may be nil
		memory float64                 // bar, 0 for none
		cpu    time.Duration           // bar, 0 for none
	}{
		{"spell-lsp, no result", b.spell, true, nil, memoryBar, cpuBar},
		{results + "the client watches files", b.spell, true, load, 0, cpuBar},
		{results + "the client cannot watch files", b.spell, false, load, 0, cpuBar},
		{"gopls", b.peer, true, nil, 0, 0},
	} {
		if c.what == "gopls" && b.gopls == "" {
			continue
		}
		harness.Progress("rest: %s", c.what)
		memory, cpu, err := b.atRest(ctx, c.start, c.watch, c.do)
		if err != nil {
			return nil, err
		}
		t.Row(c.what, fmt.Sprintf("%.0f", memory), ms(cpu))
		if c.memory > 0 {
			t.AtMost(c.what+", MB", "%.0f", memory, c.memory)
		}
		if c.cpu > 0 {
			t.AtMost(c.what+", ms of CPU time", "%.1f", inMS(cpu), inMS(c.cpu))
		}
	}
	return t, nil
}

func (b *bench) atRest(ctx context.Context, start starter, watch bool, do func(*connection) error) (memory float64, cpu time.Duration, err error) {
	o, err := start.open(ctx, session{folders: []string{b.large.dir}, watch: watch})
	if err != nil {
		return 0, 0, err
	}
	defer o.quit(ctx)
	d, err := o.openFile(b.large.files[0])
	if err != nil {
		return 0, 0, err
	}
	if do != nil {
		if err := do(o); err != nil {
			return 0, 0, err
		}
	}
	if _, err := o.ask(ctx, "textDocument/hover", map[string]any{"textDocument": d.id(), "position": d.name(0)}); err != nil {
		return 0, 0, err
	}
	before, err := time.Duration(0), pause(ctx, settling)
	if err == nil {
		before, err = cpuTime(o.cmd.Process.Pid)
	}
	if err != nil {
		return 0, 0, err
	}
	if err := pause(ctx, idleFor); err != nil {
		return 0, 0, err
	}
	if cpu, err = cpuTime(o.cmd.Process.Pid); err != nil {
		return 0, 0, err
	}
	memory, err = residentMB(o.cmd.Process.Pid)
	return memory, cpu - before, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
