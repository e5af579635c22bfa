package wording

import "spell-lsp/spell/note"

// comparisonTexts: what a reader must know of two runs, why a verdict was given, and why runs are not compared.
var comparisonTexts = map[note.Code]string{
	note.SameRunCode:             "{@base} and {@head} are the same run, {run}.",
	note.BaseInterruptedCode:     "{@base} was interrupted: only what was measured until then is compared.",
	note.HeadInterruptedCode:     "{@head} was interrupted: only what was measured until then is compared.",
	note.ModulesDifferCode:       "{@base} is of the module {base_module}, {@head} of {head_module}.",
	note.HostUnknownCode:         "One run does not say on which machine it was measured.",
	note.CompilersDifferCode:     "{@base} was built by {base_go}, {@head} by {head_go}: what differs may be the compiler's work.",
	note.MeterNamesDifferCode:    "{@base} was metered by {base_meter}, {@head} by {head_meter}.",
	note.EstimatesDifferCode:     "Joules are estimated from different watts for a busy processor, {base_w} in {@base} and {head_w} in {@head}: compare times, or measure both anew.",
	note.ReadingsDifferCode:      "Only one of the runs had many late meter readings.",
	note.ModesDifferCode:         "{@base} was measured in mode {base_mode}, {@head} in mode {head_mode}.",
	note.MachineChangedCode:      "The speed of the machine changed: the reference workload took {slower_change~} time in {@head}. Changes that this may explain or hide are not decided: measure both runs one after the other, on a quiet machine.",
	note.SettingsDifferCode:      "The runs were measured with different settings: {settings}.",
	note.AnalysesDifferCode:      "The runs were analysed differently (oracle, weights or tests that count): their psi, ranks and zones are not comparable.",
	note.EnergyOneSidedCode:      "Only one of the runs has energy: executions and time are compared.",
	note.BaseDomainsOnlyCode:     "only {@base} has energy of {domains}, which is not compared",
	note.HeadDomainsOnlyCode:     "only {@head} has energy of {domains}, which is not compared",
	note.NoCommonEnergyCode:      "The runs have no domain in common: executions and time are compared.",
	note.DomainsByTestInBothCode: "The energy of {domains} is compared by test and in total only: neither run knows which component used it.",
	note.DomainsByTestInBaseCode: "The energy of {domains} is compared by test and in total only: {@base} does not know which component used it, so that of the components of {@head} is left out.",
	note.DomainsByTestInHeadCode: "The energy of {domains} is compared by test and in total only: {@head} does not know which component used it, so that of the components of {@base} is left out.",
	note.GranularitiesDifferCode: "{@base} is by {base_kind}, {@head} by {head_kind}",
	note.SourcesDifferCode:       "the energy of {@base} is {base_source} (meter {base_meter}), that of {@head} is {head_source} (meter {head_meter})",
	note.MachinesDifferCode:      "{@base} and {@head} were measured on different machines ({differences;})",
	note.SameGranularityCode:     "measure both with the same {@option granularity}",
	note.SameMeterCode:           "measure both with the same {@option meter}[, or pass {@flag across-meters}]",
	note.SameMachineCode:         "measure both on one machine[, or pass {@flag across-machines}]",
	note.CompareMetersCode:       "The energy of {@base} is {base_source} (meter {base_meter}), that of {@head} is {head_source} (meter {head_meter}): the difference may come from the meters alone.",
	note.CompareMachinesCode:     "{@base} and {@head} were measured on different machines ({differences;}): the difference may come from the machines alone.",
}
