package text

import (
	"bytes"
	"strings"
)

// The colours of the terminal: of letters that also say it without colour.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	green  = "\x1b[1;32m"
	plain  = "\x1b[0m"
)

// gap is between two columns.
const gap = "  "

type column struct {
	head  string
	over  string // what stands in the line above the head, "" mostly
	right bool   // numbers are aligned to the right
	cap   int    // the columns behind it move no further right than this; a longer text pushes only its own row. 0 = none
}

type cell struct {
	text  string
	color string // "" for none
}

type table struct {
	columns []column
	rows    [][]cell
}

// add appends a row, one cell for each column, with every character visible.
func (t *table) add(row ...cell) {
	for i := range row {
		row[i].text = strings.TrimRight(clean(row[i].text), " ")
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(b *bytes.Buffer, color bool) {
	widths := t.widths()
	heads, over := make([]cell, len(t.columns)), make([]cell, len(t.columns))
	for i, c := range t.columns {
		heads[i].text, over[i].text = c.head, strings.TrimSpace(c.over)
	}
	t.line(b, over, widths, false)
	t.line(b, heads, widths, false)
	for _, row := range t.rows {
		t.line(b, row, widths, color)
	}
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = max(displayWidth(c.head), displayWidth(strings.TrimSpace(c.over)))
		for _, row := range t.rows {
			w := displayWidth(row[i].text)
			if c.cap > 0 {
				w = min(w, c.cap)
			}
			widths[i] = max(widths[i], w)
		}
	}
	return widths
}

// width is that of the longest line.
func (t *table) width() int {
	widths, longest := t.widths(), 0
	for _, row := range t.rows {
		line, blanks := 0, 0
		for i, c := range row {
			w := displayWidth(c.text)
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
func (t *table) line(b *bytes.Buffer, row []cell, widths []int, color bool) {
	blanks := 0
	begun := false
	for i, c := range row {
		padding := max(0, widths[i]-displayWidth(c.text))
		if i > 0 {
			blanks += len(gap)
		}
		if c.text == "" {
			blanks += padding
			continue
		}
		if t.columns[i].right {
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

func painted(c cell, color bool) string {
	if !color || c.color == "" {
		return c.text
	}
	return c.color + c.text + plain
}
