package comparison_test

import (
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// A domain that only one run has is not compared: what it does to psi is no change
// of the program.
func TestPsiIsOfTheCommonDomains(t *testing.T) {
	run := func(domains []spell.Domain, joules ...[]float64) *record.Run {
		m := &spell.Matrix{Domains: domains, Tests: []string{"t"}, Components: []spell.Component{{ID: "f"}, {ID: "g"}}}
		for j, e := range joules {
			m.Add(spell.Cell{Component: int32(j), N: 1, TimeMS: 10}, e...)
		}
		r := record.FromMatrix(m, record.Measured)
		ranking.Analyze(r, spell.Options{}, false)
		return r
	}
	base := run([]spell.Domain{spell.CPU}, []float64{3}, []float64{1})
	head := run([]spell.Domain{spell.CPU, spell.GPU}, []float64{3, 0}, []float64{1, 50})
	c := compared(t, base, head, comparison.Options{})
	for _, f := range c.Components {
		if f.Psi.Base != f.Psi.Head || f.BaseZone != f.HeadZone || f.PsiApart {
			t.Errorf("%s: psi %v to %v, %s to %s, apart %t", f.ID, f.Psi.Base, f.Psi.Head, f.BaseZone, f.HeadZone, f.PsiApart)
		}
	}
	if len(c.Components) != 2 {
		t.Errorf("%d components", len(c.Components))
	}
}
