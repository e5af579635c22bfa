package attribution

import "spell-lsp/instrument/probe"

// probesGain is the time of the probes of untimed calls in an interval. That of timed calls
// has been taken out of the time that they measured.
func (t *Totals) probesGain(v *Interval) float64 {
	var calls, timedCost float64
	for _, row := range sortedRows(v.Counts) {
		calls += t.probed(row, v.Counts[row])
		timedCost += v.Cost.remove(v.Counts[row]).ProbesNS
	}
	seen := max(0, float64(v.Counts[t.probesRow()].GainedNS)-timedCost)
	if t.probeNS() == 0 {
		return seen
	}
	return t.estimate(calls, seen, t.probeNS(), totalsPrior)
}

// probed is how many calls of a row had the probe of an untimed call.
func (t *Totals) probed(row int, c probe.Count) float64 {
	if t.timedBlock(row) {
		return 0
	}
	return untimedCalls(c)
}

// gain is the time in which a row ran, but was measured as that of its timed caller.
func (t *Totals) gain(row int, v *Interval) float64 {
	c := v.Counts[row]
	switch {
	case t.timedBlock(row):
		return 0
	case row == t.probesRow():
		return t.probesGain(v)
	case untimedCalls(c) > 0:
		return t.estimate(untimedCalls(c), float64(c.GainedNS), t.perCall(row), totalsPrior)
	}
	return float64(c.GainedNS)
}

// split divides the running time of an interval among rows: the time that probes measured,
// less the probes' own; untimed callees get a share of it by their samples. It keeps the sum. Joules
// are only in proportion (power x time), with the power of the row that the time was measured
// for: samples are too few to know the callee's.
func (t *Totals) split(v *Interval, w *Powers) map[int]Share {
	shares := make(map[int]Share, len(v.Counts)+1)
	gains, all := t.gains(v)
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
	moved := t.lose(v, shares, all, w.domains)
	for row, gain := range gains {
		s := shares[row]
		s.SelfNS += moved.NS * gain / all
		for d := range s.Joules {
			s.Joules[d] += moved.Joules[d] * gain / all
		}
		shares[row] = s
	}
	for row, s := range shares {
		s.FramesNS = t.frames(row, v)
		shares[row] = t.cumulative(row, v.Counts[row], s)
	}
	return shares
}

// gains are the gains of all rows, and their sum. What probes added to the code of hot
// functions goes to the probes.
func (t *Totals) gains(v *Interval) (gains map[int]float64, all float64) {
	gains = make(map[int]float64)
	var frames float64
	for _, row := range sortedRows(v.Counts) {
		gain := t.gain(row, v)
		frame := min(gain, t.frames(row, v))
		if gain > frame {
			gains[row] = gain - frame
		}
		frames += frame
		all += gain
	}
	if _, seen := v.Counts[t.probesRow()]; !seen {
		gain := t.gain(t.probesRow(), v)
		frames += gain
		all += gain
	}
	if frames > 0 {
		gains[t.probesRow()] += frames
	}
	return gains, all
}

// lose takes time from the rows for which it was measured, in proportion to what samples saw
// each lose, and returns the amount taken, which may be less than wanted.
func (t *Totals) lose(v *Interval, shares map[int]Share, want float64, domains int) (taken Amount) {
	taken.Joules = make([]float64, domains)
	if want == 0 {
		return taken
	}
	parts := make(map[int]float64, len(shares))
	var sum float64
	prior := totalsPrior * t.period()
	for _, row := range sortedRows(v.Counts) {
		c, part := v.Counts[row], t.lostRatio(row)
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
func (t *Totals) cumulative(row int, c probe.Count, s Share) Share {
	if untimedCalls(c) > 0 && !t.timedBlock(row) {
		waited := s.WallNS - s.CumNS
		perCall := float64(t.rows[row].BelowNS) / float64(t.rows[row].N)
		s.CumNS = t.estimate(float64(c.N), float64(c.BelowNS), perCall, totalsPrior)
		s.CumNS = max(s.SelfNS, s.CumNS-s.FramesNS)
		s.WallNS = s.CumNS + waited
	}
	s.CumNS = max(s.SelfNS, s.CumNS)
	s.WallNS = max(s.CumNS, s.WallNS)
	return s
}
