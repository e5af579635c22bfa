package note

// Codes: why a rule of --fail-on is broken, or holds although it may look otherwise. No record
// has these: they only become texts.
// A component "" is the whole program.
const (
	EnergyBeyondCode        Code = "gate.energy"
	TimeBeyondCode          Code = "gate.time"
	ExecutionsBeyondCode    Code = "gate.executions"
	PsiBeyondCode           Code = "gate.psi"
	RedCode                 Code = "gate.red"
	EnergyChangeCode        Code = "gate.energy-change"
	TimeChangeCode          Code = "gate.time-change"
	UsesCode                Code = "gate.uses"
	UsesMoreCode            Code = "gate.uses-more"
	MoreUndecidedCode       Code = "gate.more-undecided"
	MoreByChanceCode        Code = "gate.more-by-chance"
	ChangeUndecidedCode     Code = "gate.change-undecided"
	CorrectedPCode          Code = "gate.corrected-p"
	MoreExecutionsCode      Code = "gate.more-executions"
	MorePsiCode             Code = "gate.more-psi"
	PsiOverlapsCode         Code = "gate.psi-overlaps"
	OthersBeyondCode        Code = "gate.others-beyond"
	NewAndRedCode           Code = "gate.new-and-red"
	BecameRedCode           Code = "gate.became-red"
	BecameRedUndecidedCode  Code = "gate.became-red-undecided"
	BecameRedByOthersCode   Code = "gate.became-red-by-others"
	RedInOtherTestsCode     Code = "gate.red-in-other-tests"
	NotInBaseCode           Code = "gate.not-in-base"
	NotInHeadCode           Code = "gate.not-in-head"
	DomainsNotLimitedCode   Code = "gate.domains-not-limited"
	DomainsNotCountedCode   Code = "gate.domains-not-counted"
	FailedNotCountedCode    Code = "gate.failed-not-counted"
	NoBudgetCode            Code = "gate.no-budget"
	AmountsUnknownCode      Code = "gate.amounts-unknown"
	GrowthBeyondCode        Code = "gate.growth"
	GrowthUncertainCode     Code = "gate.growth-uncertain"
	MoreGrowthCode          Code = "gate.more-growth"
	MoreGrowthUncertainCode Code = "gate.more-growth-uncertain"
	GrowthsUncertainCode    Code = "gate.growths-uncertain"
	GrowthsUnknownCode      Code = "gate.growths-unknown"
	GrowthsNotInBaseCode    Code = "gate.growths-not-in-base"
)

// EnergyBeyond says: a component, or the program, uses more energy than a limit; source is estimated, or empty.
func EnergyBeyond(component string, joules float64, source string) Note {
	return Note{EnergyBeyondCode, Args{"component": component, "energy_j": joules, "source": source}}
}

// TimeBeyond says: a component, or the program, runs for longer than a limit.
func TimeBeyond(component string, ms float64) Note {
	return Note{TimeBeyondCode, Args{"component": component, "time_ms": ms}}
}

// ExecutionsBeyond says: a component, or the program, makes more executions than a limit.
func ExecutionsBeyond(component string, n float64) Note {
	return Note{ExecutionsBeyondCode, Args{"component": component, "executions": n}}
}

// PsiBeyond says: the psi of a component is above a limit.
func PsiBeyond(component string, psi float64) Note {
	return Note{PsiBeyondCode, Args{"component": component, "psi": psi}}
}

// Red says: a component is red.
func Red(component string, psi float64, rank int) Note {
	return Note{RedCode, Args{"component": component, "psi": psi, "rank": float64(rank)}}
}

// EnergyChange says: the energy in both runs; source is estimated, or empty.
func EnergyChange(base, head float64, source string) Note {
	return Note{EnergyChangeCode, Args{"base_j": base, "head_j": head, "source": source}}
}

// TimeChange says: the running time in both runs.
func TimeChange(base, head float64) Note {
	return Note{TimeChangeCode, Args{"base_ms": base, "head_ms": head}}
}

// Uses says: how the energy or the time of a component, or of the program, changed.
func Uses(component string, change Note) Note {
	return Note{UsesCode, Args{"component": component, "change": change}}
}

// UsesMore says: a use grew significantly by more than a limit; the components whose use grew most.
func UsesMore(uses Note, p float64, components []Note) Note {
	return Note{UsesMoreCode, Args{"uses": uses, "corrected_p": p, "components": components}}
}

// MoreUndecided says: a use grew by more than a limit, but that is not decided.
func MoreUndecided(uses, why Note) Note {
	return Note{MoreUndecidedCode, Args{"uses": uses, "reason": why}}
}

// MoreByChance says: a use grew by more than a limit, but not significantly.
func MoreByChance(uses, why Note) Note {
	return Note{MoreByChanceCode, Args{"uses": uses, "reason": why}}
}

// ChangeUndecided says: the use of the program keeps the limit, but its change is not decided.
func ChangeUndecided(uses, why Note) Note {
	return Note{ChangeUndecidedCode, Args{"uses": uses, "reason": why}}
}

// CorrectedP says: the probability that makes a change not significant.
func CorrectedP(p float64) Note {
	return Note{CorrectedPCode, Args{"corrected_p": p}}
}

