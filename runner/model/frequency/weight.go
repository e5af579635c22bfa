// Package frequency weighs the power of busy processors by the frequency at which they run,
// where the kernel shows it (Documentation/admin-guide/pm/cpufreq.rst).
//
// The dynamic power of a processor is c·f·V² (Noureddine, Bourdon, Rouvoy and Seinturier, "A
// Preliminary Study of the Impact of Software Engineering on GreenIT", GREENS 2012, which is
// the formula of PowerAPI; the kernel's energy model has it too, Documentation/power/energy-model.rst).
// Weights are relative to the base frequency, so that c drops out.
//
// Limits: no processor tells its voltages, so these follow a documented line, see Range. What is
// known is the frequency of each processor over the last Window or at its end, and who was busy in
// units of 10 ms: of shorter pieces of a program only the mean is right. Frequencies of processors
// that were idle count nothing.
package frequency

// A Range is what a processor can do, in kHz.
type Range struct {
	Lowest, Base, Highest float64
}

// lowVoltage is the voltage at the lowest frequency relative to that at the highest: 0.956 V at 600
// MHz and 1.484 V at 1.6 GHz, the ends of a table whose other four entries are within 4 % of the
// line between them ("Enhanced Intel SpeedStep Technology for the Intel Pentium M Processor", Intel
// white paper 301170-001, 2004). Makers have published no such table since.
const lowVoltage = 0.956 / 1.484

// voltage is relative to that at the highest frequency.
func (r Range) voltage(khz float64) float64 {
	if r.Highest <= r.Lowest {
		return 1
	}
	part := (khz - r.Lowest) / (r.Highest - r.Lowest)
	return lowVoltage + (1-lowVoltage)*min(max(part, 0), 1)
}

// Weight is the dynamic power at a frequency relative to that at the base frequency, where it is 1.
func (r Range) Weight(khz float64) float64 {
	v := r.voltage(khz) / r.voltage(r.Base)
	return khz / r.Base * v * v
}

// mostRatio is the highest frequency that is believed, relative to the base: efficient cores of
// laptops have a base below 1 GHz and a turbo of 4.
const mostRatio = 8

func (r Range) believes(khz float64) bool { return khz > 0 && khz <= mostRatio*r.Base }
