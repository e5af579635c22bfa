package note

// Codes: whether the budgets in comments of the source are kept. No record has these: they are
// decided where a run is shown, and only become texts.
const (
	BudgetKeptCode      Code = "budget.kept"
	BudgetBrokenCode    Code = "budget.broken"
	BudgetUndecidedCode Code = "budget.undecided"
	BudgetEnergyCode    Code = "budget.energy"
	BudgetTimeCode      Code = "budget.time"
	BudgetCallsCode     Code = "budget.calls"
	BudgetEditedCode    Code = "budget.edited"
)

// BudgetKept says: a budget is kept; subject is whose it is, or empty where that is seen.
func BudgetKept(subject, limit string, measured Note) Note {
	return Note{BudgetKeptCode, Args{"subject": subject, "limit": limit, "measured": measured}}
}

// BudgetBroken says: a budget is broken.
func BudgetBroken(subject, limit string, measured Note) Note {
	return Note{BudgetBrokenCode, Args{"subject": subject, "limit": limit, "measured": measured}}
}

// BudgetUndecided says: the interval of what was measured has the limit of a budget in it.
func BudgetUndecided(subject, limit string, measured Note) Note {
	return Note{BudgetUndecidedCode, Args{"subject": subject, "limit": limit, "measured": measured}}
}

// BudgetEnergy says: an energy with its interval; low is 0 if the interval begins there. source is
// empty for what was measured, and remark says what to know of the value.
func BudgetEnergy(value, low, high float64, source, remark string) Note {
	return Note{BudgetEnergyCode, Args{"value_j": value, "low_j": low, "high_j": high, "source": source, "remark": remark}}
}

// BudgetTime says: a time with its interval, as BudgetEnergy.
func BudgetTime(value, low, high float64, remark string) Note {
	return Note{BudgetTimeCode, Args{"value_ms": value, "low_ms": low, "high_ms": high, "remark": remark}}
}

// BudgetCalls says: a number of calls, and the test that makes them; empty for that itself.
func BudgetCalls(calls float64, test string) Note {
	return Note{BudgetCallsCode, Args{"calls": calls, "test": test}}
}

// BudgetEdited says: what was measured is the code before an edit.
func BudgetEdited(verdict Note) Note {
	return Note{BudgetEditedCode, Args{"verdict": verdict}}
}
