package record

import "spell-lsp/spell"

// A Localization says how well the tests can tell the components apart. See
// spell.Diagnosability; all shares are from 0 to 1.
type Localization struct {
	Density           float64     `json:"density"`
	NormalizedDensity float64     `json:"normalized_density"`
	Diversity         float64     `json:"diversity"`
	Uniqueness        float64     `json:"uniqueness"`
	DDU               float64     `json:"ddu"`
	NotRun            int         `json:"not_run"` // components that no test ran
	Groups            []Ambiguity `json:"ambiguity_groups"`
}

// An Ambiguity is two components and more that exactly the same tests ran.
type Ambiguity struct {
	Components []string `json:"components"` // their IDs
	Tests      int      `json:"tests"`      // that ran them
	Advice     string   `json:"advice"`     // which test would separate them
}

// localization is that of the tests that the analysis is of.
func (r *Run) localization() *Localization {
	d := spell.Diagnose(r.SpellMatrix(r.Analysis != nil && r.Analysis.IncludeFailed))
	l := &Localization{
		Density: d.Density, NormalizedDensity: d.NormalizedDensity, Diversity: d.Diversity, Uniqueness: d.Uniqueness,
		DDU: d.DDU, NotRun: d.NotRun, Groups: make([]Ambiguity, len(d.Groups)),
	}
	for i, g := range d.Groups {
		l.Groups[i] = Ambiguity{Components: make([]string, len(g.Components)), Tests: g.Tests, Advice: g.Advice}
		for k, j := range g.Components {
			l.Groups[i].Components[k] = r.Components[j].ID
		}
	}
	return l
}
