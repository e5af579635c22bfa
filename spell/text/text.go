// Package text shows a run as a page for the terminal: what was measured and
// how, the tests, the ranking, and below it everything that a reader must know
// to take the ranking for what it is.
//
// A page has no tabs, no trailing blanks, and no control characters except
// the colours, which are only there if they were asked for.
package text

import (
	"bytes"
	"fmt"
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
)

// Options say what a page shows. The zero value is the usual page without
// colours.
type Options struct {
	Top           int           // at most so many components and tests; 0 = 20, below 0 = all
	Sort          string        // psi (also ""), energy, time, n or epi; from the highest
	Color         bool          // ANSI colours
	Weights       spell.Weights // that the run was analysed with; nil = spell.DefaultWeights
	Oracle        spell.Oracle  // that the run was analysed with; "" = spell.SumOfProducts
	IncludeFailed bool          // the run was analysed with the tests that did not pass
}

// Write writes the page of a run that was analysed.
func Write(w io.Writer, r *record.Run, o Options) error {
	p, err := newSheet(r, o)
	if err != nil {
		return err
	}
	p.head()
	p.tests()
	p.ranking()
	p.unattributed()
	p.probes()
	p.notPassed()
	p.warnings()
	p.advice()
	if _, err := w.Write(p.b.Bytes()); err != nil {
		return fmt.Errorf("writing the ranking: %w", err)
	}
	return nil
}

// A sheet is a run on its way to the terminal.
type sheet struct {
	b      bytes.Buffer
	r      *record.Run
	o      Options
	energy bool   // joules are known
	est    string // before the name of every figure of energy: "est. " if it is estimated
	names  names
	joules []float64 // by component, in the tests of the analysis
	all    float64   // sum of joules
	order  []int     // components as they are shown
}

func newSheet(r *record.Run, o Options) (*sheet, error) {
	p := &sheet{r: r, o: o, energy: r.Meter.Source != record.NoEnergy && len(r.Meter.Domains) > 0, names: newNames(r)}
	if r.Meter.Source == record.Estimated {
		p.est = "est. "
	}
	if p.o.Top == 0 {
		p.o.Top = 20
	}
	p.joules = make([]float64, len(r.Components))
	for i, c := range r.Matrix.Cells {
		if r.Tests[c.Test].InAnalysis(o.IncludeFailed) {
			p.joules[c.Component] += r.Matrix.TotalJ(i)
		}
	}
	for _, joules := range p.joules {
		p.all += joules
	}
	var err error
	p.order, err = p.sorted()
	return p, err
}

// limit is how many of n items are shown.
func (p *sheet) limit(n int) int {
	if p.o.Top < 0 {
		return n
	}
	return min(n, p.o.Top)
}

func (p *sheet) paragraph(first, text string) { page.Paragraph(&p.b, first, text) }