// MoreExecutions says: a component, or the program, makes more executions than a limit allows.
func MoreExecutions(component string, base, head float64) Note {
	return Note{MoreExecutionsCode, Args{"component": component, "base_executions": base, "head_executions": head}}
}

// MorePsi says: the psi of a component grew by more than a limit.
func MorePsi(component string, base, head float64) Note {
	return Note{MorePsiCode, Args{"component": component, "base_psi": base, "head_psi": head}}
}

// PsiOverlaps says: a psi grew by more than a limit, but its intervals are not apart.
func PsiOverlaps(component string, base, head float64) Note {
	return Note{PsiOverlapsCode, Args{"component": component, "base_psi": base, "head_psi": head}}
}

// OthersBeyond says: other components are beyond the limit by changes that break no rule.
func OthersBeyond(n int) Note {
	return Note{OthersBeyondCode, Args{"others": float64(n)}}
}

// NewAndRed says: a component that the base does not have is red.
func NewAndRed(component string, psi float64) Note {
	return Note{NewAndRedCode, Args{"component": component, "psi": psi}}
}

// BecameRed says: a component became red, and uses more; the zone that it had may be empty.
func BecameRed(component, zone string, base, head float64, change Note) Note {
	return Note{BecameRedCode, Args{"component": component, "base_zone": zone, "base_psi": base, "head_psi": head, "change": change}}
}

// BecameRedUndecided says: a component became red; whether it uses more is not decided.
func BecameRedUndecided(component, zone string, why Note) Note {
	return Note{BecameRedUndecidedCode, Args{"component": component, "base_zone": zone, "reason": why}}
}

// BecameRedByOthers says: a component became red, but does not use more.
func BecameRedByOthers(component, zone string, why Note) Note {
	return Note{BecameRedByOthersCode, Args{"component": component, "base_zone": zone, "reason": why}}
}

// RedInOtherTests says: a component is red in the head, but not by the tests that count in both runs.
func RedInOtherTests(component string) Note {
	return Note{RedInOtherTestsCode, Args{"component": component}}
}

// NotInBase says: the base does not have a component.
func NotInBase(component string) Note {
	return Note{NotInBaseCode, Args{"component": component}}
}

// NotInHead says: the head does not have a component any more.
func NotInHead(component string) Note {
	return Note{NotInHeadCode, Args{"component": component}}
}

// DomainsNotLimited says: a rule about components does not cover domains that are compared by test.
func DomainsNotLimited(domains []string) Note {
	return Note{DomainsNotLimitedCode, Args{"domains": domains}}
}

// DomainsNotCounted says: a limit does not cover domains whose energy is known by test only.
func DomainsNotCounted(domains []string) Note {
	return Note{DomainsNotCountedCode, Args{"domains": domains}}
}

// FailedNotCounted says: a limit does not cover tests that did not pass.
func FailedNotCounted(tests int) Note {
	return Note{FailedNotCountedCode, Args{"tests": float64(tests)}}
}

// NoBudget says: nothing that was measured has a budget.
func NoBudget() Note {
	return Note{NoBudgetCode, Args{}}
}

// AmountsUnknown says: amounts of budgets are not checked, as what they limit was not measured.
func AmountsUnknown(amounts int) Note {
	return Note{AmountsUnknownCode, Args{"amounts": float64(amounts)}}
}

// GrowthBeyond says: the exponent by which a cost grows, with its interval, is above a limit; series is that of a
// function, or empty.
func GrowthBeyond(subject, series string, exponent, low, high float64) Note {
	return Note{GrowthBeyondCode, Args{"subject": subject, "series": series, "exponent": exponent, "low_exponent": low, "high_exponent": high}}
}

// GrowthUncertain says: an exponent is above a limit, but its interval is not.
func GrowthUncertain(subject, series string, exponent, low, high float64) Note {
	return Note{GrowthUncertainCode, Args{"subject": subject, "series": series, "exponent": exponent, "low_exponent": low, "high_exponent": high}}
}

// MoreGrowth says: an exponent is larger than in the base by more than a limit.
func MoreGrowth(subject, series string, exponent, low, high, base, baseLow, baseHigh float64) Note {
	return Note{MoreGrowthCode, Args{"subject": subject, "series": series, "exponent": exponent, "low_exponent": low, "high_exponent": high,
		"base_exponent": base, "base_low_exponent": baseLow, "base_high_exponent": baseHigh}}
}

// MoreGrowthUncertain says: an exponent is larger than in the base by more than a limit, but the interval of the
// difference, from low on, is not.
func MoreGrowthUncertain(subject, series string, exponent, base, low float64) Note {
	return Note{MoreGrowthUncertainCode, Args{"subject": subject, "series": series, "exponent": exponent, "base_exponent": base, "low_exponent": low}}
}

// GrowthsUncertain says: exponents are above a limit, but their intervals are not.
func GrowthsUncertain(n int) Note {
	return Note{GrowthsUncertainCode, Args{"growths": float64(n)}}
}

// GrowthsUnknown says: growths have no formula, and are not checked.
func GrowthsUnknown(n int) Note {
	return Note{GrowthsUnknownCode, Args{"growths": float64(n)}}
}

// GrowthsNotInBase says: growths have none in the base to compare with.
func GrowthsNotInBase(n int) Note {
	return Note{GrowthsNotInBaseCode, Args{"growths": float64(n)}}
}
