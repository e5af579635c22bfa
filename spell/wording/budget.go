package wording

import "spell-lsp/spell/note"

// budgetTexts: whether the budgets in comments of the source are kept.
var budgetTexts = map[note.Code]string{
	note.BudgetKeptCode:      "[{subject}: ]budget of {limit} is kept: {measured}",
	note.BudgetBrokenCode:    "[{subject}: ]budget of {limit} is broken: {measured}",
	note.BudgetUndecidedCode: "[{subject}: ]budget of {limit} is undecided: {measured}",
	note.BudgetEnergyCode:    "{value_j}[ {source}][ ({low_j|0} to {high_j})][, {remark}]",
	note.BudgetTimeCode:      "{value_ms}[ ({low_ms|0} to {high_ms})][, {remark}]",
	note.BudgetCallsCode:     "{calls:call|calls}[ in {test}]",
	note.BudgetEditedCode:    "{verdict}, measured before this edit",
}
