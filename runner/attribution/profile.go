package attribution

import "spell-lsp/instrument/probe"

// Where the probe cannot ask the scheduler, because the runtime is not known, a CPU profile
// says how much of a function's time from entry to exit it was running, and takes the place of
// the probe's samples.

// A Stack is samples of a CPU profile that have the same stack.
type Stack struct {
	Rows        []int // the innermost first; what has no row is left out
	Samples, NS uint64
	Cut         bool // the outermost functions are missing
}

// Rows of a stack for the garbage collector and for the probes; NewProfile puts those of
// probe.RuntimeRow in their place.
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

// profiled is the samples of a CPU profile by row.
type profiled map[int]probe.Count

// add books samples of a stack. The innermost function used the time; the innermost timed
// function had it measured as its own.
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

// named moves the rows of the collector and of the probes to where a program of so many
// components has them.
func (p profiled) named(components int) profiled {
	p[probe.RuntimeRow(components)], p[probe.RuntimeRow(components)+1] = p[CollectorRow], p[ProbesRow]
	delete(p, CollectorRow)
	delete(p, ProbesRow)
	return p
}

// waitPrior is the weight, in samples, of the prior that a function waits as much as the
// program does on average.
const waitPrior = 2

// A windowing distributes a profile among the windows of a program.
type windowing struct {
	profiled
	totals        map[int]probe.Count // of all windows
	rest          []float64           // by window: CPU time that no timed function used
	allRest       float64
	period, usual float64 // CPU time between samples; running time / time from entry to exit, over all timed functions
}

// Apply turns the times of a log, from entry to exit, into running times, and distributes the
// samples of the profile among its windows: those of timed rows by time, those of untimed rows
// by calls, and all others by the CPU time that is left.
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

// timed corrects the rows of functions in a window.
func (w *windowing) timed(counts map[int]probe.Count) {
	for row, c := range counts {
		all, seen := w.totals[row], w.profiled[row]
		if row == 0 {
			continue
		}
		byTime, byCalls := ratio(float64(c.SelfNS), float64(all.SelfNS)), ratio(float64(c.N), float64(all.N))
		ran := ratio(float64(seen.KeptNS+seen.LostNS)+waitPrior*w.period*w.usual, float64(all.SelfNS)+waitPrior*w.period)
		c.CumNS = max(uint64(min(1, ran)*float64(c.SelfNS)), min(c.CumNS, uint64(ratio(float64(c.CumNS), float64(all.CumNS))*float64(seen.BelowNS))))
		c.SelfNS = uint64(min(1, ran) * float64(c.SelfNS))
		c.KeptNS, c.LostNS = uint64(byTime*float64(seen.KeptNS)), uint64(byTime*float64(seen.LostNS))
		c.GainedNS, c.BelowNS = uint64(byCalls*float64(seen.GainedNS)), uint64(byCalls*float64(seen.BelowNS))
		c.Samples = uint64(byCalls * float64(seen.Samples))
		counts[row] = c
	}
}

// left is the CPU time of a window that no timed function used.
func (w *windowing) left(window *probe.Window, cpu *Timeline) float64 {
	rest := cpu.at(max(window.End, window.Start)).cpu - cpu.at(window.Start).cpu
	for row, c := range window.Counts {
		if row > 0 {
			rest -= float64(c.SelfNS)
		}
	}
	return max(0, rest)
}

// others gives a window its part of the samples outside of timed rows.
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

// ratio is part/whole, or 0 where the whole is 0.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
