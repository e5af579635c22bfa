package execution

// A Moment is what tells whether a machine was left alone since another.
type Moment struct{ AwakeNS, AsleepNS, StealNS int64 }

// Moment is now; what the host has taken is known by the last reading.
func (m *Meter) Moment() Moment { return machineNow(m.stealNS) }
