package note

// Codes: how the machines of two runs differ.
const (
	ProcessorsDifferCode    Code = "machine.processors-differ"
	CoresDifferCode         Code = "machine.cores-differ"
	SystemsDifferCode       Code = "machine.systems-differ"
	ArchitecturesDifferCode Code = "machine.architectures-differ"
	OneVirtualCode          Code = "machine.one-virtual"
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
