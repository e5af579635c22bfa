package note

// Codes: why a meter does not work, or what it leaves out.
const (
	MeterUnusableCode     Code = "meter.unusable"
	MeterNeedsRemedyCode  Code = "meter.needs-remedy"
	ReadUnevenlyCode      Code = "meter.read-unevenly"
	MemoryNotMeasuredCode Code = "meter.memory-not-measured"
	DomainFrozenCode      Code = "meter.domain-frozen"
	NoJoulesCode          Code = "meter.no-joules"
	NetEstimatedCode      Code = "meter.net-estimated"
)

// MeterUnusable says: a meter does not work here, and nothing helps.
func MeterUnusable(meter, why string) Note {
	return Note{MeterUnusableCode, Args{"meter": meter, "reason": why}}
}

// MeterNeedsRemedy says: a meter does not work here; there is a remedy.
func MeterNeedsRemedy(meter, why, remedy string) Note {
	return Note{MeterNeedsRemedyCode, Args{"meter": meter, "reason": why, "remedy": remedy}}
}

// ReadUnevenly says: 99 of 100 readings came within the gap after the one before.
func ReadUnevenly(gap float64) Note {
	return Note{ReadUnevenlyCode, Args{"gap_p99_ms": gap}}
}

// MemoryNotMeasured says: the energy of the memory is not measured.
func MemoryNotMeasured(err string) Note {
	return Note{MemoryNotMeasuredCode, Args{"error": err}}
}

// DomainFrozen says: the counter of a domain does not move.
func DomainFrozen(domain string) Note {
	return Note{DomainFrozenCode, Args{"domain": domain}}
}

// NoJoules says: the model knows no power of this processor.
func NoJoules(basis string) Note {
	return Note{NoJoulesCode, Args{"basis": basis}}
}

// NetEstimated says: the energy of the network is estimated by bytes.
func NetEstimated(perByte float64) Note {
	return Note{NetEstimatedCode, Args{"byte_j": perByte}}
}
