package meter

// A CoreMeter has counters of single cores: Info().CoreCPUs is not empty. They are parts of the domain cpu, in no sum, and
// tell what ran on which core. Reading one takes an interrupt of that core, so they are read by themselves, and less often
// than the domains.
type CoreMeter interface {
	Meter
	// ReadCores fills joules, one value for each of Info().CoreCPUs, with the energy used since the meter was
	// opened. A counter that could not be read, or whose energy since the reading before is not known, is Missing.
	ReadCores(joules []float64)
}

// ReadCores reads the counters of cores of a meter that may be a CoreMeter; all are Missing of one that is none.
func ReadCores(m Meter, joules []float64) {
	if of, ok := m.(CoreMeter); ok {
		of.ReadCores(joules)
		return
	}
	for i := range joules {
		joules[i] = Missing()
	}
}
