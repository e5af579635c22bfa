package note

// Codes: how the machines of two runs differ, and what a machine did while it measured.
const (
	ProcessorsDifferCode    Code = "machine.processors-differ"
	CoresDifferCode         Code = "machine.cores-differ"
	SystemsDifferCode       Code = "machine.systems-differ"
	ArchitecturesDifferCode Code = "machine.architectures-differ"
	OneVirtualCode          Code = "machine.one-virtual"
	ThrottledCode           Code = "machine.throttled"
	QuotaReachedCode        Code = "machine.quota-reached"
	FrequencyNotHeldCode    Code = "machine.frequency-not-held"
	BusyCode                Code = "machine.busy"
)

// ProcessorsDiffer says: the machines have different processors.
func ProcessorsDiffer(base, head string) Note {
	return Note{ProcessorsDifferCode, Args{"base_cpu": base, "head_cpu": head}}
}

// CoresDiffer says: the machines have different numbers of cores.
func CoresDiffer(base, head int) Note {
	return Note{CoresDifferCode, Args{"base_cores": float64(base), "head_cores": float64(head)}}
}

// SystemsDiffer says: the machines have different operating systems.
func SystemsDiffer(base, head string) Note {
	return Note{SystemsDifferCode, Args{"base_os": base, "head_os": head}}
}

// ArchitecturesDiffer says: the machines have different architectures.
func ArchitecturesDiffer(base, head string) Note {
	return Note{ArchitecturesDifferCode, Args{"base_arch": base, "head_arch": head}}
}

// OneVirtual says: one of the machines is virtual.
func OneVirtual() Note {
	return Note{OneVirtualCode, Args{}}
}

// Throttled says: processors were slowed down during the rounds, as they were too hot.
func Throttled(processors, of int) Note {
	return Note{ThrottledCode, Args{"processors": float64(processors), "of_processors": float64(of)}}
}

// QuotaReached says: the control group used up its CPU time, and was stopped; the quota is CPU time per time, and the time of stops is the sum over all processors.
func QuotaReached(quota float64, times int, ms float64) Note {
	return Note{QuotaReachedCode, Args{"quota_cpus": quota, "times": float64(times), "stopped_ms": ms}}
}

// FrequencyNotHeld says: the frequency of the processors could change while a counter of energy was read.
func FrequencyNotHeld(how []string) Note {
	return Note{FrequencyNotHeldCode, Args{"how": how}}
}

// Busy says: other programs kept the processors busy during the tests, of all their time.
func Busy(others float64) Note {
	return Note{BusyCode, Args{"others_share": others}}
}
