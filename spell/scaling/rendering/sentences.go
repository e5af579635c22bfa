package rendering

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/units"
)

// Sentence says how something grows, without its name: grows as n^2.0 (1.9 to 2.1) with n, 16 to 65,536.
func Sentence(g *scaling.Growth) string {
	switch {
	case g.Reason != "":
		return "no formula, " + reason(g)
	case g.Model == "constant":
		return "does not grow with " + extents(g) + " (" + exponents(g) + ")"
	case alonePower(g):
		return "grows as " + order(g) + " with " + extents(g)
	}
	return "grows as " + g.Model + " with " + extents(g) + " (" + exponents(g) + ")"
}

// order is the formula, and its exponents: n^2.0 (1.9 to 2.1).
func order(g *scaling.Growth) string {
	switch {
	case g.Reason != "":
		return "no formula, " + reason(g)
	case alonePower(g):
		e := g.Exponents[0]
		return "n^" + power(e.Value, e) + " (" + interval(e) + ")"
	}
	return g.Model + " (" + exponents(g) + ")"
}

// alonePower tells whether the model is a power of one size, in the interval of the exponent. Where a function costs more at small sizes
// than the model says, the exponent over all sizes is below the power, which predicts larger sizes better.
func alonePower(g *scaling.Growth) bool {
	if len(g.Sizes) != 1 || len(g.Terms) != 1 || g.Terms[0].Powers[0] == 0 || g.Terms[0].Logs[0] != 0 || g.Terms[0].Exponential {
		return false
	}
	p, e := g.Terms[0].Powers[0], g.Exponents[0]
	return e.CI[0] <= p && p <= e.CI[1]
}

// extents are the sizes with what was seen of them. In models n is the first and m the second.
func extents(g *scaling.Growth) string {
	texts := make([]string, len(g.Sizes))
	for k, name := range g.Sizes {
		if letter := []string{"n", "m"}[k]; len(g.Sizes) > 1 && name != letter {
			name = letter + " = " + name
		}
		texts[k] = name
		if k < len(g.Ranges) {
			texts[k] += ", " + size(g.Ranges[k].Min) + " to " + size(g.Ranges[k].Max)
		}
	}
	return strings.Join(texts, ", and ")
}

// size is without a fraction: that of a bucket of calls is a mean.
func size(n float64) string { return units.Count(math.Round(n)) }

// exponents are those of all sizes: exponent 1.1, 1.0 to 1.2.
func exponents(g *scaling.Growth) string {
	texts := make([]string, len(g.Exponents))
	for k, e := range g.Exponents {
		texts[k] = power(e.Value, e) + ", " + interval(e)
	}
	if len(texts) == 1 {
		return "exponent " + texts[0]
	}
	return "exponents " + strings.Join(texts, ", and ")
}

func interval(e scaling.Exponent) string { return power(e.CI[0], e) + " to " + power(e.CI[1], e) }

// power writes one end of an exponent's interval, with the digits that the interval leaves to say something.
func power(v float64, of scaling.Exponent) string {
	decimals := 1
	if of.CI[1]-of.CI[0] < 0.1 {
		decimals = 2
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// reason says why there is no formula, and what would give one.
func reason(g *scaling.Growth) string {
	switch g.Reason {
	case growth.FewSizes:
		if len(g.Sizes) > 1 {
			return fmt.Sprintf("too few sizes: there are %s; measure %d or more, with %d values of each size or more", units.Plural(len(g.Points), "point"), growth.LeastPoints, growth.LeastEach)
		}
		return fmt.Sprintf("too few values of %s: there are %d; measure %d or more", g.Sizes[0], len(g.Points), growth.LeastSizes)
	case growth.Narrow:
		return fmt.Sprintf("not enough spread (%s): the largest size must be %d times the smallest", extents(g), growth.LeastFactor)
	case growth.Unclear:
		return "the costs grow, but vary too much from size to size: measure more sizes, or in more rounds on a quiet machine"
	case growth.Entangled:
		return strings.Join(g.Sizes, " and ") + " change together, so their effects cannot be told apart: measure each with several values of the other"
	default:
		return "a formula needs sizes of 1 or more and costs above 0, and some are not"
	}
}

// absurd is a cost, in joules or milliseconds, above which its digits say nothing: 2^n is soon there.
const absurd = 1e30

// Cost writes a cost with its unit.
func Cost(g *scaling.Growth, v float64) string {
	if v > absurd {
		return "over " + Cost(g, absurd)
	}
	if g.Quantity == alternatives.Energy {
		return units.Quantity(v, "J")
	}
	return units.Duration(v)
}
