package ranking

import (
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Localize says how well the tests of the analysis tell the components apart.
func Localize(r *record.Run) *record.Localization {
	m := r.SpellMatrix(r.Analysis != nil && r.Analysis.IncludeFailed)
	d := spell.Diagnose(m)
	component := func(i int) string { return r.Components[i].ID }
	test := func(i int) string { return m.Tests[i] }
	l := &record.Localization{
		Density: d.Density, NormalizedDensity: d.NormalizedDensity, Diversity: d.Diversity, Uniqueness: d.Uniqueness,
		DDU: d.DDU, NotRun: d.NotRun, Groups: make([]record.Ambiguity, len(d.Groups)),
	}
	for i, g := range d.Groups {
		l.Groups[i] = record.Ambiguity{Components: make([]string, len(g.Components)), Tests: g.Tests, Advice: wording.Advice(r.RowWord(), g, component, test)}
		for k, j := range g.Components {
			l.Groups[i].Components[k] = r.Components[j].ID
		}
	}
	return l
}
