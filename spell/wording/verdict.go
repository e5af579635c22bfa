package wording

import "spell-lsp/spell/note"

// verdictTexts: why a change has the verdict that it has.
var verdictTexts = map[note.Code]string{
	note.BelowResolutionCode:      "below resolution",
	note.TooSmallCode:             "it uses less than 0.5 % of either run",
	note.TooShortCode:             "it ran for less than {least_ms} in all rounds together, too short for the samples that its time may rest on",
	note.RanInOtherTestsCode:      "its per-round values include tests that do not count in both runs (they failed, or only one run has them)",
	note.TotalRanInOtherTestsCode: "the per-round values of components include tests that do not count in both runs (they failed, or only one run has them)",
	note.NoCommonTestCode:         "no test counts in both runs (all failed, were skipped or are in one run only)",
	note.TotalByTestOnlyCode:      "the energy of a domain is known by test only, and not by round",
	note.ExcludesDifferCode:       "the runs exclude different code (setting exclude), so that their sums cannot be compared",
	note.NoRoundsCode:             "there are no values by round: measure both with {@option rounds}",
	note.EnergyNotKnownCode:       "no energy is known",
	note.MachineHidesCode:         "the machine may hide a change: the reference workload took {slower_change~} time in {@head}",
	note.MachineExplainsCode:      "the machine may explain the change: the reference workload took {slower_change~} time in {@head}",
	note.TooFewRoundsCode:         "too few rounds: {pairs:pair} cannot give a p below {least_p}, and a verdict[ on one of {members} {kind}] needs {needed_p}: measure both with {@option rounds}",
	note.RoundsVaryCode:           "the rounds of a run vary too much",
	note.WithinSpreadCode:         "two runs of the same code may differ by as much",
	note.PowerErrorsCode:          "the error of the fitted watts explains the change",
	note.BodyChangedCode:          "body changed",
	note.SameBodyCode:             "same body: its cost changed although its code did not (callees are not included; inputs or callers changed)",
}
