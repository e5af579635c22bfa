package attribution

import "spell-lsp/instrument/probe"

// probesGain is the time of the probes of counted calls in an interval. That of the
// others has been taken out of what they timed.
func (p *Totals) probesGain(v *Interval) float64 {
	var calls, timedCost float64
	for _, row := range sortedRows(v.Counts) { // in a fixed order, as in gains
		calls += p.probed(row, v.Counts[row])
		timedCost += v.Cost.remove(v.Counts[row]).ProbesNS
	}
	seen := max(0, float64(v.Counts[p.probesRow()].GainedNS)-timedCost)
	if p.probeNS() == 0 {
		return seen
	}
	return p.blend(calls, seen, p.probeNS(), totalsStrength)
}

// probed are the calls of a row that have the probe of a counted call.
func (p *Totals) probed(row int, c probe.Count) float64 {
	if p.timedBlock(row) {
		return 0
	}
	return untimedCalls(c)
}

// gain is the time of a row while another was on top.
func (p *Totals) gain(row int, v *Interval) float64 {
	c := v.Counts[row]
	switch {
	case p.timedBlock(row):
		return 0
	case row == p.probesRow():
		return p.probesGain(v)
	case untimedCalls(c) > 0:
		return p.blend(untimedCalls(c), float64(c.GainedNS), p.perCall(row), totalsStrength)
	}
	return float64(c.GainedNS)
}

// shares divides the running time of an interval among the rows: what probes
// timed, less the probes' own time, and out of it what samples say belongs to
// others. Nothing is lost by it and nothing added. Joules are in proportion only:
// power x time. What was on top tells the power: samples are too few for that.
func (p *Totals) shares(v *Interval, w *Powers) map[int]Share {
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
func (p *Totals) gains(v *Interval) (gains map[int]float64, all float64) {
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
func (p *Totals) lose(v *Interval, shares map[int]Share, want float64, domains int) (taken Amount) {
	taken.Joules = make([]float64, domains)
	if want == 0 {
		return taken
	}
	parts := make(map[int]float64, len(shares))
	var sum float64
	prior := totalsStrength * p.period()
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
func (p *Totals) cumulative(row int, c probe.Count, s Share) Share {
	if untimedCalls(c) > 0 && !p.timedBlock(row) {
		waited := s.WallNS - s.CumNS
		perCall := float64(p.rows[row].BelowNS) / float64(p.rows[row].N)
		s.CumNS = p.blend(float64(c.N), float64(c.BelowNS), perCall, totalsStrength)
		s.CumNS = max(s.SelfNS, s.CumNS-s.FramesNS)
		s.WallNS = s.CumNS + waited
	}
	s.CumNS = max(s.SelfNS, s.CumNS)
	s.WallNS = max(s.CumNS, s.WallNS)
	return s
}
