package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Title describes a component in one line, for lenses and marks.
func Title(m *view.Mark) string {
	c := m.Counted()
	parts := []string{
		fmt.Sprintf("%s #%d", strings.ToUpper(string(c.Zone)), c.Rank),
		"psi " + units.Similarity(c.Psi),
	}
	if m.Stale {
		parts[0] = fmt.Sprintf("%s: #%d", staleness(), c.Rank)
	}
	parts = append(parts, similarities(m.Result, c.Phi))
	parts = append(parts, Joules(m.Result, c.EnergyJ))
	if c.EPIJ > 0 {
		parts = append(parts, perCall(m.Result, c))
	}
	if c.BelowResolution {
		parts = append(parts, unresolved)
	}
	if text := grows(m); text != "" {
		parts = append(parts, text)
	}
	for _, more := range []string{allocations(m, func(a record.Allocation) bool { return a.Notable }), ChangeOf(m.Result, m.Component()), age(m.Result, time.Now())} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return page.CleanLines(strings.Join(parts, " · "))
}

// Hint returns the text of an inlay hint after a component's name.
func Hint(m *view.Mark) string {
	if m.Stale {
		return "psi " + units.Similarity(m.Component().Psi) + ", " + staleness()
	}
	return "psi " + units.Similarity(m.Component().Psi)
}

// similarities writes the shares of energy by domain, calls and time.
func similarities(r *results.Result, phi map[string]float64) string {
	var parts []string
	for _, d := range spell.Domains() {
		if !slices.Contains(r.Run.Matrix.Domains, d) {
			continue
		}
		name := "E"
		if len(r.Run.Matrix.Domains) > 1 {
			name += "(" + string(d) + ")"
		}
		parts = append(parts, name+" "+share(phi[string(d)]))
	}
	return strings.Join(append(parts, "N "+share(phi["n"]), "T "+share(phi["time"])), " ")
}
