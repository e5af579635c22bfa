package wording

import "spell-lsp/spell/units"

// A Saving is the most that a change can save of what a function uses in a round.
type Saving struct {
	Function        string
	KnowsEnergy     bool // else time is said
	Estimated       bool
	PartJ, WholeJ   float64 // joules
	PartMS, WholeMS float64 // milliseconds
}

// String is the saving in words: "at most an estimated 1.20 J of the 1.70 J that Sort uses in a round".
func (s Saving) String() string {
	part, whole := units.Duration(s.PartMS), units.Duration(s.WholeMS)
	if s.KnowsEnergy {
		part, whole = units.Quantity(s.PartJ, "J"), units.Quantity(s.WholeJ, "J")
		if s.Estimated {
			part = "an estimated " + part
		}
	}
	return "at most " + part + " of the " + whole + " that " + s.Function + " uses in a round"
}
