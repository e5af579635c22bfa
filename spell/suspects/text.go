package suspects

import (
	"bytes"
	"fmt"
	"io"

	"spell-lsp/spell/page"
)

// Text writes a page for the terminal: the spectrum, how well its tests tell components
// apart, the ranking, and which tests would split the ambiguity groups. It has no control
// characters except colours, if they are asked for.
func Text(w io.Writer, r Result, o Options) error {
	var b bytes.Buffer
	for _, f := range r.facts() {
		page.Paragraph(&b, fmt.Sprintf("%-12s", f.label), f.text)
	}
	b.WriteByte('\n')
	page.Paragraph(&b, "", r.suite())
	all := r.rows()
	shown := all[:o.limit(len(all))]
	if caveat := r.caveat(len(all)); caveat != "" {
		page.Paragraph(&b, "", caveat)
	}
	if len(shown) > 0 {
		r.table(shown, &b, o.Color)
		page.Paragraph(&b, "", r.legend(shown, all))
	}
	r.textRemarks(&b, shown)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the suspects: %w", err)
	}
	return nil
}

func (r *Result) table(shown []row, b *bytes.Buffer, color bool) {
	columns := r.columns(shown)
	t := page.Table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, w := range shown {
		var cells []page.Cell
		for _, c := range columns {
			cells = append(cells, c.cell(w))
		}
		t.Add(cells...)
	}
	b.WriteByte('\n')
	t.Write(b, color)
}

func (r *Result) textRemarks(b *bytes.Buffer, shown []row) {
	list := r.remarks(shown)
	further := r.furtherGroups(list)
	if len(list) > 0 {
		b.WriteString("\nGroups:\n")
	} else if further != "" {
		b.WriteByte('\n')
	}
	for _, of := range list {
		page.Paragraph(b, fmt.Sprintf("  %s  ", of.mark), of.text)
	}
	if further != "" {
		page.Paragraph(b, "", further)
	}
}
