package suspects

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/page"
)

// Markdown writes the page of [Text] for comments and job summaries on GitHub. Names are
// escaped, so that none can change the page.
func Markdown(w io.Writer, r Result, o Options) error {
	var b bytes.Buffer
	for _, f := range r.facts() {
		fmt.Fprintf(&b, "- %s: %s\n", f.label, page.EscapeMarkdown(f.text))
	}
	all := r.rows()
	shown := all[:o.limit(len(all))]
	paragraph(&b, r.suite())
	if caveat := r.caveat(len(all)); caveat != "" {
		fmt.Fprintf(&b, "\n**%s**\n", page.EscapeMarkdown(caveat))
	}
	if len(shown) > 0 {
		b.WriteByte('\n')
		r.markdownTable(shown, &b)
		paragraph(&b, r.legend(shown, all))
	}
	r.markdownRemarks(&b, shown)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the suspects as Markdown: %w", err)
	}
	return nil
}

func paragraph(b *bytes.Buffer, text string) { fmt.Fprintf(b, "\n%s\n", page.EscapeMarkdown(text)) }

func (r *Result) markdownTable(shown []row, b *bytes.Buffer) {
	columns := r.columns(shown)
	line := func(text func(c column) string) {
		for _, c := range columns {
			b.WriteString("| " + text(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(c column) string { return page.EscapeMarkdown(strings.TrimSpace(c.Over + " " + c.Head)) })
	line(func(c column) string { return choose(c.Right, "--:", ":--") })
	for _, w := range shown {
		line(func(c column) string {
			cell := c.cell(w)
			if cell.Color == page.Red {
				return "**" + page.EscapeMarkdown(cell.Text) + "**"
			}
			return page.EscapeMarkdown(cell.Text)
		})
	}
}

func (r *Result) markdownRemarks(b *bytes.Buffer, shown []row) {
	list := r.remarks(shown)
	if len(list) > 0 {
		b.WriteByte('\n')
	}
	for _, of := range list {
		fmt.Fprintf(b, "- %s: %s\n", of.mark, page.EscapeMarkdown(of.text))
	}
	if further := r.furtherGroups(list); further != "" {
		paragraph(b, further)
	}
}
