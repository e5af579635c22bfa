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
	Top   int  // at most so many components and tests; 0 = 20, below 0 = all
	Color bool // ANSI colours; Markdown has none
}

// limit is how many of n items are shown.
func (o Options) limit(n int) int { return page.Shown(o.Top, n) }

// Text writes a page for the terminal. Caveats come first, then the headline; the
// tables are left out where nothing changed.
func Text(w io.Writer, compared *comparison.Comparison, o Options) error {
	var b bytes.Buffer
	c := onCommandLine(compared)
	for _, caveat := range c.CaveatNotes {
		page.Paragraph(&b, "Caveat: ", c.Sentence(caveat))
	}
	page.Paragraph(&b, "", c.headline())
	b.WriteByte('\n')
	page.Paragraph(&b, "BASE  ", describe(&c.Comparison.Base))
	page.Paragraph(&b, "HEAD  ", describe(&c.Comparison.Head))
	names := c.names()
	if c.showTables() {
		c.textTables(&b, names, o)
	}
	for _, l := range c.lists(names, o) {
		b.WriteString("\n" + l.title + "\n")
		for _, item := range l.items {
			page.Paragraph(&b, "  - ", item)
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
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
		g.fit("psi", "p", "interval").Write(b, o.Color)
	}
	b.WriteByte('\n')
	if more := len(c.Components) - o.limit(len(c.Components)); more > 0 {
		page.Paragraph(b, "", units.Plural(more, "more component")+" not shown.")
	}
	page.Paragraph(b, "", c.legend())
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
