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
	complete.Schema, complete.CallTree = Schema, nil
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
	b.Truncate(b.Len() - len("\n}\n")) // the lists go before the brace
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(b.Bytes()) // Flush returns the first error
	err := writeLists(out, r)
	_, _ = out.WriteString("\n}\n")
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	return nil
}

// writeLists writes the call tree, if there is one, and the matrix.
func writeLists(out *bufio.Writer, r *Run) error {
	var err error
	if n := len(r.CallTree); n > 0 {
		err = writeList(out, "call_tree", n, func(i int) any { return r.CallTree[i] })
	}
	return errors.Join(err, writeList(out, "matrix", len(r.Matrix.Cells), func(i int) any { return r.Matrix.Cell(i) }))
}

// writeList writes a member of the record that is a list of n items, an item a line.
func writeList(out *bufio.Writer, name string, n int, item func(int) any) error {
	end := ",\n \"" + name + "\": ["
	for i := range n {
		text, err := json.Marshal(item(i))
		if err != nil {
			return err
		}
		_, _ = out.WriteString(end + "\n  ")
		_, _ = out.Write(text)
		end = ","
	}
	if n > 0 {
		end = "\n "
	}
	_, err := out.WriteString(end + "]")
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
