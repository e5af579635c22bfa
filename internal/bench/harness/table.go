package harness

import (
	"fmt"
	"io"
	"runtime"
	"strings"
)

// A Table shows measured values, and checks some of them against bars.
type Table struct {
	Title  string
	About  string // how it was measured
	Header []string
	Rows   [][]string
	checks []check
	Notes  []string
}

// A check compares a value with its bar.
type check struct {
	what, value, bar string
	ok               bool
}

// Row adds a row, with one cell for each column.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// AtMost checks a value against a bar; format is for both.
func (t *Table) AtMost(what, format string, value, bar float64) {
	t.checks = append(t.checks, check{what, fmt.Sprintf(format, value), "at most " + fmt.Sprintf(format, bar), value <= bar})
}

// Must adds a check that is either met or not.
func (t *Table) Must(what, value, bar string, ok bool) {
	t.checks = append(t.checks, check{what, value, bar, ok})
}

// Missed adds a failed check that has no value.
func (t *Table) Missed(why string) {
	t.checks = append(t.checks, check{what: why, value: "none", bar: "measured"})
}

// Passed reports whether every check is met. A table without checks does not pass,
// because it proves nothing.
func (t *Table) Passed() bool {
	for _, c := range t.checks {
		if !c.ok {
			return false
		}
	}
	return len(t.checks) > 0
}

// Write writes the table as Markdown with columns that are aligned.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", t.Title)
	if t.About != "" {
		fmt.Fprintf(&b, "\n%s\n", t.About)
	}
	if len(t.Rows) > 0 {
		grid(&b, t.Header, t.Rows)
	}
	var checks [][]string
	for _, c := range t.checks {
		result := "pass"
		if !c.ok {
			result = "FAIL"
		}
		checks = append(checks, []string{c.what, c.value, c.bar, result})
	}
	grid(&b, []string{"check", "value", "bar", "result"}, checks)
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "\n- %s", oneLine(note))
	}
	if len(t.Notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grid writes rows below a header. The first column is text, the others are
// values.
func grid(b *strings.Builder, header []string, rows [][]string) {
	width := make([]int, len(header))
	all := append([][]string{header}, rows...)
	for _, row := range all {
		for i := range header {
			width[i] = max(width[i], 3, len([]rune(cell(row[i]))))
		}
	}
	b.WriteByte('\n')
	for n, row := range all {
		for i := range header {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell(row[i]))))
			if i == 0 {
				fmt.Fprintf(b, "| %s%s ", cell(row[i]), pad)
			} else {
				fmt.Fprintf(b, "| %s%s ", pad, cell(row[i]))
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			rule(b, width)
		}
	}
}

func rule(b *strings.Builder, width []int) {
	for i, w := range width {
		if i == 0 {
			fmt.Fprintf(b, "|%s", strings.Repeat("-", w+2))
		} else {
			fmt.Fprintf(b, "|%s:", strings.Repeat("-", w+1))
		}
	}
	b.WriteString("|\n")
}

// cell returns s as text that cannot break a Markdown table.
func cell(s string) string { return strings.ReplaceAll(oneLine(s), "|", `\|`) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// machine describes the machine on which the values were measured.
func machine() string {
	return fmt.Sprintf("%s, %s/%s, %d processors.", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
