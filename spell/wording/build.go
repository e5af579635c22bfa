package wording

import "spell-lsp/spell/note"

// buildTexts: what of the source is not measured, or not as it is.
var buildTexts = map[note.Code]string{
	note.DoesNotBuildCode:      "package {package} does not build and is left out",
	note.GoCommandSaidCode:     "the go command said:\n{output}",
	note.NotMeasuredCode:       "{what} is not measured: {reason}",
	note.MoreNotMeasuredCode:   "and {more} more are not measured: {reason}",
	note.ExcludeUselessCode:    "exclude entry \"{glob}\" {reason}",
	note.InliningUnknownCode:   "every function is timed, small ones too, which costs time: could not tell what the compiler inlines: {error}",
	note.InliningUnknownOfCode: "every function of {package} is timed, small ones too: the compiler could not build it without probes",
	note.PackageNotLoadedCode:  "{problem}",
	note.MoreUselessCode:       "and {more} more exclude entries that exclude nothing",
	note.NothingCachedCode:     "nothing is kept for the next measurement, which will be slower: {reason}; you can also set XDG_CACHE_HOME to a folder of your own",
	note.BudgetIgnoredCode:     "[{place}: ]the budget is ignored: {reason}",
	note.NoVerdictCode:         "{budgets:budget has|budgets have} no verdict, as what the comment limits did not run or is not measured as a function: {places}",
	note.NoBlocksCode:          "{function} has neither loops nor branches: it is measured as a whole",
}
