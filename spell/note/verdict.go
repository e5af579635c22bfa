package note

// Codes: why a change has the verdict that it has.
const (
	BelowResolutionCode      Code = "verdict.below-resolution"
	TooSmallCode             Code = "verdict.too-small"
	TooShortCode             Code = "verdict.too-short"
	RanInOtherTestsCode      Code = "verdict.other-tests"
	TotalRanInOtherTestsCode Code = "verdict.total-other-tests"
	NoCommonTestCode         Code = "verdict.no-common-test"
	TotalByTestOnlyCode      Code = "verdict.total-by-test"
	ExcludesDifferCode       Code = "verdict.excludes-differ"
	NoRoundsCode             Code = "verdict.no-rounds"
	EnergyNotKnownCode       Code = "verdict.no-energy"
	MachineHidesCode         Code = "verdict.machine-hides"
	MachineExplainsCode      Code = "verdict.machine-explains"
	TooFewRoundsCode         Code = "verdict.too-few-rounds"
	RoundsVaryCode           Code = "verdict.rounds-vary"
	WithinSpreadCode         Code = "verdict.within-spread"
	PowerErrorsCode          Code = "verdict.power-errors"
	BodyChangedCode          Code = "component.body-changed"
	SameBodyCode             Code = "component.same-body"
)

// BelowResolution says: the meter cannot resolve it.
func BelowResolution() Note {
	return Note{BelowResolutionCode, Args{}}
}

// TooSmall says: it uses too little of either run to be tested.
func TooSmall(share float64) Note {
	return Note{TooSmallCode, Args{"least_share": share}}
}

// TooShort says: it ran too short for the samples of the stack.
func TooShort(ms float64) Note {
	return Note{TooShortCode, Args{"least_ms": ms}}
}

// RanInOtherTests says: a component also ran in tests that only one run counts.
func RanInOtherTests() Note {
	return Note{RanInOtherTestsCode, Args{}}
}

// TotalRanInOtherTests says: components also ran in tests that only one run counts.
func TotalRanInOtherTests() Note {
	return Note{TotalRanInOtherTestsCode, Args{}}
}

// NoCommonTest says: no test counts in both runs.
func NoCommonTest() Note {
	return Note{NoCommonTestCode, Args{}}
}

// TotalByTestOnly says: the energy of a domain is known by test, not in each round.
func TotalByTestOnly() Note {
	return Note{TotalByTestOnlyCode, Args{}}
}

// ExcludesDiffer says: the runs exclude different code.
func ExcludesDiffer() Note {
	return Note{ExcludesDifferCode, Args{}}
}

// NoRounds says: there are no values of single rounds.
func NoRounds(rounds int) Note {
	return Note{NoRoundsCode, Args{"rounds": float64(rounds)}}
}

// EnergyNotKnown says: no energy is known.
func EnergyNotKnown() Note {
	return Note{EnergyNotKnownCode, Args{}}
}

// MachineHides says: a slower or faster machine may hide a change.
func MachineHides(slower float64) Note {
	return Note{MachineHidesCode, Args{"slower_change": slower}}
}

// MachineExplains says: a slower or faster machine may be the whole change.
func MachineExplains(slower float64) Note {
	return Note{MachineExplainsCode, Args{"slower_change": slower}}
}

// TooFewRounds says: the rounds are too few for any significance; enough rounds would do.
func TooFewRounds(pairs int, least, level float64, members int, kind string, enough int) Note {
	return Note{TooFewRoundsCode, Args{"pairs": float64(pairs), "least_p": least, "needed_p": level, "members": float64(members), "kind": kind, "rounds": float64(enough)}}
}

// RoundsVary says: the rounds of a run differ too much.
func RoundsVary() Note {
	return Note{RoundsVaryCode, Args{}}
}

// WithinSpread says: two runs of the same code may differ by as much.
func WithinSpread() Note {
	return Note{WithinSpreadCode, Args{}}
}

// PowerErrors says: the error of the fitted watts explains the change.
func PowerErrors() Note {
	return Note{PowerErrorsCode, Args{}}
}

// BodyChanged says: the body of the function is another.
func BodyChanged() Note {
	return Note{BodyChangedCode, Args{}}
}

// SameBody says: the cost of a function changed although its body did not; became is cheaper or dearer.
func SameBody(became string) Note {
	return Note{SameBodyCode, Args{"became": became}}
}
