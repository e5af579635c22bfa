package render

import (
	"strings"

	"spell-lsp/lsp/view"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// allocates is a sentence that says what a component allocates.
func allocates(m *view.Mark) string {
	text := allocations(m, func(record.Allocation) bool { return true })
	if text == "" {
		return ""
	}
	return wording.Upper(text) + "."
}

// allocations says what a component allocates, and what collecting that used; "" where that is not
// known, or not wanted.
func allocations(m *view.Mark, wanted func(record.Allocation) bool) string {
	a, ok := m.Result.Allocations().Of(m.Component())
	if !ok || !wanted(a) {
		return ""
	}
	if !m.Result.KnowsEnergy() {
		return wording.Allocation(a.Share, a.Joules, a.MS, nil)
	}
	text := wording.Allocation(a.Share, a.Joules, a.MS, func(joules float64) string { return units.Quantity(joules, "J") })
	if origin := strings.TrimPrefix(Energy(m.Result, a.Joules), units.Quantity(a.Joules, "J")); origin != "" && a.Joules > 0 {
		text += " (" + strings.TrimSpace(origin) + ")"
	}
	return text
}
