// Package ranking ranks the components of a run record: it sets what follows from the
// matrix (psi, rank, zone, explanation, ties), and counts what the ranked tests used. It
// keeps what was measured, and does not group or compare.
package ranking

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Analyze ranks the components of r and sorts them by rank. It sets the fields that follow
// from the ranking (Phi, Psi, EPIJ, Rank, Zone, Explanation, Tied) and keeps what was
// measured. The intervals of psi and rank belong to one analysis: they are kept if r was
// analysed in the same way before (r.Analysis; nil stands for the default analysis), and
// removed otherwise; those of rank also if the order is another. The flags of components below
// resolution are those of r unless o has some. [OrderOf] says what spell.OrderAuto stands for. Row.Component of the result is an index into
// r.Components as they are afterwards.
func Analyze(r *record.Run, o spell.Options, includeFailed bool) spell.Ranking {
	return analyze(r, r.SpellMatrix(includeFailed), o, includeFailed, false)
}

// AnalyzeInclusive is Analyze of the cumulative values (Run.CumulativeMatrix). It is an
// error if they are not known; r does not change then.
func AnalyzeInclusive(r *record.Run, o spell.Options, includeFailed bool) (spell.Ranking, error) {
	m := r.CumulativeMatrix(includeFailed)
	if m == nil {
		return spell.Ranking{}, ErrNoCumulative
	}
	return analyze(r, m, o, includeFailed, true), nil
}

// ErrNoCumulative says that a run has no values that count callees.
var ErrNoCumulative = errors.New("no cell says what the callees used: give a trace, or a run by function (not by package, file or type) that was measured by this version")

