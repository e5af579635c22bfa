package page

import (
	"bytes"
	"strings"
)

// The colours of the terminal. The colored letters say the same without colour.
const (
	Red    = "\x1b[1;31m"
	Yellow = "\x1b[1;33m"
	Green  = "\x1b[1;32m"
	plain  = "\x1b[0m"
)

// gap is between two columns.
const gap = "  "

// A Column describes what stands in one column of a table.
type Column struct {
	Head  string
	Over  string // text in the line above the head; mostly ""
	Right bool   // numbers are aligned to the right
	Cap   int    // the columns behind it move no further right than this; a longer text pushes only its own row. 0 = none
}

// A Cell is a text in a table.
type Cell struct {
	Text  string
	Color string // "" for none
}

// A Table is written with two blanks between its columns, which are as wide as
// their widest cell.
type Table struct {
	Columns []Column
	rows    [][]Cell
}

// Add appends a row, one cell for each column, with every character visible.
func (t *Table) Add(row ...Cell) {
	for i := range row {
		row[i].Text = strings.TrimRight(Clean(row[i].Text), " ")
	}
	t.rows = append(t.rows, row)
}

// Append adds a column, whose cells are given by row.
func (t *Table) Append(c Column, cell func(row int) Cell) {
	t.Columns = append(t.Columns, c)
	for i := range t.rows {
		added := cell(i)
		added.Text = strings.TrimRight(Clean(added.Text), " ")
		t.rows[i] = append(t.rows[i], added)
	}
}

// Write writes the heads and the rows.
func (t *Table) Write(b *bytes.Buffer, color bool) {
	widths := t.widths()
	heads, over := make([]Cell, len(t.Columns)), make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		heads[i].Text, over[i].Text = c.Head, strings.TrimSpace(c.Over)
	}
	t.line(b, over, widths, false)
	t.line(b, heads, widths, false)
	for _, row := range t.rows {
		t.line(b, row, widths, color)
	}
}

// Markdown writes the table as GitHub's Markdown has it; what is red stands out.
func (t *Table) Markdown(b *bytes.Buffer) {
	line := func(text func(i int) string) {
		for i := range t.Columns {
			b.WriteString("| " + text(i) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(i int) string {
		return EscapeMarkdown(strings.TrimSpace(strings.TrimSpace(t.Columns[i].Over) + " " + t.Columns[i].Head))
	})
	line(func(i int) string {
		if t.Columns[i].Right {
			return "--:"
		}
		return ":--"
	})
	for _, row := range t.rows {
		line(func(i int) string {
			text := EscapeMarkdown(row[i].Text)
			if row[i].Color == Red {
				text = "**" + text + "**"
			}
			return text
		})
	}
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = max(DisplayWidth(c.Head), DisplayWidth(strings.TrimSpace(c.Over)))
		for _, row := range t.rows {
			w := DisplayWidth(row[i].Text)
			if c.Cap > 0 {
				w = min(w, c.Cap)
			}
			widths[i] = max(widths[i], w)
		}
	}
	return widths
}

// Width is that of the longest line.
func (t *Table) Width() int {
	widths, longest := t.widths(), 0
	for _, row := range t.rows {
		line, blanks := 0, 0
		for i, c := range row {
			w := DisplayWidth(c.Text)
			if w > 0 {
				line, blanks = line+blanks+max(w, widths[i]), 0
			} else {
				blanks += widths[i]
			}
			blanks += len(gap)
		}
		longest = max(longest, line)
	}
	return longest
}

// line writes one row without blanks at its end; nothing if all of it is blank.
func (t *Table) line(b *bytes.Buffer, row []Cell, widths []int, color bool) {
	blanks := 0
	begun := false
	for i, c := range row {
		padding := max(0, widths[i]-DisplayWidth(c.Text))
		if i > 0 {
			blanks += len(gap)
		}
		if c.Text == "" {
			blanks += padding
			continue
		}
		if t.Columns[i].Right {
			blanks, padding = blanks+padding, 0
		}
		b.WriteString(strings.Repeat(" ", blanks))
		b.WriteString(painted(c, color))
		blanks, begun = padding, true
	}
	if begun {
		b.WriteByte('\n')
	}
}

func painted(c Cell, color bool) string {
	if !color || c.Color == "" {
		return c.Text
	}
	return c.Color + c.Text + plain
}
