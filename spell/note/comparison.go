package note

// Codes: what a reader must know of two runs, why a verdict was given, and why runs are not compared.
const (
	SameRunCode             Code = "comparison.same-run"
	BaseInterruptedCode     Code = "comparison.base-interrupted"
	HeadInterruptedCode     Code = "comparison.head-interrupted"
	ModulesDifferCode       Code = "comparison.modules-differ"
	HostUnknownCode         Code = "comparison.host-unknown"
	CompilersDifferCode     Code = "comparison.compilers-differ"
	MeterNamesDifferCode    Code = "comparison.meter-names-differ"
	EstimatesDifferCode     Code = "comparison.estimates-differ"
	ReadingsDifferCode      Code = "comparison.readings-differ"
	ModesDifferCode         Code = "comparison.modes-differ"
	MachineChangedCode      Code = "comparison.machine-changed"
	SettingsDifferCode      Code = "comparison.settings-differ"
	AnalysesDifferCode      Code = "comparison.analyses-differ"
	EnergyOneSidedCode      Code = "comparison.energy-one-sided"
	BaseDomainsOnlyCode     Code = "comparison.base-domains-only"
	HeadDomainsOnlyCode     Code = "comparison.head-domains-only"
	NoCommonEnergyCode      Code = "comparison.no-common-energy"
	DomainsByTestInBothCode Code = "comparison.domains-by-test"
	DomainsByTestInBaseCode Code = "comparison.base-domains-by-test"
	DomainsByTestInHeadCode Code = "comparison.head-domains-by-test"
	GranularitiesDifferCode Code = "comparison.granularities-differ"
	SourcesDifferCode       Code = "comparison.sources-differ"
	MachinesDifferCode      Code = "comparison.machines-differ"
	SameGranularityCode     Code = "comparison.same-granularity"
	SameMeterCode           Code = "comparison.same-meter"
	SameMachineCode         Code = "comparison.same-machine"
	CompareMetersCode       Code = "comparison.across-meters"
	CompareMachinesCode     Code = "comparison.across-machines"
)

// SameRun says: both runs are one.
func SameRun(id string) Note {
	return Note{SameRunCode, Args{"run": id}}
}

// BaseInterrupted says: the measurement of the base ended early.
func BaseInterrupted() Note {
	return Note{BaseInterruptedCode, Args{}}
}

// HeadInterrupted says: the measurement of the head ended early.
func HeadInterrupted() Note {
	return Note{HeadInterruptedCode, Args{}}
}

// ModulesDiffer says: the runs are of different modules.
func ModulesDiffer(base, head string) Note {
	return Note{ModulesDifferCode, Args{"base_module": base, "head_module": head}}
}

// HostUnknown says: one run does not name its machine.
func HostUnknown() Note {
	return Note{HostUnknownCode, Args{}}
}

// CompilersDiffer says: the runs were built by different Go releases.
func CompilersDiffer(base, head string) Note {
	return Note{CompilersDifferCode, Args{"base_go": base, "head_go": head}}
}

// MeterNamesDiffer says: the meters differ, but not in kind.
func MeterNamesDiffer(base, head string) Note {
	return Note{MeterNamesDifferCode, Args{"base_meter": base, "head_meter": head}}
}

// EstimatesDiffer says: joules are estimated from different watts for a second of CPU time, as before and after a calibration.
func EstimatesDiffer(base, head float64) Note {
	return Note{EstimatesDifferCode, Args{"base_w": base, "head_w": head}}
}

// ReadingsDiffer says: only one of the runs had many late meter readings.
func ReadingsDiffer() Note {
	return Note{ReadingsDifferCode, Args{}}
}

// ModesDiffer says: the runs were measured in different modes.
func ModesDiffer(base, head string) Note {
	return Note{ModesDifferCode, Args{"base_mode": base, "head_mode": head}}
}

// MachineChanged says: the reference workload took longer, or less long, in the head; relative.
func MachineChanged(slower float64) Note {
	return Note{MachineChangedCode, Args{"slower_change": slower}}
}

// SettingsDiffer says: settings that decide what is measured differ.
func SettingsDiffer(settings []string) Note {
	return Note{SettingsDifferCode, Args{"settings": settings}}
}

// AnalysesDiffer says: the runs were ranked in different ways.
func AnalysesDiffer() Note {
	return Note{AnalysesDifferCode, Args{}}
}

// EnergyOneSided says: only one of the runs has energy.
func EnergyOneSided() Note {
	return Note{EnergyOneSidedCode, Args{}}
}

// BaseDomainsOnly says: domains that only the base has.
func BaseDomainsOnly(domains []string) Note {
	return Note{BaseDomainsOnlyCode, Args{"domains": domains}}
}

// HeadDomainsOnly says: domains that only the head has.
func HeadDomainsOnly(domains []string) Note {
	return Note{HeadDomainsOnlyCode, Args{"domains": domains}}
}

// NoCommonEnergy says: the runs have energy, but of no common domain.
func NoCommonEnergy() Note {
	return Note{NoCommonEnergyCode, Args{}}
}

// DomainsByTestInBoth says: neither run knows the energy of domains by component.
func DomainsByTestInBoth(domains []string) Note {
	return Note{DomainsByTestInBothCode, Args{"domains": domains}}
}

// DomainsByTestInBase says: the base knows the energy of domains by test only.
func DomainsByTestInBase(domains []string) Note {
	return Note{DomainsByTestInBaseCode, Args{"domains": domains}}
}

// DomainsByTestInHead says: the head knows the energy of domains by test only.
func DomainsByTestInHead(domains []string) Note {
	return Note{DomainsByTestInHeadCode, Args{"domains": domains}}
}

// GranularitiesDiffer says: the runs are by different kinds of component.
func GranularitiesDiffer(base, head string) Note {
	return Note{GranularitiesDifferCode, Args{"base_kind": base, "head_kind": head}}
}

// SourcesDiffer says: one energy is measured, the other estimated or unknown.
func SourcesDiffer(base, baseMeter, head, headMeter string) Note {
	return Note{SourcesDifferCode, Args{"base_source": base, "base_meter": baseMeter, "head_source": head, "head_meter": headMeter}}
}

// MachinesDiffer says: the runs are of different machines.
func MachinesDiffer(differences []Note) Note {
	return Note{MachinesDifferCode, Args{"differences": differences}}
}

// CompareMeters says: caveat of a comparison across meters.
func CompareMeters(base, baseMeter, head, headMeter string) Note {
	return Note{CompareMetersCode, Args{"base_source": base, "base_meter": baseMeter, "head_source": head, "head_meter": headMeter}}
}

// CompareMachines says: caveat of a comparison across machines.
func CompareMachines(differences []Note) Note {
	return Note{CompareMachinesCode, Args{"differences": differences}}
}

// SameGranularity says: both runs should be measured by the same kind of component.
func SameGranularity() Note {
	return Note{SameGranularityCode, Args{}}
}

// SameMeter says: both runs should be measured with the same meter.
func SameMeter() Note {
	return Note{SameMeterCode, Args{}}
}

// SameMachine says: both runs should be measured on one machine.
func SameMachine() Note {
	return Note{SameMachineCode, Args{}}
}
