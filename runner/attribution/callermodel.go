package attribution

import (
	"slices"

	"spell-lsp/runner/power"
)

// A callerModel finds the power of a row under each of its callers. It is a linear model of its
// own, as that of all rows, in which each row under a caller is a row too: so a caller that draws
// much itself, always beside its callee, is told from one that makes the callee draw much. Ticks
// in which the caller of a divided row is not known are left out: with one power for both callers
// they would say that the callers themselves make the difference.
//
// The standard deviations of that model take ticks for independent, which they are not where power
// drifts. So the energy of runs is kept, too; a run is consecutive ticks under one caller. An
// estimate is trusted no further than runs agree, see [Model.CallerPowers].
type callerModel struct {
	solver     *power.Model
	components int
	first      uint32 // row of the solver for the first pair
	numbers    map[callerPair]int
	pairs      []*pairRuns // by number
	seen       map[callerPair]sightings
	divided    map[uint32]bool   // rows whose callers in a tick the samples can tell
	line       *Timeline         // execution of the latest tick
	running    map[uint32]uint32 // by row: 1 + the number of the pair whose run goes on
}

// mostPairs is how many pairs get a row of their own: about as many as the solver has terms.
const mostPairs = 1 << 10

func newCallerModel(domains, components int) *callerModel {
	return &callerModel{
		solver: power.New(domains, powerRows(components)+mostPairs), components: components, first: uint32(powerRows(components)),
		numbers: make(map[callerPair]int), seen: make(map[callerPair]sightings), divided: make(map[uint32]bool), running: make(map[uint32]uint32),
	}
}

// AddCallers counts the callers that the samples of an execution saw since the last call. It is
// called before the ticks of these samples are added.
func (m *Model) AddCallers(o *Occupancy) {
	if m.callers == nil || len(o.callers.seen) == 0 {
		return
	}
	c := m.callers
	for pair, s := range o.callers.seen {
		sum := c.seen[pair]
		c.seen[pair] = sightings{sum.all + s.all, sum.followed + s.followed, sum.same + s.same}
	}
	clear(o.callers.seen)
	clear(c.divided)
	for _, p := range c.rows() {
		c.divided[uint32(p.Row)] = p.ByTime == ""
	}
}

// number finds the number of a pair, or gives it one; false if none is left.
func (c *callerModel) number(pair callerPair) (int, bool) {
	n, known := c.numbers[pair]
	if !known && len(c.pairs) < mostPairs {
		n, known = len(c.pairs), true
		c.numbers[pair] = n
		c.pairs = append(c.pairs, &pairRuns{perBatch: 1})
	}
	return n, known
}

// add gives the solver a tick of an execution, in which rows are divided by callers.
func (c *callerModel) add(line *Timeline, t power.Tick, callers []called) {
	if c.line != line {
		c.line = line
		c.end()
	}
	entries := make([]power.Entry, 0, len(t.Entries)+len(callers))
	for _, e := range t.Entries {
		if !c.divided[e.Row] {
			entries = append(entries, e)
			continue
		}
		var whole bool
		if entries, whole = c.divide(entries, e, callers, mostUnknown*t.Seconds); !whole {
			return
		}
	}
	t.Entries = entries
	c.solver.Add(t)
	for _, of := range callers {
		alone := !slices.ContainsFunc(callers, func(other called) bool { return other.row == of.row && other.caller != of.caller })
		if n, known := c.numbers[of.callerPair]; known && alone {
			c.run(of.row, n, &t)
		}
	}
}

// mostUnknown is for how much of a tick the caller of a divided row may be unknown.
const mostUnknown = 0.02

// divide appends the entries of a row by caller. It returns false if the caller is not known for
// longer than so many seconds.
func (c *callerModel) divide(entries []power.Entry, e power.Entry, callers []called, most float64) ([]power.Entry, bool) {
	var all float64
	for _, of := range callers {
		if of.row == e.Row {
			all += of.seconds
		}
	}
	if e.Seconds-all > most {
		return entries, false
	}
	for _, of := range callers {
		if of.row != e.Row || of.seconds <= 0 {
			continue
		}
		n, known := c.number(of.callerPair)
		if !known {
			return entries, false
		}
		entries = append(entries, power.Entry{Row: c.first + uint32(n), Seconds: e.Seconds * of.seconds / all})
	}
	return entries, true
}

// end ends all runs.
func (c *callerModel) end() {
	clear(c.running)
	for _, p := range c.pairs {
		p.end()
	}
}

// run adds a tick to the run of a pair, the only one of its row in it.
func (c *callerModel) run(row uint32, number int, t *power.Tick) {
	if before := c.running[row]; before != uint32(number)+1 {
		if before != 0 {
			c.pairs[before-1].end()
		}
		c.running[row] = uint32(number) + 1
	}
	c.pairs[number].add(t)
}

// pairRuns is the energy of a row's runs under one caller.
type pairRuns struct {
	runs     int // that have ended
	perBatch int
	going    bool
	inOpen   int // runs in open that have ended
	open     batch
	batches  []batch // of perBatch runs each
}

// A batch is what was used in some runs.
type batch struct {
	seconds float64
	joules  []float64
	ran     map[uint32]float64 // s, by row of the solver
}

// mostBatches limits the memory; with more, two that follow each other become one.
const mostBatches = 64

func (p *pairRuns) add(t *power.Tick) {
	p.going = true
	if p.open.ran == nil {
		p.open = batch{joules: make([]float64, len(t.Joules)), ran: make(map[uint32]float64)}
	}
	p.open.seconds += t.Seconds
	for d, j := range t.Joules {
		p.open.joules[d] += j
	}
	for _, e := range t.Entries {
		p.open.ran[e.Row] += e.Seconds
	}
}

// end ends the run, if there is one.
func (p *pairRuns) end() {
	if !p.going {
		return
	}
	p.going = false
	p.runs++
	if p.inOpen++; p.inOpen < p.perBatch {
		return
	}
	p.batches = append(p.batches, p.open)
	p.open, p.inOpen = batch{}, 0
	if len(p.batches) < mostBatches {
		return
	}
	half := p.batches[:0]
	for i := 0; i+1 < len(p.batches); i += 2 {
		half = append(half, p.batches[i].plus(&p.batches[i+1]))
	}
	p.batches, p.perBatch = half, 2*p.perBatch
}

func (b batch) plus(o *batch) batch {
	b.seconds += o.seconds
	for d, j := range o.joules {
		b.joules[d] += j
	}
	for row, s := range o.ran {
		b.ran[row] += s
	}
	return b
}
