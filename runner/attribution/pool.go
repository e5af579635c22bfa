package attribution

import (
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// A Pool is what all rounds together say of each row of the probe's table. A
// test may be too short for samples: what they say of a function's calls
// elsewhere then stands in.
type Pool struct {
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

func NewPool(components int, hot []probe.Hot) *Pool {
	return &Pool{
		components: components, hot: hot,
		rows: make(map[int]probe.Count), timedNS: make(map[int]float64), framesNS: make(map[int]float64),
	}
}

func (p *Pool) Add(v *Interval) {
	for row, c := range v.Counts {
		p.rows[row] = p.rows[row].Plus(c)
		timed := v.Cost.remove(c)
		p.timedNS[row] += timed.SelfNS
		p.timedCost += timed.ProbesNS
		p.framesNS[row] += p.frames(row, v)
		if c.Switches == 0 { // the blocks of a function are timed by their changes
			p.counted += countedCalls(c)
		}
		p.sampledNS += float64(c.KeptNS + c.GainedNS)
		p.samples += float64(c.Samples)
	}
}

// countedCalls are those that were not timed.
func countedCalls(c probe.Count) float64 { return float64(c.N - min(c.N, c.Timed)) }

// frames is what probes added to the code of a hot function in an interval.
func (p *Pool) frames(row int, v *Interval) float64 {
	if row < 1 || row > len(p.hot) || p.hot[row-1]&probe.HotCalls == 0 {
		return 0
	}
	return countedCalls(v.Counts[row]) * v.Cost.FrameNS
}

// Strengths of what is known beforehand, in samples.
const (
	timedStrength = 8 // of timed calls, for the calls of the function that were not timed
	poolStrength  = 4 // of all tests, for one test
)

// enoughTimed is how many timed calls say something of others.
const enoughTimed = 100

// period is the CPU time between samples, in ns; 0 if there are none.
func (p *Pool) period() float64 {
	if p.samples == 0 {
		return 0
	}
	return p.sampledNS / p.samples
}

// blend is the time of calls of which samples saw sampledNS, where from
// elsewhere a call is known to take perCall, as firmly as so many samples tell:
// the mean of the posterior of a Poisson rate with a gamma prior. Without
// anything known beforehand (strength 0) the samples alone decide.
func (p *Pool) blend(calls, sampledNS, perCall, strength float64) float64 {
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
func (p *Pool) perCall(row int) float64 {
	all := p.rows[row]
	calls := countedCalls(all)
	if calls == 0 {
		return 0
	}
	if all.Timed < enoughTimed {
		return float64(all.GainedNS) / calls
	}
	timed := p.timedNS[row]*(1-p.lostPart(row))/float64(all.Timed) + p.framesNS[row]/calls
	return p.blend(calls, float64(all.GainedNS), timed, timedStrength) / calls
}

// lostPart is the part of the time of a row on top that was the code of others.
func (p *Pool) lostPart(row int) float64 {
	all := p.rows[row]
	if seen := all.KeptNS + all.LostNS; seen > 0 {
		return float64(all.LostNS) / float64(seen)
	}
	return 0
}

// probesRow is that of the probes of counted calls.
func (p *Pool) probesRow() int { return probe.RuntimeRow(p.components) + 1 }

// probeNS is what samples saw of the probe of a counted call, in ns. They saw those of
// timed calls, too, whose cost is known.
func (p *Pool) probeNS() float64 {
	if p.counted == 0 {
		return 0
	}
	return max(0, float64(p.rows[p.probesRow()].GainedNS)-p.timedCost) / p.counted
}

// probesGain is the time of the probes of counted calls in an interval. That of the
// others has been taken out of what they timed.
func (p *Pool) probesGain(v *Interval) float64 {
	var calls, timedCost float64
	for _, row := range sortedRows(v.Counts) { // in a fixed order, as in gains
		calls += p.probed(row, v.Counts[row])
		timedCost += v.Cost.remove(v.Counts[row]).ProbesNS
	}
	seen := max(0, float64(v.Counts[p.probesRow()].GainedNS)-timedCost)
	if p.probeNS() == 0 {
		return seen
	}
	return p.blend(calls, seen, p.probeNS(), poolStrength)
}

// probed are the calls of a row that have the probe of a counted call.
func (p *Pool) probed(row int, c probe.Count) float64 {
	if p.timedBlock(row) {
		return 0
	}
	return countedCalls(c)
}

// gain is the time of a row while another was on top.
func (p *Pool) gain(row int, v *Interval) float64 {
	c := v.Counts[row]
	switch {
	case p.timedBlock(row):
		return 0
	case row == p.probesRow():
		return p.probesGain(v)
	case countedCalls(c) > 0:
		return p.blend(countedCalls(c), float64(c.GainedNS), p.perCall(row), poolStrength)
	}
	return float64(c.GainedNS)
}

// shares divides the running time of an interval among the rows: what probes
// timed, less the probes' own time, and out of it what samples say belongs to
// others. Nothing is lost by it and nothing added. Joules are in proportion only:
// power x time. What was on top tells the power: samples are too few for that.
func (p *Pool) shares(v *Interval, w *Powers) map[int]Share {
	shares := make(map[int]Share, len(v.Counts)+1)
	gains, all := p.gains(v)
	for row := range gains {
		shares[row] = Share{Joules: make([]float64, w.domains), CumJoules: make([]float64, w.domains)}
	}
	for row := range v.Counts {
		s := v.Cost.remove(v.Counts[row])
		s.Joules, s.CumJoules = make([]float64, w.domains), make([]float64, w.domains)
		for d := range s.Joules {
			s.Joules[d] = w.Watts(row, d) * s.SelfNS
		}
		shares[row] = s
	}
	moved := p.lose(v, shares, all, w.domains)
	for row, gain := range gains {
		s := shares[row]
		s.SelfNS += moved.NS * gain / all
		for d := range s.Joules {
			s.Joules[d] += moved.Joules[d] * gain / all
		}
		shares[row] = s
	}
	for row, s := range shares {
		s.FramesNS = p.frames(row, v)
		shares[row] = p.cumulative(row, v.Counts[row], s)
	}
	return shares
}

// gains are the times of rows while others were on top, and their sum. What probes
// added to the code of hot functions is the probes'.
func (p *Pool) gains(v *Interval) (gains map[int]float64, all float64) {
	gains = make(map[int]float64)
	var frames float64
	for _, row := range sortedRows(v.Counts) { // in a fixed order: floating-point sums depend on it
		gain := p.gain(row, v)
		frame := min(gain, p.frames(row, v))
		if gain > frame {
			gains[row] = gain - frame
		}
		frames += frame
		all += gain
	}
	if _, seen := v.Counts[p.probesRow()]; !seen {
		gain := p.gain(p.probesRow(), v)
		frames += gain
		all += gain
	}
	if frames > 0 {
		gains[p.probesRow()] += frames
	}
	return gains, all
}

// lose takes so much time out of the rows that were on top, from each after the
// part that samples saw lost, and returns what there was to take, and the energy
// that goes with it.
func (p *Pool) lose(v *Interval, shares map[int]Share, want float64, domains int) (taken Amount) {
	taken.Joules = make([]float64, domains)
	if want == 0 {
		return taken
	}
	parts := make(map[int]float64, len(shares))
	var sum float64
	prior := poolStrength * p.period()
	for _, row := range sortedRows(v.Counts) {
		c, part := v.Counts[row], p.lostPart(row)
		if seen := float64(c.KeptNS + c.LostNS); seen+prior > 0 {
			part = (float64(c.LostNS) + prior*part) / (seen + prior)
		}
		parts[row] = part * shares[row].SelfNS
		sum += parts[row]
	}
	if sum > 0 {
		taken.take(shares, parts, want/sum)
	}
	if want-taken.NS <= want*1e-9 {
		return taken
	}
	sum = 0
	for _, row := range sortedRows(shares) { // more than those had
		parts[row] = shares[row].SelfNS
		sum += parts[row]
	}
	if sum > 0 {
		taken.take(shares, parts, (want-taken.NS)/sum)
	}
	return taken
}

func sortedRows[V any](rows map[int]V) []int { return slices.Sorted(maps.Keys(rows)) }

// take takes from each row its part times the factor, at most all that it has.
func (taken *Amount) take(shares map[int]Share, parts map[int]float64, factor float64) {
	for _, row := range sortedRows(shares) {
		s := shares[row]
		loss := min(s.SelfNS, parts[row]*factor)
		if loss <= 0 {
			continue
		}
		for d := range s.Joules {
			left := s.Joules[d] * (s.SelfNS - loss) / s.SelfNS
			taken.Joules[d] += s.Joules[d] - left
			s.Joules[d] = left
		}
		s.SelfNS -= loss
		shares[row] = s
		taken.NS += loss
	}
}

// cumulative fills in the times with callees. Of calls that were not timed,
// samples tell them; how long they waited is not known.
func (p *Pool) cumulative(row int, c probe.Count, s Share) Share {
	if countedCalls(c) > 0 && !p.timedBlock(row) {
		waited := s.WallNS - s.CumNS
		perCall := float64(p.rows[row].BelowNS) / float64(p.rows[row].N)
		s.CumNS = p.blend(float64(c.N), float64(c.BelowNS), perCall, poolStrength)
		s.CumNS = max(s.SelfNS, s.CumNS-s.FramesNS)
		s.WallNS = s.CumNS + waited
	}
	s.CumNS = max(s.SelfNS, s.CumNS)
	s.WallNS = max(s.CumNS, s.WallNS)
	return s
}

// timedBlock says of a row that it is a block whose time was taken throughout.
func (p *Pool) timedBlock(row int) bool {
	c := p.rows[row]
	return c.Switches > 0 && c.Timed == 0 && c.GainedNS == 0
}

// resolution is how many samples, or what is worth as much, the time of a
// component should rest on at least.
const resolution = 4

// Resolved says whether the time of some components' calls that were not timed
// rests on enough samples.
func (p *Pool) Resolved(components ...int) bool {
	seen := 0.0
	for _, component := range components {
		c := p.rows[component+1]
		if c.N > 0 && (countedCalls(c) == 0 || p.timedBlock(component+1)) {
			return true
		}
		if period := p.period(); period > 0 {
			seen += max(0, float64(c.GainedNS)-p.framesNS[component+1]) / period
		}
		if c.Timed >= enoughTimed {
			seen += timedStrength
		}
	}
	return seen >= resolution
}
