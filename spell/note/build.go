package note

// Codes: what of the source is not measured, or not as it is.
const (
	DoesNotBuildCode      Code = "build.package-left-out"
	GoCommandSaidCode     Code = "build.go-command-said"
	NotMeasuredCode       Code = "build.not-measured"
	MoreNotMeasuredCode   Code = "build.more-not-measured"
	ExcludeUselessCode    Code = "build.exclude-useless"
	InliningUnknownCode   Code = "build.inlining-unknown"
	InliningUnknownOfCode Code = "build.inlining-unknown-of"
	NoBlocksCode          Code = "build.no-blocks"
	PackageNotLoadedCode  Code = "build.package-not-loaded"
	MoreUselessCode       Code = "build.more-exclude-useless"
	NothingCachedCode     Code = "build.nothing-cached"
	BudgetIgnoredCode     Code = "build.budget-ignored"
	NoVerdictCode         Code = "build.budgets-without-verdict"
)

// DoesNotBuild says: a package does not build and is left out.
func DoesNotBuild(pkg string) Note {
	return Note{DoesNotBuildCode, Args{"package": pkg}}
}

// GoCommandSaid says: what the go command printed.
func GoCommandSaid(output string) Note {
	return Note{GoCommandSaidCode, Args{"output": output}}
}

// NotMeasured says: something of the source is not measured.
func NotMeasured(what, why string) Note {
	return Note{NotMeasuredCode, Args{"what": what, "reason": why}}
}

// MoreNotMeasured says: more is not measured for the same reason.
func MoreNotMeasured(n int, why string) Note {
	return Note{MoreNotMeasuredCode, Args{"more": float64(n), "reason": why}}
}

// ExcludeUseless says: an entry of exclude excludes nothing.
func ExcludeUseless(glob, why string) Note {
	return Note{ExcludeUselessCode, Args{"glob": glob, "reason": why}}
}

// InliningUnknown says: the compiler did not say what it inlines.
func InliningUnknown(err string) Note {
	return Note{InliningUnknownCode, Args{"error": err}}
}

// InliningUnknownOf says: the compiler could not build a package without probes.
func InliningUnknownOf(pkg string) Note {
	return Note{InliningUnknownOfCode, Args{"package": pkg}}
}

// NoBlocks says: a function has neither loops nor branches.
func NoBlocks(function string) Note {
	return Note{NoBlocksCode, Args{"function": function}}
}

// PackageNotLoaded says: the go command cannot load a package; others are measured.
func PackageNotLoaded(problem string) Note {
	return Note{PackageNotLoadedCode, Args{"problem": problem}}
}

// MoreUseless says: more entries of exclude exclude nothing.
func MoreUseless(n int) Note {
	return Note{MoreUselessCode, Args{"more": float64(n)}}
}

// NothingCached says: the instrumented packages are not kept for the next measurement.
func NothingCached(why string) Note {
	return Note{NothingCachedCode, Args{"reason": why}}
}

// BudgetIgnored says: a comment with a budget is not understood, or belongs to no function; place is empty where that is seen.
func BudgetIgnored(place, why string) Note {
	return Note{BudgetIgnoredCode, Args{"place": place, "reason": why}}
}

// NoVerdict says: budgets have no verdict, as the functions that they limit did not run or are not measured; places are those of the comments, the first few.
func NoVerdict(budgets int, places []string) Note {
	return Note{NoVerdictCode, Args{"budgets": float64(budgets), "places": places}}
}
