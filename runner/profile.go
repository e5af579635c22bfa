package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// Where the probe knows nothing of the scheduler, a CPU profile of the program
// tells what its samples tell otherwise: how much of the time of a function was
// running, and which time was that of functions that are only counted.

// profiled is what a CPU profile says of each row, ns.
type profiled map[int]probe.Count

// readProfile reads the CPU profile of a program, and who called whom. timed says
// of a row whether the calls of its function are timed.
func readProfile(file string, index probe.Index, timed func(row int) bool) (profiled, []record.CallNode, error) {
	f, err := regularfile.Open(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	defer f.Close()
	p, err := profile.Parse(regularfile.Limit(f, file, regularfile.MaxProfile))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	rows := make(profiled)
	for _, s := range p.Sample {
		rows.add(stack(s, index), timed, uint64(s.Value[0]), uint64(s.Value[1]))
	}
	return rows, profiledCalls(p, index), nil
}

// Rows of a profile that no component has, for those of probe.RuntimeRow.
const (
	collectorRow = -1
	probesRow    = -2
)

// stack lists the rows of the functions on a stack, the innermost first.
func stack(s *profile.Sample, index probe.Index) []int {
	var rows []int
	for _, l := range s.Location {
		for _, line := range l.Line { // the innermost of inlined functions first
			name := line.Function.Name
			row, ok := index.Row(name)
			switch {
			case ok:
				rows = append(rows, row)
			case strings.HasPrefix(name, "spell_lsp_probe.Spell") && len(rows) == 0:
				rows = append(rows, probesRow)
			case slices.Contains(collectors, name) && len(rows) == 0:
				rows = append(rows, collectorRow)
			}
		}
	}
	return rows
}

// collectors are the functions with which the garbage collector's goroutines
// begin.
var collectors = []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}

// add books samples of a stack: the innermost function has the time, the
// innermost that is timed had it measured as its own.
func (p profiled) add(stack []int, timed func(row int) bool, samples, ns uint64) {
	own, top := 0, 0
	if len(stack) > 0 {
		own = stack[0]
	}
	if own == collectorRow {
		top = own
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
// program that ended early has left no profile. It returns who called whom.
func (m *measurement) applyProfile(log *probe.Log, cpu *timeline) ([]record.CallNode, error) {
	timed := func(row int) bool {
		return row <= len(m.build.Counted) && !m.build.Counted[row-1] && m.setUp.Hot[row-1]&probe.HotCalls == 0
	}
	p, calls, err := readProfile(m.profileFile(), m.index, timed)
	if err != nil {
		m.warnings = append(m.warnings, "a program left no CPU profile: its functions are charged for the time that they waited")
		return nil, nil //nolint:nilerr // what was counted is still true
	}
	p.named(len(m.build.Components)).apply(log, cpu)
	return calls, os.Remove(m.profileFile())
}

// named puts the rows that no component has where a program of that many
// components has them.
func (p profiled) named(components int) profiled {
	p[probe.RuntimeRow(components)], p[probe.RuntimeRow(components)+1] = p[collectorRow], p[probesRow]
	delete(p, collectorRow)
	delete(p, probesRow)
	return p
}

// waitStrength is how many samples it takes to doubt that a function waits as
// much as the program does on average.
const waitStrength = 2

// A sharing of a profile among the windows of a program.
type windowing struct {
	profiled
	totals        map[int]probe.Count // of all windows
	rest          []float64           // by window: CPU time that no timed function had
	allRest       float64
	period, usual float64 // CPU time between samples; the part of all timed time that was running
}

// apply turns times from entry to exit into running times, and divides what the
// profile says among the windows of the program: that of timed rows by the time
// of each window, that of calls by their number, and all else by the CPU time
// that is left.
func (p profiled) apply(log *probe.Log, cpu *timeline) {
	w := windowing{profiled: p, totals: make(map[int]probe.Count)}
	var wall, running, samples float64
	for _, window := range log.Windows {
		for row, c := range window.Counts {
			w.totals[row] = w.totals[row].Plus(c)
			wall += float64(c.SelfNS)
		}
	}
	for row, c := range p {
		samples += float64(c.Samples)
		if row > 0 {
			running += float64(c.KeptNS + c.LostNS)
		}
	}
	if samples == 0 {
		return
	}
	w.usual = min(1, ratio(running, wall))
	for _, c := range p {
		w.period += float64(c.KeptNS+c.LostNS) / samples
	}
	for i := range log.Windows {
		w.timed(log.Windows[i].Counts)
		w.rest = append(w.rest, w.left(&log.Windows[i], cpu))
		w.allRest += w.rest[i]
	}
	for i := range log.Windows {
		w.others(log.Windows[i].Counts, ratio(w.rest[i], w.allRest))
	}
}

// timed corrects the rows of functions.
func (w *windowing) timed(counts map[int]probe.Count) {
	for row, c := range counts {
		all, seen := w.totals[row], w.profiled[row]
		if row == 0 {
			continue
		}
		byTime, byCalls := ratio(float64(c.SelfNS), float64(all.SelfNS)), ratio(float64(c.N), float64(all.N))
		ran := ratio(float64(seen.KeptNS+seen.LostNS)+waitStrength*w.period*w.usual, float64(all.SelfNS)+waitStrength*w.period)
		c.CumNS = max(uint64(min(1, ran)*float64(c.SelfNS)), min(c.CumNS, uint64(ratio(float64(c.CumNS), float64(all.CumNS))*float64(seen.BelowNS))))
		c.SelfNS = uint64(min(1, ran) * float64(c.SelfNS))
		c.KeptNS, c.LostNS = uint64(byTime*float64(seen.KeptNS)), uint64(byTime*float64(seen.LostNS))
		c.GainedNS, c.BelowNS = uint64(byCalls*float64(seen.GainedNS)), uint64(byCalls*float64(seen.BelowNS))
		c.Samples = uint64(byCalls * float64(seen.Samples))
		counts[row] = c
	}
}

// left is the CPU time of a window that no timed function had.
func (w *windowing) left(window *probe.Window, cpu *timeline) float64 {
	rest := cpu.at(max(window.End, window.Start)).cpu - cpu.at(window.Start).cpu
	for row, c := range window.Counts {
		if row > 0 {
			rest -= float64(c.SelfNS)
		}
	}
	return max(0, rest)
}

// others gives a window its part of what has no timed row.
func (w *windowing) others(counts map[int]probe.Count, part float64) {
	for row, seen := range w.profiled {
		if _, ok := counts[row]; ok && row != 0 || row > 0 && w.totals[row].N > 0 {
			continue
		}
		scaled := func(ns uint64) uint64 { return uint64(part * float64(ns)) }
		counts[row] = probe.Count{
			SelfNS: scaled(seen.KeptNS + seen.LostNS), KeptNS: scaled(seen.KeptNS), LostNS: scaled(seen.LostNS),
			GainedNS: scaled(seen.GainedNS), Samples: scaled(seen.Samples),
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
