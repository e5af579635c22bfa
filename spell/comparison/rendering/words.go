package rendering

import (
	"fmt"
	"strings"

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

// calls writes a change of calls; nothing where none were counted.
func calls(a comparison.Amount) string {
	if a.None() {
		return ""
	}
	return signed(a)
}

// interval writes the interval of a change in the direction that the sentence names: 31 to 37 %.
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

// signedInterval writes the interval of a change with signs, as signed writes the change:
// -37 to -31 %.
func signedInterval(q *comparison.Quantity) string {
	if q.ChangeCI == nil || q.Change == nil {
		return ""
	}
	number := func(change float64) string { return strings.TrimSuffix(units.Change(change), " %") }
	return number(q.ChangeCI[0]) + " to " + number(q.ChangeCI[1]) + " %"
}
