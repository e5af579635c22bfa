package wording

import "spell-lsp/spell/note"

// verdictTexts: why a change has the verdict that it has.
var verdictTexts = map[note.Code]string{
	note.BelowResolutionCode:      "below resolution",
	note.TooSmallCode:             "it uses less than 0.5 % of either run",
	note.TooShortCode:             "it ran for less than {least_ms} in all rounds together, too short for the samples that its time may rest on",
	note.RanInOtherTestsCode:      "the runs differ in what they measured: it also ran in tests that do not count in both (they failed, or only one run has them), and its rounds cannot be told apart",
	note.TotalRanInOtherTestsCode: "the runs differ in what they measured: components also ran in tests that do not count in both (they failed, or only one run has them), and their rounds cannot be told apart",
	note.NoCommonTestCode:         "no test counts in both runs (all failed, were skipped or are in one run only)",
	note.TotalByTestOnlyCode:      "the energy of a domain is known by test only, and not in each round",
	note.ExcludesDifferCode:       "the runs leave out different code (exclude), so the sums of their components are not of the same",
	note.NoRoundsCode:             "there are no values of single rounds: measure both, with {@option rounds}",
	note.EnergyNotKnownCode:       "no energy is known",
	note.MachineHidesCode:         "the machine may hide a change: a fixed piece of work took {slower_change~} time in {@head}",
	note.MachineExplainsCode:      "the machine may explain the change: a fixed piece of work took {slower_change~} time in {@head}",
	note.TooFewRoundsCode:         "too few rounds: {pairs:pair} can show no p below {least_p}, and {needed_p}[ of {members} {kind}] would be needed: measure both with {@option rounds}",
	note.RoundsVaryCode:           "the rounds differ too much among themselves",
	note.WithinSpreadCode:         "two runs of the same code may differ as much",
	note.PowerErrorsCode:          "the errors of the powers explain the change",
	note.BodyChangedCode:          "body changed",
	note.SameBodyCode:             "same body: it got {became} although its code is the same (its callees are not in this; inputs or callers changed)",
}
