package wording

import "spell-lsp/spell/note"

// machineTexts: how the machines of two runs differ, and what a machine did while it measured.
var machineTexts = map[note.Code]string{
	note.ProcessorsDifferCode:    "processor {base_cpu} and {head_cpu}",
	note.CoresDifferCode:         "cores {base_cores} and {head_cores}",
	note.SystemsDifferCode:       "system {base_os} and {head_os}",
	note.ArchitecturesDifferCode: "architecture {base_arch} and {head_arch}",
	note.OneVirtualCode:          "one of them virtual",
	note.ThrottledCode:           "The processor was too hot and was slowed down while it measured ({processors} of {of_processors:processor}): times are too long, and power is not the usual one. Let it cool down and measure again.",
	note.QuotaReachedCode:        "The CPU quota of this control group ({quota_cpus:processor}) was reached {times:time}, and the program was stopped for {stopped_ms}, summed over processors: running times have pauses in them that are not the program's.",
	note.FrequencyNotHeldCode:    "The frequency of the processors was not held ({how}): figures of two runs can differ by that alone (spell-lsp doctor tells how to hold it).",
	note.BusyCode:                "Other programs used {others_share} of the processors while it measured: they share caches, memory and the power limit with the program.",
}
