package execution

// A Moment is the state of clocks from which two moments tell whether the machine slept, or its
// host took processors away, in between.
type Moment struct {
	AwakeNS  int64 // CLOCK_MONOTONIC, which stops while the machine sleeps
	AsleepNS int64 // time asleep so far: CLOCK_BOOTTIME - CLOCK_MONOTONIC
	StealNS  int64 // steal time of all processors (/proc/stat)
}

// Moment is now, with the steal time of the last reading.
func (m *Meter) Moment() Moment { return machineNow(m.stealNS) }
