package attribution

import "spell-lsp/instrument/probe"

// A Pool is what all rounds together say of each row of the probe's table. A
// test may be too short for samples: what they say of a function's calls
// elsewhere then stands in.
type Totals struct {
	components int
	hot        []probe.Hot // by component
	rows       map[int]probe.Count
	timedNS    map[int]float64 // own time of timed calls, without the probes
	framesNS   map[int]float64 // of hot functions: what probes added to their code
	counted    float64         // calls that were counted only
	timedCost  float64         // ns of the probes of timed calls, by their cost
	sampledNS  float64
	samples    float64
}

func NewTotals(components int, hot []probe.Hot) *Totals {
	return &Totals{
		components: components, hot: hot,
		rows: make(map[int]probe.Count), timedNS: make(map[int]float64), framesNS: make(map[int]float64),
	}
}

func (p *Totals) Add(v *Interval) {
	for row, c := range v.Counts {
		p.rows[row] = p.rows[row].Plus(c)
		timed := v.Cost.remove(c)
		p.timedNS[row] += timed.SelfNS
		p.timedCost += timed.ProbesNS
		p.framesNS[row] += p.frames(row, v)
		if c.Switches == 0 { // the blocks of a function are timed by their changes
			p.counted += untimedCalls(c)
		}
		p.sampledNS += float64(c.KeptNS + c.GainedNS)
		p.samples += float64(c.Samples)
	}
}

// untimedCalls are those that were not timed.
func untimedCalls(c probe.Count) float64 { return float64(c.N - min(c.N, c.Timed)) }

// frames is what probes added to the code of a hot function in an interval.
func (p *Totals) frames(row int, v *Interval) float64 {
	if row < 1 || row > len(p.hot) || p.hot[row-1]&probe.HotCalls == 0 {
		return 0
	}
	return untimedCalls(v.Counts[row]) * v.Cost.FrameNS
}

// Strengths of what is known beforehand, in samples.
const (
	timedStrength  = 8 // of timed calls, for the calls of the function that were not timed
	totalsStrength = 4 // of all tests, for one test
)

// minTimed is how many timed calls say something of others.
const minTimed = 100

// period is the CPU time between samples, in ns; 0 if there are none.
func (p *Totals) period() float64 {
	if p.samples == 0 {
		return 0
	}
	return p.sampledNS / p.samples
}

// blend is the time of calls of which samples saw sampledNS, where from
// elsewhere a call is known to take perCall, as firmly as so many samples tell:
// the mean of the posterior of a Poisson rate with a gamma prior. Without
// anything known beforehand (strength 0) the samples alone decide.
func (p *Totals) blend(calls, sampledNS, perCall, strength float64) float64 {
	period := p.period()
	switch {
	case calls == 0:
		return 0
	case strength == 0 || period == 0:
		return sampledNS
	case perCall == 0:
		strength, perCall = 1, period/(p.counted+1) // nothing was seen of it anywhere
	}
	seen := sampledNS / period
	posterior := calls * (strength + seen) / (strength/perCall + calls/period)
	// Calls of different tests may take different times: what was seen here goes
	// before what is known from elsewhere, the more, the more was seen.
	weight := min(1, seen/strength)
	return weight*sampledNS + (1-weight)*posterior
}

// perCall is the own time of a call that was not timed, in ns, from all tests, with
// what a probe adds to its code.
func (p *Totals) perCall(row int) float64 {
	all := p.rows[row]
	calls := untimedCalls(all)
	if calls == 0 {
		return 0
	}
	if all.Timed < minTimed {
		return float64(all.GainedNS) / calls
	}
	timed := p.timedNS[row]*(1-p.lostPart(row))/float64(all.Timed) + p.framesNS[row]/calls
	return p.blend(calls, float64(all.GainedNS), timed, timedStrength) / calls
}

// lostPart is the part of the time of a row on top that was the code of others.
func (p *Totals) lostPart(row int) float64 {
	all := p.rows[row]
	if seen := all.KeptNS + all.LostNS; seen > 0 {
		return float64(all.LostNS) / float64(seen)
	}
	return 0
}

// probesRow is that of the probes of counted calls.
func (p *Totals) probesRow() int { return probe.RuntimeRow(p.components) + 1 }

// probeNS is what samples saw of the probe of a counted call, in ns. They saw those of
// timed calls, too, whose cost is known.
func (p *Totals) probeNS() float64 {
	if p.counted == 0 {
		return 0
	}
	return max(0, float64(p.rows[p.probesRow()].GainedNS)-p.timedCost) / p.counted
}

// timedBlock says of a row that it is a block whose time was taken throughout.
func (p *Totals) timedBlock(row int) bool {
	c := p.rows[row]
	return c.Switches > 0 && c.Timed == 0 && c.GainedNS == 0
}

// resolution is how many samples, or what is worth as much, the time of a
// component should rest on at least.
const resolution = 4

// Resolved says whether the time of some components' calls that were not timed
// rests on enough samples.
func (p *Totals) Resolved(components ...int) bool {
	seen := 0.0
	for _, component := range components {
		c := p.rows[component+1]
		if c.N > 0 && (untimedCalls(c) == 0 || p.timedBlock(component+1)) {
			return true
		}
		if period := p.period(); period > 0 {
			seen += max(0, float64(c.GainedNS)-p.framesNS[component+1]) / period
		}
		if c.Timed >= minTimed {
			seen += timedStrength
		}
	}
	return seen >= resolution
}
