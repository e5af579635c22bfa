package wording

import "spell-lsp/spell/units"

// Allocation says what a component allocates, and what collecting that used: "allocates 61.0 % of the
// bytes: 800 mJ of collecting". write writes an energy; nil where none is known.
func Allocation(share, joules, ms float64, write func(float64) string) string {
	text := "allocates " + percent(share) + " of the bytes"
	switch {
	case write != nil && joules > 0:
		return text + ": " + write(joules) + " of collecting"
	case ms > 0:
		return text + ": " + units.Duration(ms) + " of collecting"
	}
	return text
}
