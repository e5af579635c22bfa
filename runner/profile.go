package runner

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
)

// Where the probe knows nothing of the scheduler, a CPU profile of the program
// tells what its samples tell otherwise: how much of the time of a function was
// running, and which time was that of functions that are only counted.

// profiled is what a CPU profile says of each row, ns.
type profiled map[int]probe.Count

// readProfile reads the CPU profile of a program. timed says of a row whether
// the calls of its function are timed.
func readProfile(file string, index probe.Index, timed func(row int) bool) (profiled, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	rows := make(profiled)
	for _, s := range p.Sample {
		rows.add(stack(s, index), timed, uint64(s.Value[0]), uint64(s.Value[1]))
	}
	return rows, nil
}

// stack lists the rows of the functions on a stack, the innermost first.
func stack(s *profile.Sample, index probe.Index) []int {
	var rows []int
	for _, l := range s.Location {
		for _, line := range l.Line { // the innermost of inlined functions first
			if row, ok := index.Row(line.Function.Name); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// add books samples of a stack: the innermost function has the time, the
// innermost that is timed had it measured as its own.
func (p profiled) add(stack []int, timed func(row int) bool, samples, ns uint64) {
	own, top := 0, 0
	if len(stack) > 0 {
		own = stack[0]
	}
	for _, row := range stack {
		if row > 0 && timed(row) {
			top = row
			break
		}
	}
	c := p[own]
	c.Samples += samples
	if own != top {
		c.GainedNS += ns
	}
	p[own] = c
	c = p[top]
	if own == top {
		c.KeptNS += ns
	} else {
		c.LostNS += ns
	}
	p[top] = c
	seen := make(map[int]bool)
	for _, row := range stack {
		if !seen[row] {
			seen[row] = true
			c := p[row]
			c.BelowNS += ns
			p[row] = c
		}
	}
}

func (m *measurement) profileFile() string { return filepath.Join(m.scratch, "profile") }

// applyProfile completes what a program counted without the runtime's help. A
// program that ended early has left no profile.
func (m *measurement) applyProfile(log *probe.Log) error {
	timed := func(row int) bool {
		return row <= len(m.build.Counted) && !m.build.Counted[row-1] && m.setUp.Hot[row-1]&probe.HotCalls == 0
	}
	p, err := readProfile(m.profileFile(), m.index, timed)
	if err != nil {
		m.warnings = append(m.warnings, "a program left no CPU profile: its functions are charged for the time that they waited")
		return nil //nolint:nilerr // what was counted is still true
	}
	p.apply(log)
	return os.Remove(m.profileFile())
}

// waitStrength is how many samples it takes to doubt that a function waits as
// much as the program does on average.
const waitStrength = 2

// apply turns times from entry to exit into running times, and divides what the
// profile says among the windows of the program: that of timed rows by the time
// of each window, that of calls by their number.
func (p profiled) apply(log *probe.Log) {
	totals := make(map[int]probe.Count)
	var wall, running, samples, length float64
	for _, w := range log.Windows {
		length += float64(w.End - w.Start)
		for row, c := range w.Counts {
			totals[row] = totals[row].Plus(c)
			wall += float64(c.SelfNS)
		}
	}
	for _, c := range p {
		running += float64(c.KeptNS + c.LostNS)
		samples += float64(c.Samples)
	}
	if samples == 0 || wall == 0 {
		return
	}
	period, usual := running/samples, min(1, running/wall)
	for i := range log.Windows {
		w := &log.Windows[i]
		if c := w.Counts[0]; c.SelfNS == 0 {
			w.Counts[0] = c // test code is not timed here
		}
		for row, c := range w.Counts {
			all, seen := totals[row], p[row]
			byTime := ratio(float64(c.SelfNS), float64(all.SelfNS))
			if row == 0 {
				byTime = ratio(float64(w.End-w.Start), length)
				c.SelfNS = uint64(byTime * float64(seen.KeptNS+seen.LostNS))
			} else {
				ran := (float64(seen.KeptNS+seen.LostNS) + waitStrength*period*usual) / (float64(all.SelfNS) + waitStrength*period)
				c.SelfNS = uint64(min(1, ran) * float64(c.SelfNS))
				c.CumNS = max(c.SelfNS, min(c.CumNS, uint64(ratio(float64(c.CumNS), float64(all.CumNS))*float64(seen.BelowNS))))
			}
			byCalls := ratio(float64(c.N), float64(all.N))
			c.KeptNS, c.LostNS = uint64(byTime*float64(seen.KeptNS)), uint64(byTime*float64(seen.LostNS))
			c.GainedNS, c.BelowNS = uint64(byCalls*float64(seen.GainedNS)), uint64(byCalls*float64(seen.BelowNS))
			c.Samples = uint64(byCalls * float64(seen.Samples))
			w.Counts[row] = c
		}
	}
}

// ratio is of/all, 0 of nothing.
func ratio(of, all float64) float64 {
	if all == 0 {
		return 0
	}
	return of / all
}
