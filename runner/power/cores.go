package power

import (
	"math"
	"slices"
)

// Cores is a model of counters of single cores: each core has an equation of its own in each tick,
//
//	joules(k,core) = idle T(k) + sum over c of watts(c) x(k,c,core) + noise(k,core)
//
// where x(k,c,core) is the running time of row c on that core, so that what ran at once on several cores is told apart.
// A row draws the same on each core, and idle cores draw the same but for what SetDifferences says.
//
// Noise moves energy from one tick of a core to the next of the same core (see Scales in the package's documentation). So the
// ticks go to one Model in runs of one core, as long as its longest block: no block has ticks of two cores, even where
// one is left out as impossible. It is not safe for concurrent use.
type Cores struct {
	model *Model
	above []float64 // W by core: by how much its idle power is above the mean of all
	runs  [][]Tick  // by core: ticks of a run that is not complete
}

// runTicks is the length of a run: the number of ticks in a block of the last level.
const runTicks = 64

// NewCores makes a model with these numbers of cores and rows.
func NewCores(cores, rows int) *Cores {
	model := New(1, rows)
	model.aligned = true
	return &Cores{model: model, above: make([]float64, cores), runs: make([][]Tick, cores)}
}

// SetDifferences says what each core draws on the idle machine, in W, of which only the differences count. It concerns ticks
// that are added afterwards. Values that are negative or not finite, or not of each core, say nothing.
func (c *Cores) SetDifferences(idle []float64) {
	if len(idle) != len(c.above) || slices.ContainsFunc(idle, func(w float64) bool { return !inRange(w) }) {
		return
	}
	mean := 0.0
	for _, w := range idle {
		mean += w / float64(len(idle))
	}
	for core, w := range idle {
		c.above[core] = w - mean
	}
}

// SetIdle is that of Model, of one core by the mean of all.
func (c *Cores) SetIdle(watts, sd float64) { c.model.SetIdle(0, watts, sd) }

// Add adds a tick of one core: the increment of its counter, and how long rows ran on it. Entries are copied. A tick that is
// invalid, see Model.Add, says nothing.
func (c *Cores) Add(core int, seconds, joules float64, entries []Entry) {
	if math.IsNaN(joules) || joules < 0 {
		return
	}
	t := Tick{Seconds: seconds, Joules: []float64{max(0, joules-c.above[core]*seconds)}, Entries: slices.Clone(entries)}
	if !t.valid(1, len(c.model.occ)) {
		return
	}
	c.runs[core] = append(c.runs[core], t)
	run := c.runs[core]
	if len(run) < runTicks {
		return
	}
	c.runs[core] = run[:0]
	// A core on which nothing ran says only what SetIdle says better. Many of them would hide how large the noise of the others is.
	if !slices.ContainsFunc(run, func(t Tick) bool { return len(t.Entries) > 0 }) {
		return
	}
	for _, t := range run {
		c.model.Add(t)
	}
}

// Fit solves the model with all complete runs so far. It may be called again after more calls of Add. Its one domain has the power
// that rows draw in cores, and its idle power is that of one core, by the mean of all.
func (c *Cores) Fit() *Fit { return c.model.Fit() }
