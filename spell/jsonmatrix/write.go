package jsonmatrix

import (
	"fmt"
	"io"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Write writes m, one cell a line, cells in their own order; Read gives the
// same back: every value to the last bit, every field of a component, and the
// tests and components that have no cell. origin is where the energy comes from;
// it is written if it is [record.Measured] or [record.Estimated].
//
// It is an error if m is not valid, or has what the format cannot express: a domain
// that is not one of [spell.Domains], a kind of component that is not one of
// package spell's, a test or component without a name, text that is not UTF-8, or
// a line or column that is negative or no int32. Nothing is written then.
func Write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	err := writable(m)
	if err == nil {
		out := &output{w: w}
		out.matrix(m, origin)
		out.spill(0)
		err = out.err
	}
	if err != nil {
		return fmt.Errorf("writing a matrix as JSON: %w", err)
	}
	return nil
}

// An output buffers text, and writes it in large pieces until an error.
type output struct {
	w    io.Writer
	text []byte
	err  error
}

// spill writes the buffered text if it is longer than limit.
func (o *output) spill(limit int) {
	if len(o.text) <= limit {
		return
	}
	if o.err == nil {
		_, o.err = o.w.Write(o.text)
	}
	o.text = o.text[:0]
}

func (o *output) matrix(m *spell.Matrix, origin record.Source) {
	o.text = fmt.Appendf(o.text, "{\n \"schema\": %q", Schema)
	if origin == record.Measured || origin == record.Estimated {
		o.text = fmt.Appendf(o.text, ",\n \"energy\": %q", origin)
	}
	o.list("domains", len(m.Domains), func(b []byte, i int) []byte { return appendString(b, string(m.Domains[i])) })
	o.list("tests", len(m.Tests), func(b []byte, i int) []byte { return appendString(b, m.Tests[i]) })
	o.list("components", len(m.Components), func(b []byte, i int) []byte { return appendComponent(b, &m.Components[i]) })
	o.list("cells", len(m.Cells), func(b []byte, i int) []byte { return appendCell(b, m, i) })
	o.text = append(o.text, "\n}\n"...)
}

// list writes a member that is a list, each item on a line.
func (o *output) list(name string, length int, item func(b []byte, i int) []byte) {
	o.text = fmt.Appendf(o.text, ",\n %q: [", name)
	for i := 0; i < length && o.err == nil; i++ {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.text = item(append(o.text, "\n  "...), i)
		o.spill(bufferSize)
	}
	if length > 0 {
		o.text = append(o.text, "\n "...)
	}
	o.text = append(o.text, ']')
}

func appendComponent(b []byte, c *spell.Component) []byte {
	if *c == (spell.Component{ID: c.ID}) {
		return appendString(b, c.ID)
	}
	b = appendString(append(b, `{"id":`...), c.ID)
	for _, f := range textFields(c) {
		if f.value != "" {
			b = appendString(appendName(b, f.name), f.value)
		}
	}
	for _, f := range placeFields(c) {
		if f.value != 0 {
			b = strconv.AppendInt(appendName(b, f.name), int64(f.value), 10)
		}
	}
	return append(b, '}')
}

func appendName(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}

func appendCell(b []byte, m *spell.Matrix, i int) []byte {
	c := m.Cells[i]
	b = strconv.AppendInt(append(b, `{"t":`...), int64(c.Test), 10)
	b = strconv.AppendInt(append(b, `,"c":`...), int64(c.Component), 10)
	b = appendNumber(append(b, `,"n":`...), c.N)
	b = appendNumber(append(b, `,"time_ms":`...), c.TimeMS)
	for d, joules := range m.Joules(i) {
		if d == 0 {
			b = append(b, `,"energy_j":{"`...)
		} else {
			b = append(b, `,"`...)
		}
		b = append(append(b, m.Domains[d]...), `":`...)
		b = appendNumber(b, joules)
	}
	if len(m.Domains) > 0 {
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendNumber appends the shortest text that reads back as the same number.
func appendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// appendString appends s, which is UTF-8, as a string of JSON.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
