package wording

import "spell-lsp/spell/note"

// rankingTexts: what a reader must know of a ranking.
var rankingTexts = map[note.Code]string{
	note.NoTestCountsCode:         "no test or program counts: there is nothing to rank",
	note.NothingRanCode:           "no test or program ran any component: there is nothing to rank",
	note.EnergyUnweightedCode:     "no domain that has energy has a weight: psi leaves energy out",
	note.EnergyZeroCode:           "the energy of every component is 0 J: psi leaves it out",
	note.EnergyUnknownCode:        "no energy is known: psi leaves it out",
	note.ExecutionsUnknownCode:    "no executions were counted: psi leaves them out",
	note.TimeUnknownCode:          "no running time was recorded: psi leaves it out",
	note.AllPsiZeroCode:           "no component has every category that psi counts in one row of the matrix: every psi is 0",
	note.OracleUnknownCode:        "oracle \"{oracle}\" is not known: {used} was used",
	note.WeightInvalidCode:        "the weight of {domain} is {weight}, but must be from 0 to 1e+30: its energy does not count in psi",
	note.DomainUnweightedCode:     "{domain} has no weight: its energy does not count in psi",
	note.WeightUnusedCode:         "the weight {weight} of {domain} does not count: its energy is not known by {kind}",
	note.EnergyByTestOnlyCode:     "The energy of {domains} is known by test only[, {reason}]: no {kind} has a share of it, psi leaves it out whatever its weight, and all of it is unattributed.",
	note.EnergySharedByTimeCode:   "The energy of {domains} was divided by CPU time, which does not tell which {kind} moved the bytes: the share of a {kind} means nothing. Measure again to leave it out.",
	note.EnergyOriginUnstatedCode: "The file does not say whether its energy was measured or estimated.",
	note.ImbalanceCode:            "The parts do not add up: components and unattributed energy differ from the energy of a test by {off_share}.",
}
