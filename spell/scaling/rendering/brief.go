package rendering

import (
	"strings"

	"spell-lsp/spell/scaling"
)

// Brief says how something with a formula grows in as few words as a line of code has room for: grows as n^2.0 with
// len(p.cars).
func Brief(g *scaling.Growth) string {
	sizes := strings.Join(g.Sizes, " and ")
	switch {
	case g.Model == "constant":
		return "does not grow with " + sizes
	case alonePower(g):
		return "grows as n^" + power(g.Exponents[0].Value, g.Exponents[0]) + " with " + sizes
	}
	return "grows as " + g.Model + " with " + sizes
}
