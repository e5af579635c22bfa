package wording

import "spell-lsp/spell/note"

// gateTexts: why a rule of --fail-on is broken, or holds although it may look otherwise.
// What breaks a rule is a sentence; the others follow "holds: ".
var gateTexts = map[note.Code]string{
	note.EnergyBeyondCode:        "{component|@head} uses {energy_j}[ ({source})] per round.",
	note.TimeBeyondCode:          "{component|@head} runs for {time_ms} per round.",
	note.ExecutionsBeyondCode:    "{component|@head} makes {executions} executions per round.",
	note.PsiBeyondCode:           "{component|@head} has psi {psi}.",
	note.RedCode:                 "{component} is red: rank {rank}, psi {psi}.",
	note.EnergyChangeCode:        "{@change j}",
	note.TimeChangeCode:          "{@change ms}",
	note.UsesCode:                "{component|@head} uses {change}",
	note.UsesMoreCode:            "{uses} (p {corrected_p}).[ Significantly: {components;}.]",
	note.MoreUndecidedCode:       "{uses}, but that is not decided: {reason}",
	note.MoreByChanceCode:        "{uses}, but that is not significant ({reason})",
	note.ChangeUndecidedCode:     "{uses}, and it is undecided whether it really changed: {reason}",
	note.CorrectedPCode:          "p {corrected_p}",
	note.MoreExecutionsCode:      "{component|@head} makes {head_executions} executions, {@change executions}.",
	note.MorePsiCode:             "the psi of {component|@head} is {head_psi}, {@change psi}.",
	note.PsiOverlapsCode:         "the psi of {component|@head} is {head_psi}, {@change psi}, but its intervals in the two runs overlap or are not known",
	note.OthersBeyondCode:        "{others:other component is|other components are} beyond the limit, but with changes that are undecided or not significant",
	note.NewAndRedCode:           "{component} is red, and not in {@base}: psi {psi}.",
	note.BecameRedCode:           "{component} is red, and was {base_zone|in no zone}: it uses {change}; psi {head_psi}, before {base_psi}.",
	note.BecameRedUndecidedCode:  "{component} is red and was {base_zone|in no zone}; whether it got more expensive is not decided: {reason}",
	note.BecameRedByOthersCode:   "{component} is red and was {base_zone|in no zone}, but did not get more expensive ({reason})",
	note.RedInOtherTestsCode:     "{component} is red in {@head}, but not by the tests that count in both runs",
	note.NotInBaseCode:           "{component} is new in {@head}",
	note.NotInHeadCode:           "{component} is not in {@head} any more",
	note.DomainsNotLimitedCode:   "the energy of {domains} is compared by test and in total only",
	note.DomainsNotCountedCode:   "the energy of {domains} is known by test only and is not counted",
	note.NoBudgetCode:            "nothing that was measured has a budget",
	note.AmountsUnknownCode:      "{amounts:amount of a budget has|amounts of budgets have} no verdict, as no test that counts ran the function, or the energy is not known, or calls were not counted",
	note.GrowthBeyondCode:        "{subject} grows with the exponent {exponent} ({low_exponent} to {high_exponent})[ in {series}].",
	note.GrowthUncertainCode:     "{subject} grows with the exponent {exponent}[ in {series}], but its interval ({low_exponent} to {high_exponent}) is not above the limit",
	note.MoreGrowthCode:          "{subject} grows with the exponent {exponent} ({low_exponent} to {high_exponent})[ in {series}], and in {@base} with {base_exponent} ({base_low_exponent} to {base_high_exponent}).",
	note.MoreGrowthUncertainCode: "{subject} grows with the exponent {exponent}[ in {series}], and in {@base} with {base_exponent}, but the interval of the difference begins at {low_exponent}",
	note.GrowthsUncertainCode:    "{growths:other growth is|other growths are} beyond the limit, but with intervals that reach below it",
	note.GrowthsUnknownCode:      "{growths:growth has|growths have} no formula (too few sizes, or not enough spread)",
	note.GrowthsNotInBaseCode:    "{growths:growth has|growths have} no counterpart in {@base} (new, without a formula there, or of time in one run and of energy in the other)",
	note.FailedNotCountedCode:    "{tests:test that did not pass is|tests that did not pass are} not counted, and may cost more",
}
