package render

import (
	"fmt"
	"strings"

	"spell-lsp/lsp/view"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/scaling/rendering"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// maxGrowths is how many growths of one function a hover lists.
const maxGrowths = 3

// grows is how the cost of a component grows, in a few words, by the steepest of its formulas; "" where none is
// known, or it does not grow.
func grows(m *view.Mark) string {
	if list := m.Result.Growths()[m.Component().ID]; len(list) > 0 && len(list[0].Terms) > 0 {
		return rendering.Brief(list[0])
	}
	return ""
}

// growths says in a hover how the cost of a component grows.
func growths(m *view.Mark) string {
	list := m.Result.Growths()[m.Component().ID]
	var sentences []string
	for _, g := range list[:min(len(list), maxGrowths)] {
		sentences = append(sentences, wording.Upper(rendering.Sentence(g))+of(g)+"."+predicted(g))
	}
	return strings.Join(sentences, " ")
}

// of says what a formula is about.
func of(g *scaling.Growth) string {
	text := ": " + string(g.Quantity)
	if g.Cumulative {
		text += " with callees"
	}
	if g.Origin == scaling.Benchmark {
		return text + " per operation of " + g.Series
	}
	return text + " per call"
}

// predicted is what it would use beyond the sizes that were seen.
func predicted(g *scaling.Growth) string {
	var parts []string
	for i, p := range g.Predictions {
		times := []string{"10", "100"}[i]
		parts = append(parts, fmt.Sprintf("%s at %s times the largest size (%s to %s)", rendering.Cost(g, p.Cost), times, rendering.Cost(g, p.CI[0]), rendering.Cost(g, p.CI[1])))
	}
	if len(parts) == 0 || len(g.Terms) == 0 {
		return ""
	}
	return " Extrapolated: " + strings.Join(parts, ", ") + "."
}

// foreseen adds a diagnostic for each amount of a budget that the function would exceed at the size of the setting
// growth.size, by its formula.
func (d *budgetDrawer) foreseen(m *view.Mark, b *view.Budget) {
	size, level := m.Result.Settings.GrowthSize, m.Result.Settings.Severity.Budget
	if size <= 0 || level == settings.Off || m.Stale || !m.IsGoFunction() {
		return
	}
	for _, limit := range limits(b) {
		for _, g := range m.Result.Growths()[m.Component().ID] {
			if len(g.Sizes) != 1 || !g.PerCall || limit.Per != budget.Call || string(limit.Quantity) != string(g.Quantity) {
				continue
			}
			p, ok := g.Formula.Predict(float64(size))
			if !ok || p.Cost <= limit.Max {
				continue
			}
			one, verb := level, "Breaks"
			if p.Low <= limit.Max {
				one, verb = settings.Information, "May break"
			}
			how := ""
			if p.Extrapolated {
				how = ", extrapolated"
			}
			d.add(b, one, fmt.Sprintf("%s the budget of %s at %s = %s: %s (%s to %s), as it %s%s", verb, limit, g.Sizes[0], units.Count(float64(size)),
				rendering.Cost(g, p.Cost), rendering.Cost(g, p.Low), rendering.Cost(g, p.High), rendering.Brief(g), how), false)
			break
		}
	}
}
