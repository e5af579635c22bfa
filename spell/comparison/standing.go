package comparison

import (
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A standing is the place of a component in a ranking.
type standing struct {
	psi   float64
	ci    [2]float64 // 95 % interval of psi
	known bool       // ci is
	rank  int
	zone  spell.Zone
}

// apart tells whether the intervals of psi are known and do not overlap.
func (s *standing) apart(other *standing) bool {
	return s.known && other.known && (s.ci[1] < other.ci[0] || other.ci[1] < s.ci[0])
}

// standings ranks the components of r by the common tests and domains, in the given order and
// with the options of its analysis. If that counted the same tests and domains and has the same
// order, its ranking is taken with its intervals. Intervals over other tests are not known,
// because the values of a component by round include all tests.
func standings(r *record.Run, common []bool, domains []spell.Domain, order spell.Order) []standing {
	list := make([]standing, len(r.Components))
	if r.Analysis.RankedBy() == order && !ranksOthers(r, common) && !addsOthers(r, domains) {
		for i := range r.Components {
			c := &r.Components[i]
			low, high, known := r.PsiInterval(i)
			list[i] = standing{c.Psi, [2]float64{low, high}, known, c.Rank, c.Zone}
		}
		return list
	}
	for _, row := range rank(r, common, domains, order).Rows {
		list[row.Component] = standing{psi: row.Psi, rank: row.Rank, zone: row.Zone}
	}
	return list
}

// ranksOthers tells whether components ran in tests that either count in the analysis of r
// or are common, but not both.
func ranksOthers(r *record.Run, common []bool) bool {
	includeFailed := r.Analysis != nil && r.Analysis.IncludeFailed
	differ := make([]bool, len(r.Tests))
	for i := range r.Tests {
		differ[i] = r.Tests[i].InAnalysis(includeFailed) != common[i]
	}
	return slices.Contains(differ, true) &&
		slices.ContainsFunc(r.Matrix.Cells, func(c spell.Cell) bool { return differ[c.Test] })
}

// addsOthers tells whether a domain that is not compared counts in the analysis of r. In psi
// one with a weight does, otherwise any does.
func addsOthers(r *record.Run, domains []spell.Domain) bool {
	weights := weightsOf(r)
	return slices.ContainsFunc(r.Matrix.Domains, func(d spell.Domain) bool {
		return (weights[d] > 0 || r.Analysis.RankedBy() != spell.ByPsi) && !slices.Contains(domains, d)
	})
}

func weightsOf(r *record.Run) spell.Weights {
	if r.Analysis == nil {
		return spell.DefaultWeights()
	}
	return r.Analysis.Weights
}

// rank ranks r by the common tests and domains, in the given order and with the options of its
// analysis. It does not change r.
func rank(r *record.Run, common []bool, domains []spell.Domain, order spell.Order) spell.Ranking {
	view := *r
	view.Tests = slices.Clone(r.Tests)
	for i := range view.Tests {
		view.Tests[i].Outcome = record.Skip
		if common[i] {
			view.Tests[i].Outcome = record.Pass
		}
	}
	o := spell.Options{Order: order, Weights: weightsOf(r), BelowResolution: make([]bool, len(r.Components))}
	o.Kept = make([]spell.Zone, len(r.Components))
	for i := range r.Components {
		o.BelowResolution[i] = r.Components[i].BelowResolution
		if r.Analysis.RankedBy() == order {
			o.Kept[i] = r.Components[i].KeptZone
		}
	}
	if a := r.Analysis; a != nil {
		o.Oracle = a.Oracle
		o.Zones = spell.ZoneRule{Absolute: a.Zones.Rule == record.Absolute, Red: a.Zones.Red, Yellow: a.Zones.Yellow, Floor: a.Zones.Floor}
		if a.Inclusive && r.Matrix.CumTimeMS != nil {
			return spell.Rank(only(view.CumulativeMatrix(false), domains), o)
		}
	}
	return spell.Rank(only(view.SpellMatrix(false), domains), o)
}

// only returns m without the energy of other domains.
func only(m *spell.Matrix, domains []spell.Domain) *spell.Matrix {
	if !slices.ContainsFunc(m.Domains, func(d spell.Domain) bool { return !slices.Contains(domains, d) }) {
		return m
	}
	kept := *m
	kept.Domains, kept.Energy = nil, nil
	for _, d := range m.Domains {
		if slices.Contains(domains, d) {
			kept.Domains = append(kept.Domains, d)
		}
	}
	for i := range m.Cells {
		for d, joules := range m.Joules(i) {
			if slices.Contains(domains, m.Domains[d]) {
				kept.Energy = append(kept.Energy, joules)
			}
		}
	}
	return &kept
}