func analyze(r *record.Run, m *spell.Matrix, o spell.Options, includeFailed, inclusive bool) spell.Ranking {
	if o.BelowResolution == nil {
		o.BelowResolution = make([]bool, len(r.Components))
		for i := range r.Components {
			o.BelowResolution[i] = r.Components[i].BelowResolution
		}
	}
	o.Order = OrderOf(o.Order, r.OfProgram(), r.Granularity)
	before := r.Analysis
	if before == nil {
		before = AnalysisOf(spell.Options{}, false, r.Matrix.Domains)
	}
	r.Analysis = AnalysisOf(o, includeFailed, m.Domains)
	r.Analysis.Inclusive = inclusive
	o.Kept = keptZones(r, before)
	ranking := spell.Rank(m, o)
	r.Analysis.Notes = append(notesOf(ranking.Remarks, r.Granularity), unusedWeights(r, o.Weights)...)
	if !samePsi(before, r.Analysis, slices.ContainsFunc(r.Tests, func(t record.Test) bool { return t.LeftOut(false) })) {
		forgetIntervals(r)
	} else if before.RankedBy() != r.Analysis.RankedBy() {
		forgetRanks(r)
	}
	r.Localization, r.StructureAndEnergy = nil, nil
	partly := ranElsewhere(r, includeFailed)
	components, place := make([]record.Component, len(r.Components)), make([]int32, len(r.Components))
	for i := range ranking.Rows {
		row := &ranking.Rows[i]
		j := row.Component
		components[i], place[j], row.Component = r.Components[j], int32(i), i
		take(&components[i], *row, ranking.Domains)
		components[i].Explanation = wording.Explanation(explain(r, &components[i], row, ranking.By, partly[j], inclusive))
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
	markTies(r)
	return ranking
}

// explain explains the rank of a component in a ranking by a criterion. partly says that it also
// ran in tests that the analysis leaves out.
func explain(r *record.Run, c *record.Component, row *spell.Row, by spell.Criterion, partly, inclusive bool) explanation.Explanation {
	wallMS := 0.0
	if !partly && !inclusive && r.Granularity != spell.KindBlock { // a function's wall time holds that of its blocks
		wallMS = ownWallMS(c, row.TimeMS)
	}
	why := explanation.Of(*row, by, r.Matrix.Domains, wallMS, r.Meter.Origin() == record.Estimated)
	if c.ZoneByRule != "" && c.Zone == c.KeptZone {
		why.Kept = c.Zone
	}
	if r.Granularity.AcrossFunctions() && why.Reason != explanation.NotRun {
		why.Reason, why.Functions = explanation.OfFunctions, functions(c)
	}
	if why.Inclusive = inclusive; !inclusive {
		why.Callee = explanation.CalleeOf(why.Cost, Callees(c.Callees, c.TimeMS))
		why.Line = explanation.LineOf(why.Cost, lines(c))
	}
	return why
}

// functions are those of a group with their shares of its time.
func functions(c *record.Component) []explanation.Function {
	var list []explanation.Function
	for _, f := range c.Functions {
		list = append(list, explanation.Function{Name: f.ID, Share: min(1, f.TimeMS/c.TimeMS)})
	}
	return list
}

// lines are those of a component with their shares of its self time; none where it has only one.
func lines(c *record.Component) []explanation.Line {
	if c.TimeMS == 0 || c.Line == c.EndLine {
		return nil
	}
	var list []explanation.Line
	for _, l := range c.Lines {
		list = append(list, explanation.Line{Number: l.Line, Share: min(1, l.TimeMS/c.TimeMS)})
	}
	return list
}

// Callees are those of a component or line, with their shares of its own time, in milliseconds.
func Callees(callees []record.Callee, timeMS float64) []explanation.Callee {
	if timeMS == 0 {
		return nil
	}
	var list []explanation.Callee
	for _, callee := range callees {
		list = append(list, explanation.Callee{Name: callee.Name, Kind: callee.Kind, Share: min(1, callee.TimeMS/timeMS)})
	}
	return list
}

// OrderOf returns the order that o stands for; program says whether a program was measured, and
// kind what is ranked ("" = functions). spell.OrderAuto is that of the papers for a matrix of
// another tool. The functions of a program are weighted, because that finds leaks in functions;
// what is larger or smaller than a function has no executions that compare.
func OrderOf(o spell.Order, program bool, kind spell.Kind) spell.Order {
	switch {
	case o != spell.OrderAuto:
		return cmp.Or(o, spell.ByPsi)
	case !program:
		return spell.ByPsi
	case cmp.Or(kind, spell.KindFunction) != spell.KindFunction:
		return spell.ByEnergy
	}
	return spell.ByWeightedEnergy
}

// AnalysisOf describes an analysis with these options of a matrix of these
// domains. Its order must not be spell.OrderAuto.
func AnalysisOf(o spell.Options, includeFailed bool, domains []spell.Domain) *record.Analysis {
	oracle, weights := o.WithDefaults()
	a := &record.Analysis{Order: cmp.Or(o.Order, spell.ByPsi), Oracle: oracle, Weights: make(map[spell.Domain]float64), Zones: zonesOf(o.Zones), IncludeFailed: includeFailed}
	for _, d := range domains {
		a.Weights[d] = weights[d]
	}
	return a
}

// forgetIntervals removes the intervals of psi and rank.
func forgetIntervals(r *record.Run) {
	forgetRanks(r)
	for i := range r.Components {
		r.Components[i].PsiCI = [2]float64{}
	}
}

// forgetRanks removes the intervals of rank.
func forgetRanks(r *record.Run) {
	for i := range r.Components {
		r.Components[i].RankCI = [2]int{}
	}
}

// Outcomes returns the matrix of all tests that were not skipped, with failed tests, and by
// row whether the test failed.
func Outcomes(r *record.Run) (m *spell.Matrix, failed []bool) {
	all := r.SpellMatrix(true)
	m = &spell.Matrix{Components: all.Components}
	row := make([]int32, len(r.Tests))
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Outcome != record.Skip {
			row[i] = int32(len(m.Tests))
			m.Tests, failed = append(m.Tests, t.Name), append(failed, t.Outcome != record.Pass)
		}
	}
	for _, c := range all.Cells {
		c.Test = row[c.Test]
		m.Add(c)
	}
	return m, failed
}

