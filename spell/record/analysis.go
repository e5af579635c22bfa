package record

import (
	"errors"
	"maps"
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

// SpellMatrix returns the matrix to be analysed: the domains of the run's matrix, the
// tests that are not left out, and all components in their order in r. It may
// share its cells with r: it is valid until r is analysed.
func (r *Run) SpellMatrix(includeFailed bool) *spell.Matrix {
	m, kept := r.spellMatrix(includeFailed)
	m.Cells, m.Energy = kept.cells(r.Matrix.Cells), kept.values(r.Matrix.EnergyJ, len(m.Domains))
	return m
}

// CumulativeMatrix is like SpellMatrix, with the time and the energy of what the
// callees used as well: parts do not add up. Where the run does not know that, it
// is nil.
func (r *Run) CumulativeMatrix(includeFailed bool) *spell.Matrix {
	if r.Matrix.CumTimeMS == nil && len(r.Matrix.Cells) > 0 {
		return nil
	}
	m, kept := r.spellMatrix(includeFailed)
	m.Cells, m.Energy = slices.Clone(kept.cells(r.Matrix.Cells)), kept.values(r.Matrix.CumEnergyJ, len(m.Domains))
	for i, ms := range kept.values(r.Matrix.CumTimeMS, 1) {
		m.Cells[i].TimeMS = ms
	}
	return m
}

// spellMatrix is a matrix without cells, and which cells are to be in it.
func (r *Run) spellMatrix(includeFailed bool) (*spell.Matrix, selection) {
	m := &spell.Matrix{Domains: r.Matrix.Domains, Components: make([]spell.Component, len(r.Components))}
	for i := range r.Components {
		m.Components[i] = r.Components[i].source()
	}
	s := selection{row: make([]int32, len(r.Tests))}
	for i := range r.Tests {
		t := &r.Tests[i]
		s.row[i] = int32(len(m.Tests))
		if !t.LeftOut(includeFailed) {
			m.Tests = append(m.Tests, t.Name)
		}
		if !t.InAnalysis(includeFailed) {
			s.row[i] = -1
		}
	}
	if slices.Contains(s.row, -1) {
		s.keep = make([]bool, len(r.Matrix.Cells))
		for i, c := range r.Matrix.Cells {
			s.keep[i] = s.row[c.Test] >= 0
		}
	}
	return m, s
}

// A selection of the cells of a run.
type selection struct {
	row  []int32 // of a matrix, by test; -1 if its cells are left out
	keep []bool  // by cell; nil = all, and rows are tests
}

func (s selection) cells(all []spell.Cell) []spell.Cell {
	if s.keep == nil {
		return all
	}
	var kept []spell.Cell
	for i, c := range all {
		if s.keep[i] {
			c.Test = s.row[c.Test]
			kept = append(kept, c)
		}
	}
	return kept
}

// values are those of the cells, width for each.
func (s selection) values(all []float64, width int) []float64 {
	if s.keep == nil || width == 0 {
		return all
	}
	var kept []float64
	for i, keep := range s.keep {
		if keep {
			kept = append(kept, all[i*width:(i+1)*width]...)
		}
	}
	return kept
}

func (c *Component) source() spell.Component {
	return spell.Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File,
		Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash,
	}
}

// Analyze ranks the components of r and sorts them by rank. It sets what
// follows from the ranking (Phi, Psi, EPIJ, Rank, Zone, Explanation, Tied) and
// keeps what was measured. It keeps the intervals too, unless r was analysed
// otherwise before (r.Analysis; nil stands for the usual analysis): they are
// unknown then. Which components are below resolution is
// taken from r unless o says it. In the ranking that it returns, Row.Component
// is the index into r.Components as they are afterwards.
func (r *Run) Analyze(o spell.Options, includeFailed bool) spell.Ranking {
	return r.analyze(r.SpellMatrix(includeFailed), o, includeFailed, false)
}

// AnalyzeInclusive is like Analyze, with the values of CumulativeMatrix. There is
// an error where they are not known; r is then as it was.
func (r *Run) AnalyzeInclusive(o spell.Options, includeFailed bool) (spell.Ranking, error) {
	m := r.CumulativeMatrix(includeFailed)
	if m == nil {
		return spell.Ranking{}, ErrNoCumulative
	}
	return r.analyze(m, o, includeFailed, true), nil
}

// ErrNoCumulative says that a run has no values that count callees.
var ErrNoCumulative = errors.New("no cell says what the callees used: give a trace, or a run by function (not by package, file or type) that was measured by this version")

