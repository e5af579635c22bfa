package runner

import (
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// A pool is what all rounds together say of each row of the probe's table. A
// test may be too short for samples: what they say of a function's calls
// elsewhere then stands in.
type pool struct {
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

func newPool(components int, hot []probe.Hot) *pool {
	return &pool{
		components: components, hot: hot,
		rows: make(map[int]probe.Count), timedNS: make(map[int]float64), framesNS: make(map[int]float64),
	}
}

func (p *pool) add(v *interval) {
	for row, c := range v.counts {
		p.rows[row] = p.rows[row].Plus(c)
		timed := v.cost.remove(c)
		p.timedNS[row] += timed.selfNS
		p.timedCost += timed.probesNS
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
func (p *pool) frames(row int, v *interval) float64 {
	if row < 1 || row > len(p.hot) || p.hot[row-1]&probe.HotCalls == 0 {
		return 0
	}
	return countedCalls(v.counts[row]) * v.cost.frame
}

// Strengths of what is known beforehand, in samples.
const (
	timedStrength = 8 // of timed calls, for the calls of the function that were not timed
	poolStrength  = 4 // of all tests, for one test
)

// enoughTimed is how many timed calls say something of others.
const enoughTimed = 100

// period is the CPU time between samples, in ns; 0 if there are none.
func (p *pool) period() float64 {
	if p.samples == 0 {
		return 0
	}
	return p.sampledNS / p.samples
}

// blend is the time of calls of which samples saw sampledNS, where from
// elsewhere a call is known to take perCall, as firmly as so many samples tell:
// the mean of the posterior of a Poisson rate with a gamma prior. Without
// anything known beforehand (strength 0) the samples alone decide.
func (p *pool) blend(calls, sampledNS, perCall, strength float64) float64 {
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
func (p *pool) perCall(row int) float64 {
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
func (p *pool) lostPart(row int) float64 {
	all := p.rows[row]
	if seen := all.KeptNS + all.LostNS; seen > 0 {
		return float64(all.LostNS) / float64(seen)
	}
	return 0
}

// probesRow is that of the probes of counted calls.
func (p *pool) probesRow() int { return probe.RuntimeRow(p.components) + 1 }

// probeNS is what samples saw of the probe of a counted call, in ns. They saw those of
// timed calls, too, whose cost is known.
func (p *pool) probeNS() float64 {
	if p.counted == 0 {
		return 0
	}
	return max(0, float64(p.rows[p.probesRow()].GainedNS)-p.timedCost) / p.counted
}

// probesGain is the time of the probes of counted calls in an interval. That of the
// others has been taken out of what they timed.
func (p *pool) probesGain(v *interval) float64 {
	var calls, timedCost float64
	for _, row := range sortedRows(v.counts) { // in a fixed order, as in gains
		calls += p.probed(row, v.counts[row])
		timedCost += v.cost.remove(v.counts[row]).probesNS
	}
	seen := max(0, float64(v.counts[p.probesRow()].GainedNS)-timedCost)
	if p.probeNS() == 0 {
		return seen
	}
	return p.blend(calls, seen, p.probeNS(), poolStrength)
}

// probed are the calls of a row that have the probe of a counted call.
func (p *pool) probed(row int, c probe.Count) float64 {
	if p.timedBlock(row) {
		return 0
	}
	return countedCalls(c)
}

// gain is the time of a row while another was on top.
func (p *pool) gain(row int, v *interval) float64 {
	c := v.counts[row]
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
func (p *pool) shares(v *interval, w *powers) map[int]share {
	shares := make(map[int]share, len(v.counts)+1)
	gains, all := p.gains(v)
	for row := range gains {
		shares[row] = share{joules: make([]float64, w.domains), cumJoules: make([]float64, w.domains)}
	}
	for row := range v.counts {
		s := v.cost.remove(v.counts[row])
		s.joules, s.cumJoules = make([]float64, w.domains), make([]float64, w.domains)
		for d := range s.joules {
			s.joules[d] = w.watts(row, d) * s.selfNS
		}
		shares[row] = s
	}
	moved := p.lose(v, shares, all, w.domains)
	for row, gain := range gains {
		s := shares[row]
		s.selfNS += moved.ns * gain / all
		for d := range s.joules {
			s.joules[d] += moved.joules[d] * gain / all
		}
		shares[row] = s
	}
	for row, s := range shares {
		s.framesNS = p.frames(row, v)
		shares[row] = p.cumulative(row, v.counts[row], s)
	}
	return shares
}

// gains are the times of rows while others were on top, and their sum. What probes
// added to the code of hot functions is the probes'.
func (p *pool) gains(v *interval) (gains map[int]float64, all float64) {
	gains = make(map[int]float64)
	var frames float64
	for _, row := range sortedRows(v.counts) { // in a fixed order: floating-point sums depend on it
		gain := p.gain(row, v)
		frame := min(gain, p.frames(row, v))
		if gain > frame {
			gains[row] = gain - frame
		}
		frames += frame
		all += gain
	}
	if _, seen := v.counts[p.probesRow()]; !seen {
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
func (p *pool) lose(v *interval, shares map[int]share, want float64, domains int) (taken portion) {
	taken.joules = make([]float64, domains)
	if want == 0 {
		return taken
	}
	parts := make(map[int]float64, len(shares))
	var sum float64
	prior := poolStrength * p.period()
	for _, row := range sortedRows(v.counts) {
		c, part := v.counts[row], p.lostPart(row)
		if seen := float64(c.KeptNS + c.LostNS); seen+prior > 0 {
			part = (float64(c.LostNS) + prior*part) / (seen + prior)
		}
		parts[row] = part * shares[row].selfNS
		sum += parts[row]
	}
	if sum > 0 {
		taken.take(shares, parts, want/sum)
	}
	if want-taken.ns <= want*1e-9 {
		return taken
	}
	sum = 0
	for _, row := range sortedRows(shares) { // more than those had
		parts[row] = shares[row].selfNS
		sum += parts[row]
	}
	if sum > 0 {
		taken.take(shares, parts, (want-taken.ns)/sum)
	}
	return taken
}

func sortedRows[V any](rows map[int]V) []int { return slices.Sorted(maps.Keys(rows)) }

// take takes from each row its part times the factor, at most all that it has.
func (taken *portion) take(shares map[int]share, parts map[int]float64, factor float64) {
	for _, row := range sortedRows(shares) {
		s := shares[row]
		loss := min(s.selfNS, parts[row]*factor)
		if loss <= 0 {
			continue
		}
		for d := range s.joules {
			left := s.joules[d] * (s.selfNS - loss) / s.selfNS
			taken.joules[d] += s.joules[d] - left
			s.joules[d] = left
		}
		s.selfNS -= loss
		shares[row] = s
		taken.ns += loss
	}
}

// cumulative fills in the times with callees. Of calls that were not timed,
// samples tell them; how long they waited is not known.
func (p *pool) cumulative(row int, c probe.Count, s share) share {
	if countedCalls(c) > 0 && !p.timedBlock(row) {
		waited := s.wallNS - s.cumNS
		perCall := float64(p.rows[row].BelowNS) / float64(p.rows[row].N)
		s.cumNS = p.blend(float64(c.N), float64(c.BelowNS), perCall, poolStrength)
		s.cumNS = max(s.selfNS, s.cumNS-s.framesNS)
		s.wallNS = s.cumNS + waited
	}
	s.cumNS = max(s.selfNS, s.cumNS)
	s.wallNS = max(s.cumNS, s.wallNS)
	return s
}

// timedBlock says of a row that it is a block whose time was taken throughout.
func (p *pool) timedBlock(row int) bool {
	c := p.rows[row]
	return c.Switches > 0 && c.Timed == 0 && c.GainedNS == 0
}

// resolution is how many samples, or what is worth as much, the time of a
// component should rest on at least.
const resolution = 4

// resolved says whether the time of some components' calls that were not timed
// rests on enough samples.
func (p *pool) resolved(components ...int) bool {
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
