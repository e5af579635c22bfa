package attribution

import "spell-lsp/instrument/probe"

// Totals are the counts and samples of all intervals of a measurement, by row. Where one
// test is too short for samples of a function, they say what its calls usually take.
type Totals struct {
	Sampled    bool // the programs had no probes: all times are those of samples
	components int
	hot        []probe.Hot // by component
	rows       map[int]probe.Count
	timedNS    map[int]float64 // self time of timed calls, without the probes
	framesNS   map[int]float64 // what probes added to the code of hot functions
	untimed    float64         // calls that were counted, but not timed
	timedCost  float64         // ns of the probes of timed calls, by their calibrated cost
	sampledNS  float64
	samples    float64
}

// NewTotals makes the totals of programs with so many components; hot says which of them were
// only counted in the end.
func NewTotals(components int, hot []probe.Hot) *Totals {
	return &Totals{
		components: components, hot: hot,
		rows: make(map[int]probe.Count), timedNS: make(map[int]float64), framesNS: make(map[int]float64),
	}
}

// Add adds an interval.
func (t *Totals) Add(v *Interval) {
	for row, c := range v.Counts {
		t.rows[row] = t.rows[row].Plus(c)
		timed := v.Cost.remove(c)
		t.timedNS[row] += timed.SelfNS
		t.timedCost += timed.ProbesNS
		t.framesNS[row] += t.frames(row, v)
		if c.Switches == 0 { // a block is timed by its changes
			t.untimed += untimedCalls(c)
		}
		t.sampledNS += float64(c.KeptNS + c.GainedNS)
		t.samples += float64(c.Samples)
	}
}

// untimedCalls is how many calls were counted, but not timed.
func untimedCalls(c probe.Count) float64 { return float64(c.N - min(c.N, c.Timed)) }

// frames is what probes added to the code of a hot function in an interval.
func (t *Totals) frames(row int, v *Interval) float64 {
	if row < 1 || row > len(t.hot) || t.hot[row-1]&probe.HotCalls == 0 {
		return 0
	}
	return untimedCalls(v.Counts[row]) * v.Cost.FrameNS
}

// Weights of priors, in samples.
const (
	timedPrior  = 8 // the timed calls of a function, for its calls that were not timed
	totalsPrior = 4 // all tests, for one test
)

// minTimed is how many timed calls are enough for a prior.
const minTimed = 100

// period is the CPU time between samples, in ns; 0 if there are none.
func (t *Totals) period() float64 {
	if t.samples == 0 {
		return 0
	}
	return t.sampledNS / t.samples
}

// estimate is the time of calls, in ns; sampledNS is the time seen by samples. The prior is that a
// call takes perCall, with a weight in samples: the result is the posterior mean of a Poisson
// rate with a gamma prior. With a weight of 0 the samples alone decide.
func (t *Totals) estimate(calls, sampledNS, perCall, weight float64) float64 {
	period := t.period()
	switch {
	case calls == 0:
		return 0
	case weight == 0 || period == 0:
		return sampledNS
	case perCall == 0:
		weight, perCall = 1, period/(t.untimed+1) // no sample saw it anywhere
	}
	seen := sampledNS / period
	posterior := calls * (weight + seen) / (weight/perCall + calls/period)
	// Calls may take another time in this test than in others: the more samples this test
	// has, the less the prior counts.
	own := min(1, seen/weight)
	return own*sampledNS + (1-own)*posterior
}

// perCall is the self time of an untimed call in all tests, in ns, with what a probe adds to
// its code.
func (t *Totals) perCall(row int) float64 {
	all := t.rows[row]
	calls := untimedCalls(all)
	if calls == 0 {
		return 0
	}
	if all.Timed < minTimed {
		return float64(all.GainedNS) / calls
	}
	timed := t.timedNS[row]*(1-t.lostRatio(row))/float64(all.Timed) + t.framesNS[row]/calls
	return t.estimate(calls, float64(all.GainedNS), timed, timedPrior) / calls
}

// lostRatio is which part of the time that was measured for a row was that of untimed
// callees.
func (t *Totals) lostRatio(row int) float64 {
	all := t.rows[row]
	if seen := all.KeptNS + all.LostNS; seen > 0 {
		return float64(all.LostNS) / float64(seen)
	}
	return 0
}

// probesRow is the row of the probes of untimed calls.
func (t *Totals) probesRow() int { return probe.RuntimeRow(t.components) + 1 }

// probeNS is the time of the probe of an untimed call, in ns, by samples. Samples see the
// probes of timed calls as well, whose cost is known and taken out.
func (t *Totals) probeNS() float64 {
	if t.untimed == 0 {
		return 0
	}
	return max(0, float64(t.rows[t.probesRow()].GainedNS)-t.timedCost) / t.untimed
}

// timedBlock says whether a row is a block all of whose time was measured.
func (t *Totals) timedBlock(row int) bool {
	c := t.rows[row]
	return c.Switches > 0 && c.Timed == 0 && c.GainedNS == 0
}

// minSamples is how many samples, or their worth in timed calls, the time of a component
// must rest on to be resolved.
const minSamples = 4

// Resolved says whether the time of these components together rests on enough samples.
// Time that was measured needs none.
func (t *Totals) Resolved(components ...int) bool {
	seen := 0.0
	for _, component := range components {
		c := t.rows[component+1]
		if !t.Sampled && c.N > 0 && (untimedCalls(c) == 0 || t.timedBlock(component+1)) {
			return true
		}
		if t.Sampled {
			seen += float64(c.Samples)
		} else if period := t.period(); period > 0 {
			seen += max(0, float64(c.GainedNS)-t.framesNS[component+1]) / period
		}
		if c.Timed >= minTimed {
			seen += timedPrior
		}
	}
	return seen >= minSamples
}