func (r *Run) analyze(m *spell.Matrix, o spell.Options, includeFailed, inclusive bool) spell.Ranking {
	if o.BelowResolution == nil {
		o.BelowResolution = make([]bool, len(r.Components))
		for i := range r.Components {
			o.BelowResolution[i] = r.Components[i].BelowResolution
		}
	}
	ranking := spell.Rank(m, o)
	before := r.Analysis
	if before == nil {
		before = AnalysisOf(spell.Options{}, false, r.Matrix.Domains)
	}
	r.Analysis = AnalysisOf(o, includeFailed, ranking.Domains)
	r.Analysis.Inclusive, r.Analysis.Warnings = inclusive, slices.Concat(ranking.Warnings, r.weightWarnings(o.Weights))
	if !before.samePsi(r.Analysis, slices.ContainsFunc(r.Tests, func(t Test) bool { return t.LeftOut(false) })) {
		r.forgetIntervals()
	}
	r.Localization = nil
	partly := r.ranElsewhere(includeFailed)
	components, place := make([]Component, len(r.Components)), make([]int32, len(r.Components))
	for i := range ranking.Rows {
		row := &ranking.Rows[i]
		j := row.Component
		components[i], place[j], row.Component = r.Components[j], int32(i), i
		wallMS := 0.0
		if !partly[j] && !inclusive && r.Granularity != spell.KindBlock { // a function's wall time holds that of its blocks
			wallMS = components[i].ownWallMS(row.TimeMS)
		}
		components[i].take(*row, ranking.Domains, wallMS, r.Meter.Origin() == Estimated)
		if inclusive {
			components[i].Explanation = "Counted with what it calls. " + components[i].Explanation
		}
	}
	r.Components = components
	for i := range r.Matrix.Cells {
		c := &r.Matrix.Cells[i]
		c.Component = place[c.Component]
	}
	r.CallTree = slices.Clone(r.CallTree) // a run by something finer may share it
	for i := range r.CallTree {
		r.CallTree[i].Component = int(place[r.CallTree[i].Component])
	}
	r.markTies()
	return ranking
}

// Clone copies a run as far as an analysis changes it.
func (r *Run) Clone() *Run {
	c := *r
	c.Components = slices.Clone(r.Components)
	c.CallTree = slices.Clone(r.CallTree)
	c.Matrix.Cells = slices.Clone(r.Matrix.Cells)
	return &c
}

// AnalysisOf describes an analysis with these options of a matrix of these
// domains.
func AnalysisOf(o spell.Options, includeFailed bool, domains []spell.Domain) *Analysis {
	oracle, weights := o.WithDefaults()
	a := &Analysis{Oracle: oracle, Weights: make(map[spell.Domain]float64), Zones: zonesOf(o.Zones), IncludeFailed: includeFailed}
	for _, d := range domains {
		a.Weights[d] = weights[d]
	}
	return a
}

// forgetIntervals leaves out those of psi and rank.
func (r *Run) forgetIntervals() {
	for i := range r.Components {
		r.Components[i].PsiCI, r.Components[i].RankCI = [2]float64{}, [2]int{}
	}
}

// AllWarnings are those of the meter, the run, its domains and its ranking, each once.
func (r *Run) AllWarnings() []string {
	all := slices.Concat(r.Meter.Warnings, r.Warnings, r.DomainRemarks())
	if r.Analysis != nil {
		all = append(all, r.Analysis.Warnings...)
	}
	var list []string
	for _, w := range all {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// Outcomes returns what the tests ran, and which of them failed, by row: those that
// were not skipped.
func (r *Run) Outcomes() (m *spell.Matrix, failed []bool) {
	all := r.SpellMatrix(true)
	m = &spell.Matrix{Components: all.Components}
	row := make([]int32, len(r.Tests))
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Outcome != Skip {
			row[i] = int32(len(m.Tests))
			m.Tests, failed = append(m.Tests, t.Name), append(failed, t.Outcome != Pass)
		}
	}
	for _, c := range all.Cells {
		c.Test = row[c.Test]
		m.Add(c)
	}
	return m, failed
}

// samePsi tells whether two analyses give the same psi of a run in which tests
// failed or not.
func (a *Analysis) samePsi(b *Analysis, failed bool) bool {
	return a.Oracle == b.Oracle && maps.Equal(a.Weights, b.Weights) && a.Inclusive == b.Inclusive && (!failed || a.IncludeFailed == b.IncludeFailed)
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
	left := make([]bool, len(r.Tests))
	for i := range r.Tests {
		left[i] = r.Tests[i].LeftOut(includeFailed)
	}
	if !slices.Contains(left, true) {
		return marks
	}
	for _, c := range r.Matrix.Cells {
		if left[c.Test] {
			marks[c.Component] = true
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
	m := &r.Matrix
	domains := len(m.Domains)
	parts := m.SumEnergy(m.EnergyJ, len(r.Tests), func(i int) int { return int(m.Cells[i].Test) })
	worst := 0.0
	for i := range r.Tests {
		t := &r.Tests[i]
		for _, domain := range r.Meter.Domains {
			sum := t.UnattributedJ[domain]
			if d := slices.Index(m.Domains, domain); d >= 0 {
				sum += parts[i*domains+d]
			}
			worst = max(worst, difference(t.EnergyJ[domain], sum))
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
