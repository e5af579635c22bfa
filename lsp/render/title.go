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
)

// Title is a component in one line, as lenses and marks have it.
func Title(m *view.Mark) string {
	c := m.Counted()
	parts := []string{
		fmt.Sprintf("%s #%d", strings.ToUpper(string(c.Zone)), c.Rank),
		"psi " + Share(c.Psi),
	}
	if m.Stale {
		parts[0] = fmt.Sprintf("%s: #%d", Staleness, c.Rank)
	}
	parts = append(parts, similarities(m.Result, c.Phi))
	parts = append(parts, Joules(m.Result, c.EnergyJ))
	if c.EPIJ > 0 {
		parts = append(parts, perCall(m.Result, c))
	}
	if c.BelowResolution {
		parts = append(parts, unresolved)
	}
	for _, more := range []string{ChangeOf(m.Result, m.Component()), age(m.Result, time.Now())} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return page.CleanLines(strings.Join(parts, " · "))
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
		parts = append(parts, name+" "+Share(phi[string(d)]))
	}
	return strings.Join(append(parts, "N "+Share(phi["n"]), "T "+Share(phi["time"])), " ")
}
