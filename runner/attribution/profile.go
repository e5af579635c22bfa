package attribution

import "spell-lsp/instrument/probe"

// Where the probe knows nothing of the scheduler, a CPU profile of the program
// tells what its samples tell otherwise: how much of the time of a function was
// running, and which time was that of functions that are only counted.

// A Stack is samples of a CPU profile that have the same stack.
type Stack struct {
	Rows        []int // the innermost first; what has no row is left out
	Samples, NS uint64
	Cut         bool // the outermost functions are missing
}

// Rows of a stack that no component has, for those of probe.RuntimeRow.
const (
	CollectorRow = -1
	ProbesRow    = -2
)

// A Profile is the CPU profile of one execution.
type Profile struct {
	stacks []Stack
	rows   profiled
}

// NewProfile is of a program with so many components. timed says of a row whether the calls
// of its function are timed.
func NewProfile(stacks []Stack, components int, timed func(row int) bool) *Profile {
	rows := make(profiled)
	for _, s := range stacks {
		rows.add(s.Rows, timed, s.Samples, s.NS)
	}
	return &Profile{stacks, rows.named(components)}
}

// profiled is what a CPU profile says of each row, ns.
type profiled map[int]probe.Count

// add books samples of a stack: the innermost function has the time, the
// innermost that is timed had it measured as its own.
func (p profiled) add(stack []int, timed func(row int) bool, samples, ns uint64) {
	own, top := 0, 0
	if len(stack) > 0 {
		own = stack[0]
	}
	if own == CollectorRow {
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

// named puts the rows that no component has where a program of that many
// components has them.
func (p profiled) named(components int) profiled {
	p[probe.RuntimeRow(components)], p[probe.RuntimeRow(components)+1] = p[CollectorRow], p[ProbesRow]
	delete(p, CollectorRow)
	delete(p, ProbesRow)
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

// Apply turns times from entry to exit into running times, and divides what the
// profile says among the windows of the program: that of timed rows by the time
// of each window, that of calls by their number, and all else by the CPU time
// that is left.
func (p *Profile) Apply(log *probe.Log, cpu *Timeline) {
	w := windowing{profiled: p.rows, totals: make(map[int]probe.Count)}
	var wall, running, samples float64
	for _, window := range log.Windows {
		for row, c := range window.Counts {
			w.totals[row] = w.totals[row].Plus(c)
			wall += float64(c.SelfNS)
		}
	}
	for row, c := range p.rows {
		samples += float64(c.Samples)
		if row > 0 {
			running += float64(c.KeptNS + c.LostNS)
		}
	}
	if samples == 0 {
		return
	}
	w.usual = min(1, ratio(running, wall))
	for _, c := range p.rows {
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
func (w *windowing) left(window *probe.Window, cpu *Timeline) float64 {
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
