package attribution

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// A coreEntry is how long a row ran on a core within a tick.
type coreEntry struct {
	core    int // index of its counter
	row     uint32
	seconds float64
}

// coreOf is the counter of each processor's core, -1 for none.
func coreOf(cpus [][]int) (of []int) {
	for core, list := range cpus {
		for _, cpu := range list {
			for len(of) <= cpu {
				of = append(of, -1)
			}
			of[cpu] = core
		}
	}
	return of
}

// putOnCore notes on which core an entry ran, if that is known. onCPU is 1 + the processor.
func (o *Occupancy) putOnCore(tick int, row uint32, seconds float64, onCPU uint32) {
	if onCPU == 0 || int(onCPU) > len(o.line.coreOf) || o.line.coreOf[onCPU-1] < 0 {
		return
	}
	for tick-o.base >= len(o.onCores) {
		o.onCores = append(o.onCores, nil)
	}
	o.onCores[tick-o.base] = append(o.onCores[tick-o.base], coreEntry{o.line.coreOf[onCPU-1], row, seconds})
}

// takeOnCores are the entries of a pending tick by core and row, each pair once.
func (o *Occupancy) takeOnCores(tick int) []coreEntry {
	if tick >= len(o.onCores) {
		return nil
	}
	entries := o.onCores[tick]
	slices.SortStableFunc(entries, func(a, b coreEntry) int { return cmp.Or(cmp.Compare(a.core, b.core), cmp.Compare(a.row, b.row)) })
	sums := entries[:0]
	for _, e := range entries {
		if n := len(sums); n > 0 && sums[n-1].core == e.core && sums[n-1].row == e.row {
			sums[n-1].seconds += e.seconds
		} else {
			sums = append(sums, e)
		}
	}
	return sums
}

// coresAt are the joules by counter of a core at a reading.
func (k *Timeline) coresAt(reading int) []float64 {
	return k.coreJ[(reading-k.coresFrom)*k.counters:][:k.counters]
}

// dropCores forgets those of the readings before one: with many cores, all readings of a long program fill the memory.
func (k *Timeline) dropCores(before int) {
	if n := before - k.coresFrom; n > 0 {
		k.coreJ, k.coresFrom = slices.Delete(k.coreJ, 0, n*k.counters), before
	}
}

// coreWatts is the lowest power by counter of a core, and the mean power of all cores together, from the first reading that has all of
// them; nil if a later one lacks one.
func (k *Timeline) coreWatts() (lowest []float64, mean float64) {
	if k.counters == 0 {
		return nil, 0
	}
	first, end := 0, len(k.published)-1
	for first < end && slices.ContainsFunc(k.coresAt(first), math.IsNaN) {
		first++
	}
	joules := k.coreJ[first*k.counters:]
	if first >= end || slices.ContainsFunc(joules, math.IsNaN) {
		return nil, 0
	}
	seconds := float64(k.updated[end]-k.updated[first]) / 1e9
	return minPower(joules, k.updated[first:], RestWindowNS), (sum(k.coresAt(end)) - sum(k.coresAt(first))) / seconds
}

// A coreModel estimates powers in the domain cpu from counters of single cores: what rows draw in a core, and, from what the domain
// used more than its cores, what they draw beyond them. Its methods may be called on nil: without such counters.
type coreModel struct {
	domain int // cpu, as the solver numbers it
	whole  int // the same among all domains
	others int // row of other processes
	cores  *power.Cores
	beyond *power.Model
	joules []float64 // of the tick, by core
	ranS   []float64 // of all ticks, by row
	// capacity is how many processors each core has.
	capacity []float64
	watch    coreWatch
	rest     Rest
}

