package budget

// A Value is what was measured of the quantity of a limit, in its unit.
type Value struct {
	Mean float64
	// Low and High are the 95 % interval; both are Mean where the value is exact, or where one
	// round does not tell how far it varies.
	Low, High float64
	// Unresolved says that the value is below the resolution of the measurement: the interval is
	// not reliable.
	Unresolved bool
}

// Exact is a value without an interval.
func Exact(v float64) Value { return Value{Mean: v, Low: v, High: v} }

// A Verdict says whether a budget is kept.
type Verdict string

// The verdicts.
const (
	Kept      Verdict = "kept"
	Broken    Verdict = "broken"
	Undecided Verdict = "undecided"
)

const (
	// rounding keeps a value equal to the limit from breaking it: sums of floating-point numbers.
	rounding = 1e-9
	// unresolvedMargin is how far below a limit a value without a reliable interval must be.
	unresolvedMargin = 10
)

// Decide compares a value with the limit. The budget is kept if the whole interval is within it,
// broken if the whole interval is beyond. A value below resolution never breaks a budget, and
// keeps only one of ten times the value and more.
func (l Limit) Decide(v Value) Verdict {
	most := l.Max * (1 + rounding)
	switch {
	case v.Unresolved && unresolvedMargin*max(v.Mean, v.High) > most:
		return Undecided
	case v.High <= most:
		return Kept
	case v.Low > most:
		return Broken
	}
	return Undecided
}
