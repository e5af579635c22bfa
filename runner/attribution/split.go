package attribution

import "spell-lsp/instrument/probe"

// probesGain is the time of the probes of untimed calls in an interval. That of timed calls
// has been taken out of the time that they measured.
func (p *Totals) probesGain(v *Interval) float64 {
	var calls, timedCost float64
	for _, row := range sortedRows(v.Counts) {
		calls += p.probed(row, v.Counts[row])
		timedCost += v.Cost.remove(v.Counts[row]).ProbesNS
	}
	seen := max(0, float64(v.Counts[p.probesRow()].GainedNS)-timedCost)
	if p.probeNS() == 0 {
		return seen
	}
	return p.estimate(calls, seen, p.probeNS(), totalsPrior)
}

// probed is how many calls of a row had the probe of an untimed call.
func (p *Totals) probed(row int, c probe.Count) float64 {
	if p.timedBlock(row) {
		return 0
	}
	return untimedCalls(c)
}

// gain is the time in which a row ran, but was measured as that of its timed caller.
func (p *Totals) gain(row int, v *Interval) float64 {
	c := v.Counts[row]
	switch {
	case p.timedBlock(row):
		return 0
	case row == p.probesRow():
		return p.probesGain(v)
	case untimedCalls(c) > 0:
		return p.estimate(untimedCalls(c), float64(c.GainedNS), p.perCall(row), totalsPrior)
	}
	return float64(c.GainedNS)
}

// split divides the running time of an interval among rows: the time that probes measured,
// less their own, out of which untimed callees get what samples say. It keeps the sum. Joules
// are only in proportion (power x time), with the power of the row that the time was measured
// for: samples are too few to know the callee's.
func (p *Totals) split(v *Interval, w *Powers) map[int]Share {
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

// gains are the gains of all rows, and their sum. What probes added to the code of hot
// functions goes to the probes.
func (p *Totals) gains(v *Interval) (gains map[int]float64, all float64) {
	gains = make(map[int]float64)
	var frames float64
	for _, row := range sortedRows(v.Counts) {
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

// lose takes time from the rows for which it was measured, in proportion to what samples saw
// each lose, and returns the amount taken, which may be less than wanted.
func (p *Totals) lose(v *Interval, shares map[int]Share, want float64, domains int) (taken Amount) {
	taken.Joules = make([]float64, domains)
	if want == 0 {
		return taken
	}
	parts := make(map[int]float64, len(shares))
	var sum float64
	prior := totalsPrior * p.period()
	for _, row := range sortedRows(v.Counts) {
		c, part := v.Counts[row], p.lostRatio(row)
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
	for _, row := range sortedRows(shares) { // they had less than that: take from all
		parts[row] = shares[row].SelfNS
		sum += parts[row]
	}
	if sum > 0 {
		taken.take(shares, parts, (want-taken.NS)/sum)
	}
	return taken
}

// take adds to an amount what it takes from each row: its part times the factor, at most all
// that the row has.
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

// cumulative fills in the times with callees. For untimed calls they come from samples, and
// nobody knows how long these calls waited.
func (p *Totals) cumulative(row int, c probe.Count, s Share) Share {
	if untimedCalls(c) > 0 && !p.timedBlock(row) {
		waited := s.WallNS - s.CumNS
		perCall := float64(p.rows[row].BelowNS) / float64(p.rows[row].N)
		s.CumNS = p.estimate(float64(c.N), float64(c.BelowNS), perCall, totalsPrior)
		s.CumNS = max(s.SelfNS, s.CumNS-s.FramesNS)
		s.WallNS = s.CumNS + waited
	}
	s.CumNS = max(s.SelfNS, s.CumNS)
	s.WallNS = max(s.CumNS, s.WallNS)
	return s
}