// newCoreModel is nil for a machine without counters of cores.
func newCoreModel(m *Model) *coreModel {
	whole := slices.Index(m.machine.Domains, spell.CPU)
	if len(m.machine.CoreCPUs) == 0 || whole < 0 || m.inSolver[whole] < 0 {
		return nil
	}
	rows := powerRows(m.components)
	var capacity []float64
	for _, cpus := range m.machine.CoreCPUs {
		capacity = append(capacity, float64(len(cpus)))
	}
	return &coreModel{
		capacity: capacity, watch: newCoreWatch(len(capacity)),
		domain: m.inSolver[whole], whole: whole, others: othersRow(m.components),
		cores: power.NewCores(len(m.machine.CoreCPUs), rows), beyond: power.New(1, rows), ranS: make([]float64, rows), joules: make([]float64, len(m.machine.CoreCPUs)),
	}
}

// setRest says what was measured before the first round.
func (c *coreModel) setRest(r Rest) {
	if c == nil || r.CoreW == nil || r.MeanW == nil {
		return
	}
	c.rest = r
	if r.OthersLoad <= littleLoad { // otherwise, what was on a core all the time seems to be its idle power
		c.cores.SetDifferences(r.CoreW)
	}
	watts := max(0, r.MeanW[c.whole]-r.CoresW)
	c.beyond.SetRest(0, power.Rest{Watts: watts, SD: restPrior*idleError*watts + minSD, Row: uint32(c.others), Load: r.OthersLoad})
}

// pinIdle gives the cores their idle power: what they drew at rest without what others drew then. How much that is, only the
// package's counter says: on which core others run, nobody knows.
func (c *coreModel) pinIdle(whole *power.Fit) {
	if c.rest.CoreW == nil {
		return
	}
	n := float64(len(c.rest.CoreW))
	mean, load := c.rest.CoresW/n, c.rest.OthersLoad/n
	sd, others := idleError*mean, whole.Watts(uint32(c.others), c.domain)
	if load > 0 {
		mean, sd = mean-load*others.Watts, math.Hypot(sd, load*math.Hypot(others.SD, othersError*others.Watts))
	}
	c.cores.SetIdle(max(0, mean), sd+minSD)
}

// littleLoad is the most of one processor that others may take at rest for the idle power of single cores to be known.
const littleLoad = 0.05

// mostUnplaced is the most of the running time of a tick's goroutines of which the core may be unknown.
const mostUnplaced = 0.02

// add takes a tick in: whole is what the solver got of it, and scale by how much its joules were scaled to the length of the tick.
func (c *coreModel) add(k *Timeline, whole power.Tick, t Tick, scale float64) {
	if c == nil {
		return
	}
	inCores := 0.0
	from, to := k.coresAt(t.reading-1), k.coresAt(t.reading)
	for core := range c.joules {
		c.joules[core] = (to[core] - from[core]) * scale
		inCores += c.joules[core]
	}
	if math.IsNaN(inCores) {
		return
	}
	c.watch.add(whole.Seconds, whole.Joules[c.domain], c.joules, t.onCores)
	c.beyond.Add(power.Tick{Seconds: whole.Seconds, Joules: []float64{max(0, whole.Joules[c.domain]-inCores)}, Entries: whole.Entries})
	for _, e := range whole.Entries {
		c.ranS[e.Row] += e.Seconds
	}
	ran, known := 0.0, 0.0
	for _, e := range t.entries {
		ran += e.Seconds
	}
	for _, e := range t.onCores {
		known += e.seconds
	}
	// The solver's entries are limited to the program's CPU time.
	if limit := min(1, ran/max(known, 1e-12)); known*limit >= (1-mostUnplaced)*ran {
		c.addCores(whole, t.onCores, limit)
	}
}

