package page

import (
	"strconv"

	"spell-lsp/spell"
)

// Quantity is [spell.Quantity].
func Quantity(v float64, unit string) string { return spell.Quantity(v, unit) }

// Duration is [spell.Duration].
func Duration(ms float64) string { return spell.Duration(ms) }

// Percent writes a share without the sign: 12.3.
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64)
}

// Similarity writes psi with the four digits of the SPELL paper's tables.
func Similarity(psi float64) string {
	if psi > 0 && psi < 0.00005 {
		return "<.0001"
	}
	return strconv.FormatFloat(psi, 'f', 4, 64)
}
