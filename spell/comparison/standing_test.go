package comparison_test

import (
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// ranked gives a run of f and g, which used so many joules in each domain.
func ranked(order spell.Order, domains []spell.Domain, f, g []float64) *record.Run {
	m := &spell.Matrix{Domains: domains, Tests: []string{"t"}, Components: []spell.Component{{ID: "f"}, {ID: "g"}}}
	m.Add(spell.Cell{Component: 0, N: 1, TimeMS: 10}, f...)
	m.Add(spell.Cell{Component: 1, N: 100, TimeMS: 10}, g...)
	r := record.FromMatrix(m, record.Measured)
	ranking.Analyze(r, spell.Options{Order: order}, false)
	return r
}

// asRanked compares two runs as they were analysed.
func asRanked(t *testing.T, base, head *record.Run) *comparison.Comparison {
	t.Helper()
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A domain that only one run has is not compared: what it does to psi, ranks and zones is no
// change of the program.
func TestRankingIsOfTheCommonDomains(t *testing.T) {
	for _, order := range []spell.Order{spell.ByPsi, spell.ByEnergy} {
		base := ranked(order, []spell.Domain{spell.CPU}, []float64{3}, []float64{1})
		head := ranked(order, []spell.Domain{spell.CPU, spell.GPU}, []float64{3, 0}, []float64{1, 50})
		for _, c := range []*comparison.Comparison{asRanked(t, base, head), asRanked(t, head, base)} {
			for _, f := range c.Components {
				if f.Psi.Base != f.Psi.Head || f.BaseZone != f.HeadZone || f.BaseRank != f.HeadRank || f.PsiApart {
					t.Errorf("order %s: %s: psi %v to %v, %s to %s, rank %d to %d, apart %t", order, f.ID, f.Psi.Base, f.Psi.Head, f.BaseZone, f.HeadZone, f.BaseRank, f.HeadRank, f.PsiApart)
				}
			}
			if len(c.Components) != 2 {
				t.Errorf("%d components", len(c.Components))
			}
		}
	}
}

// A run that an older version ranked by psi is compared with one ranked by energy: both by the
// order of HEAD, so that a rank does not change because the order did.
func TestOneOrderForBothRuns(t *testing.T) {
	cpu := []spell.Domain{spell.CPU}
	old, now := ranked("", cpu, []float64{3}, []float64{1}), ranked(spell.ByEnergy, cpu, []float64{3}, []float64{1})
	old.Analysis.Order = "" // as older versions wrote it
	for _, test := range []struct {
		base, head *record.Run
		first      string
	}{{old, now, "f"}, {now, old, "g"}} {
		for _, f := range asRanked(t, test.base, test.head).Components {
			if f.BaseRank != f.HeadRank || f.BaseZone != f.HeadZone || (f.HeadRank == 1) != (f.ID == test.first) {
				t.Errorf("%s: rank %d to %d, %s to %s; %s must be the first in both", f.ID, f.BaseRank, f.HeadRank, f.BaseZone, f.HeadZone, test.first)
			}
		}
	}
}
