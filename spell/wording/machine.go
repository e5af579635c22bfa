package wording

import "spell-lsp/spell/note"

// machineTexts: how the machines of two runs differ.
var machineTexts = map[note.Code]string{
	note.ProcessorsDifferCode:    "processor {base_cpu} and {head_cpu}",
	note.CoresDifferCode:         "cores {base_cores} and {head_cores}",
	note.SystemsDifferCode:       "system {base_os} and {head_os}",
	note.ArchitecturesDifferCode: "architecture {base_arch} and {head_arch}",
	note.OneVirtualCode:          "one of them virtual",
}
