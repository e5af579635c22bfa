package rendering

import (
	"fmt"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/units"
)

// signed writes a relative change: +12 %, -34 %, 0 %; new if the base is 0.
func signed(a comparison.Amount) string {
	if a.Change == nil {
		return "new"
	}
	return units.Change(*a.Change)
}

// Than is a change in words, of what is named or, where that is "", of a number that was
// named before. base is what the base is called; "" leaves it out. "34 % less energy than
// BASE", "3.10 times as much as in BASE", "34 % less energy".
func Than(a comparison.Amount, what, base string) string {
	in := ""
	if what == "" {
		in = "in "
	} else {
		what = " " + what
	}
	if a.Change == nil && a.Base == 0 {
		switch {
		case base == "":
			return "some" + what + ", where it used none before"
		case in != "":
			return "where " + base + " has none"
		}
		return "some" + what + ", where " + base + " uses none"
	}
	change, joint := extent(a)
	if base == "" {
		return change + what
	}
	return change + what + " " + joint + " " + in + base
}

// extent is how much less or more it is, and the word between that and the base.
func extent(a comparison.Amount) (change, joint string) {
	switch {
	case a.Change == nil:
		return "out of all proportion more", "than"
	case *a.Change == 0:
		return "exactly as much", "as"
	case *a.Change < 0:
		return units.Extent(-*a.Change) + " % less", "than"
	case *a.Change >= 2:
		return units.Factor(1+*a.Change) + " times as much", "as"
	}
	return units.Extent(*a.Change) + " % more", "than"
}

// interval writes the interval of a change in the direction of the change: 31 to 37 %.
func interval(q *comparison.Quantity) string {
	if q.ChangeCI == nil || q.Change == nil {
		return ""
	}
	low, high := q.ChangeCI[0], q.ChangeCI[1]
	switch {
	case low < 0 && high > 0:
		return fmt.Sprintf("-%s to +%s %%", units.Extent(-low), units.Extent(high))
	case *q.Change < 0:
		return fmt.Sprintf("%s to %s %%", units.Extent(max(0, -high)), units.Extent(max(0, -low)))
	case *q.Change >= 2:
		return fmt.Sprintf("%s to %s times", units.Factor(1+low), units.Factor(1+high))
	default:
		return fmt.Sprintf("%s to %s %%", units.Extent(max(0, low)), units.Extent(max(0, high)))
	}
}
