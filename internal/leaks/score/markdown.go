package score

import (
	"strings"
	"unicode/utf8"
)

// A table is written as Markdown with aligned columns. The first column is text, the
// others are values.
type table struct {
	header []string
	rows   [][]string
}

func (t table) write(b *strings.Builder) {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], 3, utf8.RuneCountInString(escape(cell)))
		}
	}
	b.WriteByte('\n')
	line(b, t.header, widths)
	for i, w := range widths {
		if i == 0 {
			b.WriteString("|" + strings.Repeat("-", w+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", w+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(b, row, widths)
	}
}

func line(b *strings.Builder, row []string, widths []int) {
	for i, cell := range row {
		cell = escape(cell)
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			cell += pad
		} else {
			cell = pad + cell
		}
		b.WriteString("| " + cell + " ")
	}
	b.WriteString("|\n")
}

// escape keeps a text from ending its cell.
func escape(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
