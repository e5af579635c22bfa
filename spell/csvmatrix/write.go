package csvmatrix

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/csvtext"
	"spell-lsp/spell/record"
)

// Write writes m in joules and milliseconds, with the cells in their order; Read
// returns the same values to the last bit. origin is the source of the energy; it is
// written if it is [record.Measured] or [record.Estimated] and m has domains. The
// columns file and line are written if a component has one. For a matrix without
// domains the column cpu_J is empty.
//
// It is an error if m is not valid, has a domain that is not one of
// [spell.Domains], has a name that is empty, has a control character or is not
// UTF-8, or has a line that is negative or does not fit into 31 bits. In these cases
// nothing is written.
func Write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	err := writable(m)
	if err == nil {
		err = write(w, m, origin)
	}
	if err != nil {
		return fmt.Errorf("writing a matrix as CSV: %w", err)
	}
	return nil
}

func write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	if len(m.Domains) > 0 && (origin == record.Measured || origin == record.Estimated) {
		if _, err := fmt.Fprintf(w, "%s%s\n", originLine, origin); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	places := slices.ContainsFunc(m.Components, func(c spell.Component) bool { return c.File != "" || c.Line > 0 })
	row := header(m, places)
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range m.Cells {
		row = appendCell(row[:0], m, i, places)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func header(m *spell.Matrix, places bool) []string {
	row := []string{"test", "component"}
	if places {
		row = append(row, "file", "line")
	}
	if len(m.Domains) == 0 {
		row = append(row, "cpu_J")
	}
	for _, d := range m.Domains {
		row = append(row, string(d)+"_J")
	}
	return append(row, "n", "time_ms")
}

func appendCell(row []string, m *spell.Matrix, i int, places bool) []string {
	cell := m.Cells[i]
	c := &m.Components[cell.Component]
	row = append(row, csvtext.Encode(m.Tests[cell.Test]), csvtext.Encode(c.ID))
	if places {
		row = append(row, csvtext.Encode(c.File), lineText(c.Line))
	}
	if len(m.Domains) == 0 {
		row = append(row, "")
	}
	for _, joules := range m.Joules(i) {
		row = append(row, numberText(joules))
	}
	return append(row, numberText(cell.N), numberText(cell.TimeMS))
}

// largestLine is the largest line number that Read accepts.
const largestLine = 1<<lineBits - 1

func lineText(line int) string {
	if line < 1 {
		return ""
	}
	return strconv.Itoa(line)
}

// numberText returns the shortest text that reads back as the same number.
func numberText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// writable returns the reason why Read would refuse m as written; nil if it would not.
func writable(m *spell.Matrix) error {
	if err := m.Validate(); err != nil {
		return err
	}
	for _, d := range m.Domains {
		if !slices.Contains(spell.Domains(), d) {
			return fmt.Errorf("domain %q has no column; the domains are %s", d, domainNames())
		}
	}
	for _, t := range m.Tests {
		if what := spell.NameFault(t); what != "" {
			return fmt.Errorf("the name of test %q %s", t, what)
		}
	}
	for _, c := range m.Components {
		if what := spell.NameFault(c.ID); what != "" {
			return fmt.Errorf("the name of component %q %s", c.ID, what)
		}
		if what := spell.TextFault(c.File); what != "" {
			return fmt.Errorf("file %q of component %q %s", c.File, c.ID, what)
		}
		if c.Line < 0 || c.Line > largestLine {
			return fmt.Errorf("line %d of component %q is none, must be from 1 to %d, or 0 if it is not known", c.Line, c.ID, largestLine)
		}
	}
	return nil
}
