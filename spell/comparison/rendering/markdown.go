package rendering

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// Markdown writes the comparison as GitHub shows it in a job's summary or a
// comment: the headline, then tables and lists that can be folded. Names are
// escaped: none can change the page.
func Markdown(w io.Writer, compared *comparison.Comparison, o Options) error {
	var b bytes.Buffer
	c := onCommandLine(compared)
	for _, caveat := range c.CaveatNotes {
		fmt.Fprintf(&b, "> **Caveat:** %s\n\n", page.EscapeMarkdown(c.Sentence(caveat)))
	}
	fmt.Fprintf(&b, "**%s**\n\n- BASE: %s\n- HEAD: %s\n", page.EscapeMarkdown(c.headline()), page.EscapeMarkdown(describe(&c.Comparison.Base)), page.EscapeMarkdown(describe(&c.Comparison.Head)))
	names := c.names()
	if c.showTables() {
		c.markdownTables(&b, names, o)
	}
	for _, l := range c.lists(names, o) {
		fmt.Fprintf(&b, "\n<details><summary>%s (%d)</summary>\n\n", page.EscapeMarkdown(strings.TrimSuffix(l.title, ":")), len(l.items))
		for _, item := range l.items {
			fmt.Fprintf(&b, "- %s\n", page.EscapeMarkdown(item))
		}
		b.WriteString("\n</details>\n")
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

func (c *view) markdownTables(b *bytes.Buffer, n names, o Options) {
	if g := c.componentGrid(n, o.limit(len(c.Components))); len(g.rows) > 0 {
		b.WriteByte('\n')
		g.markdown(b)
		if more := len(c.Components) - len(g.rows); more > 0 {
			fmt.Fprintf(b, "\n%s not shown.\n", units.Plural(more, "more component"))
		}
	}
	if g := c.testGrid(n, o.limit(len(c.Tests))); len(g.rows) > 0 {
		b.WriteString("\n<details><summary>Tests</summary>\n\n")
		g.markdown(b)
		b.WriteString("\n</details>\n")
	}
	fmt.Fprintf(b, "\n<sub>%s</sub>\n", page.EscapeMarkdown(c.legend()))
}

func (g *grid) markdown(b *bytes.Buffer) {
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	heads, lines := make([]string, len(g.columns)), make([]string, len(g.columns))
	for i, column := range g.columns {
		heads[i], lines[i] = page.EscapeMarkdown(strings.TrimSpace(column.Over+" "+column.Head)), ":--"
		if column.Right {
			lines[i] = "--:"
		}
	}
	row(heads)
	row(lines)
	for _, cells := range g.rows {
		texts := make([]string, len(cells))
		for i, cell := range cells {
			texts[i] = page.EscapeMarkdown(cell.Text)
			if cell.Color == page.Red || cell.Color == page.Green && cell.Text == "better" {
				texts[i] = "**" + texts[i] + "**"
			}
		}
		row(texts)
	}
}
