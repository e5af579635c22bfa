package record

import (
	"math"
	"slices"

	"spell-lsp/spell"
)

// LeftOut tells whether the analysis leaves the row of t out: the test did not
// pass, and such tests are not to be included. A skipped test has a row, but
// an empty one.
func (t *Test) LeftOut(includeFailed bool) bool {
	return t.Outcome != Pass && t.Outcome != Skip && !includeFailed
}

// InAnalysis tells whether the cells of t count in the analysis.
func (t *Test) InAnalysis(includeFailed bool) bool {
	return t.Outcome != Skip && !t.LeftOut(includeFailed)
}

// SpellMatrix returns the matrix to be analysed: the domains of the meter, the
// tests that are not left out, and all components in their order in r.
func (r *Run) SpellMatrix(includeFailed bool) *spell.Matrix {
	m := &spell.Matrix{Domains: r.Meter.Domains, Components: make([]spell.Component, len(r.Components))}
	for i := range r.Components {
		m.Components[i] = r.Components[i].source()
	}
	row := make([]int32, len(r.Tests))
	for i := range r.Tests {
		if r.Tests[i].LeftOut(includeFailed) {
			row[i] = -1
			continue
		}
		row[i] = int32(len(m.Tests))
		m.Tests = append(m.Tests, r.Tests[i].Name)
	}
	joules := make([]float64, len(m.Domains))
	for _, c := range r.Matrix {
		if !r.Tests[c.T].InAnalysis(includeFailed) {
			continue
		}
		for d, domain := range m.Domains {
			joules[d] = c.EnergyJ[domain]
		}
		m.Add(spell.Cell{Test: row[c.T], Component: int32(c.C), N: c.N, TimeMS: c.TimeMS}, joules...)
	}
	return m
}

func (c *Component) source() spell.Component {
	return spell.Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File,
		Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash,
	}
}

// Analyze ranks the components of r and sorts them by rank. It sets what
// follows from the ranking (Phi, Psi, EPIJ, Rank, Zone, Explanation, Tied) and
// keeps what was measured, and the intervals. The ranking's warnings are added to those
// of r. Which components are below resolution is
// taken from r unless o says it. In the ranking that it returns, Row.Component
// is the index into r.Components as they are afterwards.
func (r *Run) Analyze(o spell.Options, includeFailed bool) spell.Ranking {
	if o.BelowResolution == nil {
		o.BelowResolution = make([]bool, len(r.Components))
		for i := range r.Components {
			o.BelowResolution[i] = r.Components[i].BelowResolution
		}
	}
	ranking := spell.Rank(r.SpellMatrix(includeFailed), o)
	partly := r.ranElsewhere(includeFailed)
	components, place := make([]Component, len(r.Components)), make([]int, len(r.Components))
	for i := range ranking.Rows {
		row := &ranking.Rows[i]
		j := row.Component
		components[i], place[j], row.Component = r.Components[j], i, i
		wallMS := 0.0
		if !partly[j] {
			wallMS = components[i].ownWallMS(row.TimeMS)
		}
		components[i].take(*row, ranking.Domains, wallMS, r.Meter.Source == Estimated)
	}
	r.Components = components
	for i := range r.Matrix {
		r.Matrix[i].C = place[r.Matrix[i].C]
	}
	r.markTies()
	for _, w := range ranking.Warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
	return ranking
}

// take sets what follows from a row of the ranking.
func (c *Component) take(row spell.Row, domains []spell.Domain, wallMS float64, estimated bool) {
	c.Phi = map[string]float64{"n": row.Phi.N, "time": row.Phi.Time}
	for d, domain := range domains {
		c.Phi[string(domain)] = row.Phi.Energy[d]
	}
	c.Psi, c.EPIJ, c.Rank, c.Zone = row.Psi, min(row.EPI, largest), row.Rank, row.Zone
	c.Explanation = spell.Explain(row, domains, wallMS, estimated)
}

// ranElsewhere marks the components that also ran in tests which are left out.
// Their wall time is not known by test, so it cannot be compared.
func (r *Run) ranElsewhere(includeFailed bool) []bool {
	marks := make([]bool, len(r.Components))
	for _, c := range r.Matrix {
		if r.Tests[c.T].LeftOut(includeFailed) {
			marks[c.C] = true
		}
	}
	return marks
}

// ownWallMS is the wall time to compare with a self time of timeMS; 0 where it
// is not known. WallMS counts the callees, so that a function which only calls
// others would seem to wait: what they ran is taken out.
func (c *Component) ownWallMS(timeMS float64) float64 {
	if c.CumTimeMS == 0 && c.TimeMS > 0 {
		return 0
	}
	return timeMS + max(0, c.WallMS-c.CumTimeMS)
}

// PsiInterval returns the 95 % interval of the psi of component i; ok is false
// where none is known, as after a single round.
func (r *Run) PsiInterval(i int) (low, high float64, ok bool) {
	ci := r.Components[i].PsiCI
	return ci[0], ci[1], r.Rounds > 1 && ci != [2]float64{}
}

func (r *Run) markTies() {
	for i := range r.Components {
		r.Components[i].Tied = r.overlap(i-1, i) || r.overlap(i, i+1)
	}
}

// overlap tells whether the intervals of two components are known and overlap.
func (r *Run) overlap(i, j int) bool {
	if i < 0 || j >= len(r.Components) {
		return false
	}
	low1, high1, ok1 := r.PsiInterval(i)
	low2, high2, ok2 := r.PsiInterval(j)
	return ok1 && ok2 && low1 <= high2 && low2 <= high1
}

// Imbalance tells how well the parts add up: the worst relative difference,
// over all tests and domains, between the energy of a test and the sum of its
// cells and what was not attributed. 0 is exact; 1 is also the result for a
// test without energy whose parts have some.
func (r *Run) Imbalance() float64 {
	parts := make([]Energy, len(r.Tests))
	for i := range parts {
		parts[i] = Energy{}
		for _, d := range r.Meter.Domains {
			parts[i][d] = r.Tests[i].UnattributedJ[d]
		}
	}
	for _, c := range r.Matrix {
		for _, d := range r.Meter.Domains {
			parts[c.T][d] += c.EnergyJ[d]
		}
	}
	worst := 0.0
	for i := range parts {
		for d, sum := range parts[i] {
			worst = max(worst, difference(r.Tests[i].EnergyJ[d], sum))
		}
	}
	return worst
}

// difference is that of a sum from the whole, as a share of the whole.
func difference(whole, sum float64) float64 {
	if whole == 0 {
		if sum == 0 {
			return 0
		}
		return 1
	}
	return math.Abs(whole-sum) / whole
}