// addCores gives each core its tick. Nobody says on which core other processes ran, and the rest of the program: that time
// is spread over what the cores had left. That is right where all of that is taken; where it is not, and there is much of such time,
// the tick is left to the solver.
func (c *coreModel) addCores(whole power.Tick, placed []coreEntry, limit float64) {
	left, all, more := slices.Clone(c.capacity), 0.0, 0.0 // processors
	unplaced := slices.Clone(whole.Entries)
	for _, e := range placed {
		left[e.core] -= e.seconds * limit / whole.Seconds
		if i := slices.IndexFunc(unplaced, func(u power.Entry) bool { return u.Row == e.row }); i >= 0 {
			unplaced[i].Seconds -= e.seconds * limit
		}
	}
	for core := range left {
		left[core] = max(0, left[core])
		all += left[core]
	}
	for _, u := range unplaced {
		more += max(0, u.Seconds) / whole.Seconds
	}
	if min(more, all-more) > mostSpread {
		return
	}
	for core, joules := range c.joules {
		var entries []power.Entry
		for ; len(placed) > 0 && placed[0].core == core; placed = placed[1:] {
			entries = append(entries, power.Entry{Row: placed[0].row, Seconds: placed[0].seconds * limit})
		}
		for _, u := range unplaced {
			if more := u.Seconds * left[core] / max(all, 1e-9); more > hardly*whole.Seconds {
				entries = append(entries, power.Entry{Row: u.Row, Seconds: more})
			}
		}
		c.cores.Add(core, whole.Seconds, joules, merged(entries))
	}
}

// mostSpread is the most of one processor's time that may be spread over the cores.
const mostSpread = 0.1

// hardly is the part of a tick below which what runs on a core does not count.
const hardly = 0.002

// A coreFit is a coreModel, solved.
type coreFit struct {
	domain        int
	cores, beyond *power.Fit
	// scale is the mean ratio of the powers by cores to those by the package's counter, and what the latter are multiplied by
	// where a row has no other. Both are means over the time that a row ran, but weigh its ticks differently, so that they
	// differ where threads draw less beside others.
	scale float64
}

// fit is nil without counters of cores. whole is that of the package's counter.
func (c *coreModel) fit(whole *power.Fit) *coreFit {
	if c == nil {
		return nil
	}
	c.pinIdle(whole)
	f := &coreFit{domain: c.domain, cores: c.cores.Fit(), beyond: c.beyond.Fit(), scale: 1}
	both, alone := 0.0, 0.0
	for row, ran := range c.ranS {
		if parts, better := f.parts(uint32(row), whole); better && ran > 0 {
			both, alone = both+ran*parts.Watts, alone+ran*whole.Watts(uint32(row), c.domain).Watts
		}
	}
	if both > 0 && alone > 0 {
		f.scale = both / alone
	}
	return f
}

// parts is the power of a row by the counters of cores, and whether that is more certain than by the package's.
func (f *coreFit) parts(row uint32, whole *power.Fit) (e power.Estimate, better bool) {
	in, beyond := f.cores.Watts(row, 0), f.beyond.Watts(row, 0)
	e = power.Estimate{Watts: in.Watts + beyond.Watts, SD: math.Hypot(in.SD, beyond.SD), Own: in.Own}
	return e, e.SD < whole.Watts(row, f.domain).SD
}

// ByCores says whether the power of a row comes from counters of cores.
func (w *Powers) ByCores(row int) bool {
	if w.cores == nil {
		return false
	}
	_, parts := w.choose(row, w.cores.domain)
	return parts
}

// estimate is the power of a row in a domain that is in the fit: by the counters of cores where that is more certain. It is not
// where too little of what ran could be placed on a core.
func (w *Powers) estimate(row, domain int) power.Estimate {
	e, _ := w.choose(row, w.inFit[domain])
	return e
}

// choose takes a domain as the fit numbers it.
func (w *Powers) choose(row, d int) (e power.Estimate, byCores bool) {
	solved := w.solved(row)
	e = w.fit.Watts(solved, d)
	if w.cores == nil || w.cores.domain != d {
		return e, false
	}
	if parts, better := w.cores.parts(solved, w.fit); better {
		return parts, true
	}
	e.Watts, e.SD = e.Watts*w.cores.scale, e.SD*w.cores.scale
	return e, false
}
