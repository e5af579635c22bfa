package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"spell-lsp/spell"
)

// Write writes r as indented JSON that ends in a newline: the same bytes for
// the same run. It refuses what Read would refuse.
func (r *Run) Write(w io.Writer) error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	complete := r.complete()
	complete.Schema = Schema
	if r.Analysis != nil {
		complete.Localization = r.localization()
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(complete); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	b.Truncate(b.Len() - len("\n}\n")) // the matrix goes before the brace
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(b.Bytes()) // Flush returns the first error
	if err := errors.Join(writeCells(out, &r.Matrix), out.Flush()); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	return nil
}

// writeCells writes the member matrix and the end of the record, a cell a line.
func writeCells(out *bufio.Writer, m *Matrix) error {
	end := ",\n \"matrix\": ["
	for i := range m.Cells {
		text, err := json.Marshal(m.Cell(i))
		if err != nil {
			return err
		}
		_, _ = out.WriteString(end + "\n  ")
		_, _ = out.Write(text)
		end = ","
	}
	if len(m.Cells) > 0 {
		end = "\n "
	}
	_, err := out.WriteString(end + "]\n}\n")
	return err
}

// complete returns a copy of r in which no list or map that is always there is
// nil, which JSON would show as null, and what is the usual is left out.
func (r *Run) complete() *Run {
	c := *r
	if c.Settings == nil {
		c.Settings = map[string]any{}
	}
	c.Meter.Domains = filled(c.Meter.Domains, func(*spell.Domain) {})
	c.Meter.Warnings = filled(c.Meter.Warnings, func(*string) {})
	c.Warnings = filled(c.Warnings, func(*string) {})
	c.Tests = filled(c.Tests, func(t *Test) {
		fillEnergy(&t.EnergyJ)
		fillEnergy(&t.UnattributedJ)
		if t.Repeats == 1 {
			t.Repeats = 0
		}
	})
	c.Components = filled(c.Components, func(c *Component) {
		fillEnergy(&c.EnergyJ)
		fillEnergy(&c.CumEnergyJ)
		if c.Phi == nil {
			c.Phi = map[string]float64{}
		}
	})
	return &c
}

// filled returns a copy of list that is not nil, after fill has seen each item.
func filled[T any](list []T, fill func(*T)) []T {
	list = slices.Clone(list)
	if list == nil {
		return []T{}
	}
	for i := range list {
		fill(&list[i])
	}
	return list
}

func fillEnergy(e *Energy) {
	if *e == nil {
		*e = Energy{}
	}
}
