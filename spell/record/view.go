package record

import (
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// LeftOut tells whether the analysis leaves out the row of t: the test did not pass, and
// such tests are not included. A skipped test keeps an empty row.
func (t *Test) LeftOut(includeFailed bool) bool {
	return t.Outcome != Pass && t.Outcome != Skip && !includeFailed
}

// InAnalysis tells whether the cells of t count in the analysis.
func (t *Test) InAnalysis(includeFailed bool) bool {
	return t.Outcome != Skip && !t.LeftOut(includeFailed)
}

// SpellMatrix returns the matrix to be analysed: the tests that are not left out, and all
// components in the order of r. It may share its cells with r, so it is valid until r is
// analysed.
func (r *Run) SpellMatrix(includeFailed bool) *spell.Matrix {
	m, kept := r.spellMatrix(includeFailed)
	m.Cells, m.Energy = kept.cells(r.Matrix.Cells), kept.values(r.Matrix.EnergyJ, len(m.Domains))
	return m
}

// CumulativeMatrix is SpellMatrix with cumulative time and energy, which do not add up to
// the totals of tests. It is nil if the run does not know them.
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

// spellMatrix returns the matrix without cells, and the selection of its cells.
func (r *Run) spellMatrix(includeFailed bool) (*spell.Matrix, selection) {
	m := &spell.Matrix{Domains: r.Matrix.Domains, Components: r.Sources()}
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
	keep []bool  // by cell; nil = all cells, and rows are tests
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

// values returns the values of the selected cells; each cell has width values.
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

// Sources are the components of r without what was measured of them.
func (r *Run) Sources() []spell.Component {
	list := make([]spell.Component, len(r.Components))
	for i := range list {
		list[i] = r.Components[i].Source()
	}
	return list
}

// Source is c without what was measured of it.
func (c *Component) Source() spell.Component {
	return spell.Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File,
		Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash, Structure: c.Structure,
	}
}

// Clone copies the parts of a run that an analysis changes.
func (r *Run) Clone() *Run {
	c := *r
	c.Components = slices.Clone(r.Components)
	c.CallTree = slices.Clone(r.CallTree)
	c.Matrix.Cells = slices.Clone(r.Matrix.Cells)
	return &c
}

// AllNotes are those of the meter, the run, its domains and its ranking, with those that
// are known as texts only.
func (r *Run) AllNotes() []note.Note {
	all := slices.Concat(withTexts(r.Meter.Notes, r.Meter.Warnings), withTexts(r.Notes, r.Warnings), r.DomainNotes())
	if r.Analysis != nil {
		all = append(all, withTexts(r.Analysis.Notes, r.Analysis.Warnings)...)
	}
	return all
}

// withTexts appends notes of texts.
func withTexts(notes []note.Note, texts []string) []note.Note {
	all := slices.Clone(notes)
	for _, text := range texts {
		all = append(all, note.Text(text))
	}
	return all
}

// Shares returns the part of each component in the energy of all or, where there is none, in
// the running time or the executions.
func (r *Run) Shares(tallies []Tally) ([]float64, spell.Criterion) {
	return r.scores(spell.ByEnergy, tallies)
}

// Scores returns what the ranks and zones follow, by component, and what it is a share of.
// tallies are r.Tallies().
func (r *Run) Scores(tallies []Tally) ([]float64, spell.Criterion) {
	return r.scores(r.Analysis.RankedBy(), tallies)
}

func (r *Run) scores(by spell.Order, tallies []Tally) ([]float64, spell.Criterion) {
	size := len(r.Components)
	psi, joules, timeMS, n := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	for i := range r.Components {
		psi[i], joules[i], timeMS[i], n[i] = r.Components[i].Psi, tallies[i].TotalJ(), tallies[i].TimeMS, tallies[i].N
	}
	return by.Scores(psi, joules, timeMS, n)
}

// OfProgram tells whether the run measured a program; otherwise it is a matrix that another
// tool wrote.
func (r *Run) OfProgram() bool { return r.Mode != "" }

// CallsCounted tells whether it is known how often components ran: samples alone do not tell, and goroutines and
// labels have parts of functions.
func (r *Run) CallsCounted() bool {
	return r.Mode != "sample" && !r.Granularity.AcrossFunctions() || slices.ContainsFunc(r.Components, func(c Component) bool { return c.N > 0 })
}

// PsiInterval returns the 95 % interval of psi of component i; ok is false if it is not
// known, as after a single round.
func (r *Run) PsiInterval(i int) (low, high float64, ok bool) {
	ci := r.Components[i].PsiCI
	return ci[0], ci[1], r.Rounds > 1 && ci != [2]float64{}
}

// Imbalance is the largest relative difference, over all tests and domains, between the
// energy of a test and the sum of its cells and its unattributed energy. 0 is exact. It is
// 1 for a test without energy whose cells have some.
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

// difference is how far a sum is from the whole, relative to the whole.
func difference(whole, sum float64) float64 {
	if whole == 0 {
		if sum == 0 {
			return 0
		}
		return 1
	}
	return math.Abs(whole-sum) / whole
}
