package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
)

// An analysisInput is a file for spell-lsp analyze.
type analysisInput struct {
	input      string // name, see inputs
	what       string
	components int
	bar        time.Duration // 0 = none
	memory     float64       // bar in MB, 0 = none
	original   string        // time and memory of the original SPELL tool
}

var analysedFiles = []analysisInput{
	{"100x1000.spell", "dense matrix, 100 x 1,000", 1_000, 50 * time.Millisecond, 0, "0.94 s"},
	{"1000x10000.spell", "dense matrix, 1,000 x 10,000", 10_000, 5 * time.Second, 2000, "214 s, 16 GB"},
	{"10000x100000.spellbin", "binary, 10,000 x 100,000, 50 million cells", 100_000, 5 * time.Second, 3000, "-"},
	{"2-million-events.trace", "trace, 2 million events", 1_000, time.Second, 300, "18.4 s, 3.4 GB"},
	{"million-deep.trace", "trace, 1,000,000 calls deep", 100, 0, 0, "stack overflow from 5,000"},
}

const (
	analysisRuns = 3
	analysisTop  = 5 // components that are shown
)

// analysis times spell-lsp analyze from a file to its ranking.
func (b *bench) analysis(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Analysis: from the file to the ranking",
		About:  fmt.Sprintf("spell-lsp analyze --top %d FILE as a process of its own, its start included; the file was written just before. Medians of %d runs, and the most memory that any of them had resident. Beside it what SPELL's own tools needed for an input of that size, on Java 17 and another day; 16 GB was the limit of their heap.", analysisTop, analysisRuns),
		Header: []string{"file", "MB", "median, s", "fastest, s", "slowest, s", "memory, MB", "SPELL's tools"},
	}
	command, err := harness.BuildCommand(ctx, b.scratch)
	if err != nil {
		return nil, err
	}
	for _, f := range analysedFiles {
		if err := b.analyse(ctx, t, command, f); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t.Missed(f.what + ": " + err.Error())
		}
	}
	return t, nil
}

// analyse writes a file, times its analysis, and removes it.
func (b *bench) analyse(ctx context.Context, t *harness.Table, command string, f analysisInput) error {
	harness.Progress("analysis: %s", f.what)
	name := filepath.Join(b.scratch, f.input)
	defer os.Remove(name) //nolint:errcheck // the whole folder will be removed
	if err := generate(ctx, name); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("looking at an input: %w", err)
	}
	var times []time.Duration
	memory, ranked := 0.0, true
	for range analysisRuns {
		r, err := timed(ctx, command, "analyze", "--top", strconv.Itoa(analysisTop), name)
		if err != nil {
			return err
		}
		times, memory = append(times, r.took), max(memory, r.memory)
		ranked = ranked && strings.Contains(r.page, fmt.Sprintf("%d more components not shown", f.components-analysisTop))
	}
	const second = "%.3f"
	took := harness.Median(times).Seconds()
	t.Row(f.what, fmt.Sprintf("%.1f", float64(info.Size())/1e6), fmt.Sprintf(second, took), fmt.Sprintf(second, slices.Min(times).Seconds()),
		fmt.Sprintf(second, slices.Max(times).Seconds()), fmt.Sprintf("%.0f", memory), f.original)
	t.Must(f.what+", ranks all", strconv.FormatBool(ranked), "true", ranked)
	if f.bar > 0 {
		t.AtMost(f.what+", s", second, took, f.bar.Seconds())
	}
	if f.memory > 0 {
		t.AtMost(f.what+", MB", "%.0f", memory, f.memory)
	}
	return nil
}

// generate has the named input written by another process. This one must stay small,
// because a child starts with the peak memory of its parent.
func generate(ctx context.Context, name string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if out, err := exec.CommandContext(ctx, self, "-input", name).CombinedOutput(); err != nil {
		return fmt.Errorf("writing an input: %w\n%s", err, out)
	}
	return nil
}

// An analysisRun is one run of spell-lsp analyze.
type analysisRun struct {
	page   string // what it printed
	took   time.Duration
	memory float64 // at its peak, in MB; 0 where the system does not tell
}

func timed(ctx context.Context, command string, args ...string) (analysisRun, error) {
	cmd := exec.CommandContext(ctx, command, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		return analysisRun{}, fmt.Errorf("%s: %w\n%s", filepath.Base(command), err, out)
	}
	return analysisRun{string(out), took, peakMemory(cmd.ProcessState) / 1e6}, nil
}
