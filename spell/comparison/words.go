package comparison

import (
	"fmt"
	"spell-lsp/spell/units"
)

// signed writes a relative change: +12 %, -34 %, 0 %; new where there was nothing.
func signed(a Amount) string {
	if a.Change == nil {
		return "new"
	}
	return units.Change(*a.Change)
}

// Than is the change in words, of what is named or, where that is "", of a number
// that was named before: "34 % less energy than BASE", "3.10 times as much as in BASE".
func (a Amount) Than(what string) string {
	base := "in BASE"
	if what != "" {
		what, base = " "+what, "BASE"
	}
	switch {
	case a.Change == nil && a.Base == 0 && what == "":
		return "where BASE has none"
	case a.Change == nil && a.Base == 0:
		return "some" + what + ", where BASE uses none"
	case a.Change == nil:
		return "out of all proportion more" + what + " than " + base
	case *a.Change == 0:
		return "exactly as much" + what + " as " + base
	case *a.Change < 0:
		return units.Extent(-*a.Change) + " % less" + what + " than " + base
	case *a.Change >= 2:
		return units.Factor(1+*a.Change) + " times as much" + what + " as " + base
	}
	return units.Extent(*a.Change) + " % more" + what + " than " + base
}

// interval writes the interval of a change in the direction of the change: 31 to 37 %.
func interval(q *Quantity) string {
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
