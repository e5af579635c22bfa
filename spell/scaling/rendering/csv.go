package rendering

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/csvtext"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
)

var heads = []string{
	"series", "subject", "kind", "model", "exponent", "exponent_low", "exponent_high", "exponent_2", "exponent_2_low", "exponent_2_high", "no_formula",
	"size", "size_2", "cost", "unit", "low", "high", "calls", "point",
}

// CSV writes a line for each point and prediction.
func CSV(w io.Writer, r *scaling.Result) error {
	out := csv.NewWriter(w)
	lines := [][]string{heads}
	for i := range r.Growths {
		lines = append(lines, linesOf(&r.Growths[i])...)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("writing the growths: %w", err)
	}
	return nil
}

func linesOf(g *scaling.Growth) (lines [][]string) {
	kind, unit := "benchmark", "ms"
	if g.Component {
		kind = "function"
	}
	if g.Quantity == alternatives.Energy {
		unit = "J"
	}
	common := []string{csvtext.Encode(g.Series), csvtext.Encode(g.Subject), kind, g.Model}
	for k := range 2 {
		if k < len(g.Exponents) {
			e := g.Exponents[k]
			common = append(common, number(e.Value), number(e.CI[0]), number(e.CI[1]))
		} else {
			common = append(common, "", "", "")
		}
	}
	common = append(common, string(g.Reason))
	line := func(sizes []float64, rest ...string) {
		cells := append([]string{}, common...)
		for k := range 2 {
			text := ""
			if k < len(sizes) {
				text = number(sizes[k])
			}
			cells = append(cells, text)
		}
		lines = append(lines, append(cells, rest...))
	}
	for _, p := range g.Points {
		low, high := "", ""
		if p.Error > 0 {
			low, high = number(max(0, p.Cost-record.Normal95*p.Error)), number(p.Cost+record.Normal95*p.Error)
		}
		line(p.Sizes, number(p.Cost), unit, low, high, number(p.Calls), "measured")
	}
	for _, p := range g.Predictions {
		line(p.Sizes, number(p.Cost), unit, number(p.CI[0]), number(p.CI[1]), "", "extrapolated")
	}
	return lines
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
