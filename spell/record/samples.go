package record

// probedPeriodMS is the CPU time between two samples of the stack in a program with probes: the timer
// is set to one millisecond, but fires at kernel ticks, mostly 250 a second.
const probedPeriodMS = 4

// MinSamples is the number of samples from which on their number spreads as Poisson has it: with
// fewer, two runs of the same code were seen to differ by more.
const MinSamples = 16

// SamplePeriodMS is the CPU time between two samples of the stack, in milliseconds.
func (r *Run) SamplePeriodMS() float64 {
	if r.Mode == "sample" && r.PeriodMS > 0 {
		return r.PeriodMS
	}
	return probedPeriodMS
}

// SampledMS is the running time in a cell over all rounds and repetitions, in milliseconds.
func (r *Run) SampledMS(cell int) float64 {
	c := r.Matrix.Cells[cell]
	return c.TimeMS * float64(r.Rounds) * max(1, r.Tests[c.Test].Repeats)
}

// TooShort tells, by component, which ran for too little time in all tests and rounds together for
// MinSamples samples. A record does not say which components were sampled, so this holds for all but
// those of matrices.
func (r *Run) TooShort() []bool {
	short, ms := make([]bool, len(r.Components)), make([]float64, len(r.Components))
	for i, c := range r.Matrix.Cells {
		ms[c.Component] += r.SampledMS(i)
	}
	for i := range short {
		short[i] = ms[i] < MinSamples*r.SamplePeriodMS() && !r.Meter.OfMatrix()
	}
	return short
}
