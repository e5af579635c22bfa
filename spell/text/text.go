// Package text shows a run as a page for the terminal. Its first screen says what the run is
// about, who holds most, and what makes that doubtful. The full page also has what was
// measured and how, the tests, the ranking, and how far it can be trusted.
//
// Markdown has the same in another order, for the page of a job in CI.
//
// A page has no tabs, no trailing blanks, and no control characters except
// the colours, which are only there if they were asked for.
package text

import (
	"bytes"
	"fmt"
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/summary"
)

// Options say what a page shows. The zero value is the first screen without
// colours.
type Options struct {
	Full    bool   // everything, and not the first screen alone; Markdown always has everything
	Top     int    // at most so many components and tests of the full page; 0 = 20, below 0 = all
	First   int    // components of the first screen; 0 = 3, below 0 = all
	Sort    string // "" = by rank; or psi, energy, time, n, epi or one of the run's domains; from the highest
	Color   bool   // ANSI colours
	ASCII   bool   // no block characters
	Width   int    // columns of the terminal; 0 = page.LineWidth, and never more than that
	Command string // prints the full page; "" = what printed this one, with --full
	Rates   footprint.Rates
	Within  string // only the components inside of this package, file, type or function, see grouping.Within; "" = all
	Source  Source // where functions have blocks; nil if that is not known
}

// Write writes the page of a run that was analysed.
func Write(w io.Writer, r *record.Run, o Options) error {
	p := newSheet(r, o)
	var err error
	if p.order, err = p.sorted(); err != nil {
		return err
	}
	p.summarize()
	if o.Full {
		p.full()
	} else {
		p.first()
	}
	if _, err := w.Write(p.b.Bytes()); err != nil {
		return fmt.Errorf("writing the ranking: %w", err)
	}
	return nil
}

// full writes everything.
func (p *sheet) full() {
	p.paragraph("", p.headline())
	p.b.WriteByte('\n')
	for _, f := range p.facts() {
		p.paragraph(fmt.Sprintf("%-11s", f.Label), f.Text)
	}
	p.tests()
	p.ranking()
	p.insides(p.order[:p.limit(len(p.order))])
	p.moved()
	p.lines()
	p.under()
	p.allocations()
	p.below()
	p.notPassed()
	p.writeBudgets(len(p.budgets))
	p.list("Warnings:", p.warnings())
	p.advice()
}

// A sheet is a run while its page is written.
type sheet struct {
	b           bytes.Buffer
	r           *record.Run        // values are over the tests of the analysis
	measured    []record.Component // as r, over all tests
	a           record.Analysis    // how r was ranked
	o           Options
	scores      []float64       // what the ranks follow, by component
	criterion   spell.Criterion // what it is a share of
	energy      bool            // joules are known
	byComponent bool            // of components too
	rowWord     string          // what a test is called, see record.Run.RowWord
	est         string          // stands before figures of energy: "est. " if they are estimated
	names       names
	tallies     []record.Tally // by component
	total       []float64      // by component, the sum of its joules
	all         float64        // sum of total
	powers      []record.Power // by component; nil where they are not known
	order       []int          // components as they are shown
	summary     *summary.Summary
	budgets     []budgets.Result
	byID        map[string]string // short names of components; made when a budget needs one
}

func newSheet(r *record.Run, o Options) *sheet {
	p := &sheet{r: ranking.Counted(r), measured: r.Components, budgets: budgets.Check(r), o: o, energy: r.Meter.KnowsEnergy(), rowWord: r.RowWord(), names: newNames(r)}
	p.byComponent = p.energy && len(r.Matrix.Domains) > 0
	if r.Meter.Origin() == record.Estimated {
		p.est = "est. "
	}
	if r.Analysis != nil {
		p.a = *r.Analysis
	}
	p.addUp()
	if !p.a.Inclusive {
		p.powers = p.r.Powers()
	}
	p.scores, p.criterion = p.r.Scores(p.tallies)
	return p
}

// addUp sums up the energies of the components.
func (p *sheet) addUp() {
	p.tallies = p.r.Tallies()
	p.total = make([]float64, len(p.tallies))
	for i := range p.tallies {
		p.total[i] = p.tallies[i].TotalJ()
		p.all += p.total[i]
	}
}

// limit is how many of n items are shown.
func (p *sheet) limit(n int) int { return page.Shown(p.o.Top, n) }

func (p *sheet) paragraph(first, text string) { page.ParagraphOf(&p.b, p.width(), first, text) }

// width is the number of columns.
func (p *sheet) width() int {
	if p.o.Width <= 0 {
		return page.LineWidth
	}
	return min(p.o.Width, page.LineWidth)
}
