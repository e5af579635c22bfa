package note

// Codes: what a reader must know of a ranking.
const (
	NoTestCountsCode         Code = "ranking.no-test"
	NothingRanCode           Code = "ranking.nothing-ran"
	EnergyUnweightedCode     Code = "ranking.energy-unweighted"
	EnergyZeroCode           Code = "ranking.energy-zero"
	EnergyUnknownCode        Code = "ranking.energy-unknown"
	ExecutionsUnknownCode    Code = "ranking.executions-unknown"
	TimeUnknownCode          Code = "ranking.time-unknown"
	AllPsiZeroCode           Code = "ranking.all-zero"
	OracleUnknownCode        Code = "ranking.oracle-unknown"
	WeightInvalidCode        Code = "ranking.weight-invalid"
	DomainUnweightedCode     Code = "ranking.domain-unweighted"
	WeightUnusedCode         Code = "ranking.weight-unused"
	EnergyByTestOnlyCode     Code = "energy.by-test-only"
	EnergySharedByTimeCode   Code = "energy.shared-by-time"
	EnergyOriginUnstatedCode Code = "energy.origin-unstated"
	ImbalanceCode            Code = "energy.imbalance"
)

// NoTestCounts says: no test counts: they failed, were skipped, or there are none.
func NoTestCounts() Note {
	return Note{NoTestCountsCode, Args{}}
}

// NothingRan says: no test ran any component.
func NothingRan() Note {
	return Note{NothingRanCode, Args{}}
}

// EnergyUnweighted says: no domain that has energy has a weight.
func EnergyUnweighted() Note {
	return Note{EnergyUnweightedCode, Args{}}
}

// EnergyZero says: the energy of every component is 0 J.
func EnergyZero() Note {
	return Note{EnergyZeroCode, Args{}}
}

// EnergyUnknown says: no energy is known.
func EnergyUnknown() Note {
	return Note{EnergyUnknownCode, Args{}}
}

// ExecutionsUnknown says: no executions were counted.
func ExecutionsUnknown() Note {
	return Note{ExecutionsUnknownCode, Args{}}
}

// TimeUnknown says: no running time was recorded.
func TimeUnknown() Note {
	return Note{TimeUnknownCode, Args{}}
}

// AllPsiZero says: no component has energy, executions and time in one test.
func AllPsiZero() Note {
	return Note{AllPsiZeroCode, Args{}}
}

// OracleUnknown says: the oracle that was asked for is not known.
func OracleUnknown(oracle, used string) Note {
	return Note{OracleUnknownCode, Args{"oracle": oracle, "used": used}}
}

// WeightInvalid says: a weight is out of range, or no number.
func WeightInvalid(domain, weight string) Note {
	return Note{WeightInvalidCode, Args{"domain": domain, "weight": weight}}
}

// DomainUnweighted says: a domain has energy and no weight.
func DomainUnweighted(domain string) Note {
	return Note{DomainUnweightedCode, Args{"domain": domain}}
}

// WeightUnused says: a weight was set whose energy is not known by component.
func WeightUnused(domain string, weight float64, kind string) Note {
	return Note{WeightUnusedCode, Args{"domain": domain, "weight": weight, "kind": kind}}
}

// EnergyByTestOnly says: the energy of domains is known by test, not by component; the reason may be "".
func EnergyByTestOnly(domains []string, kind, reason string) Note {
	return Note{EnergyByTestOnlyCode, Args{"domains": domains, "kind": kind, "reason": reason}}
}

// EnergySharedByTime says: an older version shared the energy of bytes moved by CPU time.
func EnergySharedByTime(domains []string, kind string) Note {
	return Note{EnergySharedByTimeCode, Args{"domains": domains, "kind": kind}}
}

// EnergyOriginUnstated says: a file does not say whether its energy was measured.
func EnergyOriginUnstated() Note {
	return Note{EnergyOriginUnstatedCode, Args{}}
}

// Imbalance says: components and unattributed energy do not add up to that of a test.
func Imbalance(share float64) Note {
	return Note{ImbalanceCode, Args{"off_share": share}}
}
