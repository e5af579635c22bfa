package alternatives

import (
	"math"

	"spell-lsp/spell/record"
)

// sampledBytes is the mean number of bytes from one sample of an allocation to the next. The distances are
// uniform from 0 to twice that.
const sampledBytes = 128 << 10

// alternative has the values of a row.
func alternative(r *record.Run, row row) Alternative {
	t := row.test
	a := Alternative{Name: row.name, Test: t.Name, time: t.RoundTimeMS, TimeMS: amount(r, t.TimeMS, t.RoundTimeMS), Bytes: bytes(t)}
	if t.TimeMS > 0 {
		a.ProbeShare = min(1, t.ProbeMS/t.TimeMS)
	}
	if !r.Meter.KnowsEnergy() || t.BelowResolution {
		return a
	}
	a.energy = t.EnergyByRound(r.Meter.Domains)
	energy := amount(r, t.EnergyJ.Total(), a.energy)
	a.EnergyJ = &energy
	return a
}

// amount is a mean with the interval that the rounds give it.
func amount(r *record.Run, mean float64, byRound []float64) Amount {
	a := Amount{Mean: mean}
	if len(byRound) > 1 {
		half := record.Normal95 * record.MeanError(byRound, r.Nodes)
		a.CI = &[2]float64{max(0, mean-half), mean + half}
	}
	return a
}

// bytes are what an operation allocated. The error is that of sampling: the number of samples in B bytes has the
// variance B / (3 * sampledBytes), as in a renewal process with uniform distances. Large objects are all met, so this
// is an upper bound.
func bytes(t *record.Test) Amount {
	operations := max(1, t.Repeats) * max(1, float64(t.Rounds))
	half := record.Normal95 * math.Sqrt(t.AllocBytes*operations*sampledBytes/3) / operations
	return Amount{t.AllocBytes, &[2]float64{max(0, t.AllocBytes-half), t.AllocBytes + half}}
}

// WhyTime says why the energy of a meter does not decide; "" if it does.
func WhyTime(m *record.Meter) Reason {
	switch {
	case !m.KnowsEnergy():
		return NoCounter
	case m.Origin() != record.Measured:
		return Estimated
	}
	return ""
}

// decide says which quantity decides.
func (s *Size) decide(r *record.Run) {
	s.Decides, s.WhyTime = Energy, WhyTime(&r.Meter)
	if s.WhyTime != "" {
		s.Decides = Time
	}
	for i := range s.Alternatives {
		if e := s.Alternatives[i].EnergyJ; s.Decides == Energy && (e == nil || e.Mean <= 0) {
			s.Decides, s.WhyTime = Time, BelowResolution
		}
	}
}
