package wording

import (
	"math"

	"spell-lsp/spell/units"
)

// Than writes an amount of at least 0 in HEAD against that in BASE. what is the noun, or ""
// where the amount was named before. An audience that has no name for BASE is not told of it.
// "34 % less energy than BASE", "3.10 times as much as in BASE", "34 % less energy".
func (a Audience) Than(base, head float64, what string) string {
	in := ""
	if what == "" {
		in = "in "
	} else {
		what = " " + what
	}
	if base == 0 && head != 0 {
		switch {
		case a.Base == "":
			return "some" + what + ", where it used none before"
		case in != "":
			return "where " + a.Base + " has none"
		}
		return "some" + what + ", where " + a.Base + " uses none"
	}
	change, joint := extent(base, head)
	if a.Base == "" {
		return change + what
	}
	return change + what + " " + joint + " " + in + a.Base
}

// extent is how much less or more it is, and the word between that and the base.
func extent(base, head float64) (change, joint string) {
	switch relative := (head - base) / base; {
	case base == head:
		return "exactly as much", "as"
	case math.IsInf(relative, 0):
		return "out of all proportion more", "than"
	case relative < 0:
		return units.Extent(-relative) + " % less", "than"
	case relative >= 2:
		return units.Factor(1+relative) + " times as much", "as"
	default:
		return units.Extent(relative) + " % more", "than"
	}
}
