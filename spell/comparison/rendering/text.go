// Package rendering writes a comparison: as a page for the terminal, as Markdown, as JSON,
// and in a sentence or two for the command line or an editor. It decides nothing: verdicts
// and reasons are those of package comparison.
package rendering

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A view is a comparison as somebody reads it.
type view struct {
	*comparison.Comparison
	wording.Audience
}

func onCommandLine(c *comparison.Comparison) *view { return &view{c, wording.CommandLine} }

// Options say what a page shows.
type Options struct {
	Full    bool   // everything, and not the first screen alone; Markdown always has everything
	Top     int    // at most so many components and tests of the full page; 0 = 20, below 0 = all
	First   int    // components of the first screen; 0 = 3, below 0 = all
	Color   bool   // ANSI colours; Markdown has none
	ASCII   bool   // no block characters
	Width   int    // columns of the terminal; 0 = page.LineWidth, and never more than that
	Command string // prints the full page; "" = this is a part of a page that says it
}

// width is the number of columns.
func (o Options) width() int {
	if o.Width <= 0 {
		return page.LineWidth
	}
	return min(o.Width, page.LineWidth)
}

// limit is how many of n items are shown.
func (o Options) limit(n int) int { return page.Shown(o.Top, n) }

// Text writes a page for the terminal. Caveats come first, then the headline; the
// tables are left out where nothing changed.
func Text(w io.Writer, compared *comparison.Comparison, o Options) error {
	var b bytes.Buffer
	c := onCommandLine(compared)
	for _, caveat := range c.CaveatNotes {
		page.ParagraphOf(&b, o.width(), "Caveat: ", c.Sentence(caveat))
	}
	page.ParagraphOf(&b, o.width(), "", c.headline())
	b.WriteByte('\n')
	c.beforeAndAfter(&b, o)
	if o.Full || c.Empty() { // that is short
		c.rest(&b, o)
	} else {
		c.first(&b, o)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// rest writes what is below the headline of the full page.
func (c *view) rest(b *bytes.Buffer, o Options) {
	names := c.names()
	if c.showTables() {
		c.textTables(b, names, o)
	}
	for _, l := range c.lists(names, o) {
		o.list(b, l)
	}
}

func (o Options) list(b *bytes.Buffer, l list) {
	if len(l.items) == 0 {
		return
	}
	b.WriteString("\n" + l.title + "\n")
	for _, item := range l.items {
		page.ParagraphOf(b, o.width(), "  - ", item)
	}
}

// showTables is false if nothing changed and nothing is undecided, or if nothing was
// compared.
func (c *view) showTables() bool {
	return !c.Empty() && (c.Changed() || c.DecisiveTotal().Verdict == comparison.Undecided)
}

func (c *view) textTables(b *bytes.Buffer, n names, o Options) {
	for _, g := range []grid{c.componentGrid(n, o.limit(len(c.Components))), c.testGrid(n, o.limit(len(c.Tests)))} {
		if len(g.rows) == 0 {
			continue
		}
		b.WriteByte('\n')
		g.fit(o.width(), "psi", "p", "interval").Write(b, o.Color)
	}
	b.WriteByte('\n')
	if more := len(c.Components) - o.limit(len(c.Components)); more > 0 {
		page.ParagraphOf(b, o.width(), "", units.Plural(more, "more component")+" not shown.")
	}
	page.ParagraphOf(b, o.width(), "", c.legend())
}

// describe names a run in a line.
func describe(s *comparison.Side) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(s.ID)
	if s.Revision != "" {
		add("revision " + s.Revision + map[bool]string{true: " with changes"}[s.Dirty])
	}
	switch s.Source {
	case "":
		add("energy of unknown origin")
	case record.NoEnergy:
		add("no energy known")
	case record.Estimated:
		add("ESTIMATED by " + s.Meter)
	default:
		add("measured by " + s.Meter + wording.CounterRoot(s.Root))
	}
	add(units.Plural(s.Rounds, "round"))
	add(units.Plural(s.Tests, "test"))
	return strings.Join(parts, ", ")
}