// keptZones returns the kept zones of r by component; none, and forgets them, if r was ranked
// in another way before.
func keptZones(r *record.Run, before *record.Analysis) []spell.Zone {
	same, zones := SameZones(before, r.Analysis), make([]spell.Zone, len(r.Components))
	for i := range r.Components {
		c := &r.Components[i]
		if !same {
			c.KeptZone, c.KeptEnergyJ, c.KeptTimeMS, c.KeptN = "", 0, 0, 0
		}
		zones[i] = c.KeptZone
	}
	return zones
}

// SameZones tells whether zones of two analyses mean the same. Those under psi are the papers',
// and of one run alone.
func SameZones(a, b *record.Analysis) bool {
	return a != nil && b != nil && a.RankedBy() != spell.ByPsi && a.RankedBy() == b.RankedBy() && samePsi(a, b, true) && a.Zones == b.Zones
}

// samePsi tells whether two analyses of one run give the same psi. failed says whether the
// run has failed tests.
func samePsi(a, b *record.Analysis, failed bool) bool {
	return a.Oracle == b.Oracle && maps.Equal(a.Weights, b.Weights) && a.Inclusive == b.Inclusive && (!failed || a.IncludeFailed == b.IncludeFailed)
}

// take sets the fields of c that follow from its row of the ranking.
func take(c *record.Component, row spell.Row, domains []spell.Domain) {
	c.Phi = map[string]float64{"n": row.Phi.N, "time": row.Phi.Time}
	for d, domain := range domains {
		c.Phi[string(domain)] = row.Phi.Energy[d]
	}
	c.Psi, c.EPIJ, c.Rank, c.Zone = row.Psi, min(row.EPI, record.MaxNumber), row.Rank, row.Zone
	c.ZoneByRule = row.ByRule
	if row.ByRule == row.Zone {
		c.ZoneByRule = ""
	}
}

// ranElsewhere marks the components that also ran in tests that the analysis leaves out.
// Wall time is not known by test, so theirs cannot be compared with their running time.
func ranElsewhere(r *record.Run, includeFailed bool) []bool {
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

// ownWallMS is the wall time to compare with a self time of timeMS; 0 if it is not known.
// WallMS includes the callees, and a function that only calls others would seem to wait:
// the running time of the callees is subtracted.
func ownWallMS(c *record.Component, timeMS float64) float64 {
	if c.CumTimeMS == 0 && c.TimeMS > 0 {
		return 0
	}
	return timeMS + max(0, c.WallMS-c.CumTimeMS)
}

func markTies(r *record.Run) {
	for i := range r.Components {
		r.Components[i].Tied = overlap(r, i-1, i) || overlap(r, i, i+1)
	}
}

// overlap tells whether the intervals of two components are known and overlap: those of psi
// where psi gives the order, otherwise those of the rank.
func overlap(r *record.Run, i, j int) bool {
	if i < 0 || j >= len(r.Components) {
		return false
	}
	if r.Analysis.RankedBy() != spell.ByPsi {
		a, b := r.Components[i].RankCI, r.Components[j].RankCI
		return a[1] > 0 && b[1] > 0 && a[0] <= b[1] && b[0] <= a[1]
	}
	low1, high1, ok1 := r.PsiInterval(i)
	low2, high2, ok2 := r.PsiInterval(j)
	return ok1 && ok2 && low1 <= high2 && low2 <= high1
}

// zonesOf describes the rule of a ranking.
func zonesOf(z spell.ZoneRule) record.Zones {
	z = z.WithDefaults()
	if z.Absolute {
		return record.Zones{Rule: record.Absolute, Red: z.Red, Yellow: z.Yellow}
	}
	return record.Zones{Rule: record.Pareto, Red: z.Red, Yellow: z.Yellow, Floor: z.Floor}
}
