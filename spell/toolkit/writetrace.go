package toolkit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"spell-lsp/spell"
)

// maxCalls is how many calls WriteTrace writes.
const maxCalls = 10_000_000

// WriteTrace writes m as a trace, in which no call is inside another: for each
// cell as many calls as it has executions, the first with its energy and time,
// the others with none. The readings of each call begin at 0, so that
// [ReadTrace] gives the same values back, to the last bit. Numbers have no
// exponent, and a name that is no identifier, or has a meaning of its own in
// the original tools, is escaped: they read it then, but for the domain net. A
// test that is not called t and its number has its name in a comment, over
// which the original tool complains, and reads on.
//
// Tests and components that have no cell are in no call, and are left out. Of a
// component, its ID is written.
//
// It is an error if m is not valid, has a domain that is not one of
// [spell.Domains], a name that is empty, has a control character or is not
// UTF-8, no cell, executions that are not a whole number from 1, or more than ten
// million of them. Nothing has been written then.
func WriteTrace(w io.Writer, m *spell.Matrix) error {
	keys, err := traceKeys(m)
	if err != nil {
		return fmt.Errorf("writing a trace for the SPELL toolkit: %w", err)
	}
	out := traceWriter{Writer: bufio.NewWriterSize(w, 1<<16), m: m, keys: keys}
	if err := out.write(); err != nil {
		return fmt.Errorf("writing a trace for the SPELL toolkit: %w", err)
	}
	return nil
}

func traceKeys(m *spell.Matrix) ([]key, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(m.Cells) == 0 {
		return nil, errors.New("no test ran a component, which a trace cannot tell; write CSV or JSON")
	}
	var executions float64
	for _, c := range m.Cells {
		test, id := m.Tests[c.Test], m.Components[c.Component].ID
		if c.N < 1 || c.N != math.Trunc(c.N) {
			return nil, fmt.Errorf("test %q, component %q: a trace cannot tell of %v executions, it has whole ones from 1; write CSV or JSON", test, id, c.N)
		}
		if what := spell.NameFault(test); what != "" {
			return nil, fmt.Errorf("the name of test %q %s", test, what)
		}
		if what := spell.NameFault(id); what != "" {
			return nil, fmt.Errorf("the name of component %q %s", id, what)
		}
		executions += c.N
	}
	if executions > maxCalls {
		return nil, fmt.Errorf("a trace of %v executions is too long, the limit is %d; write CSV or JSON", executions, maxCalls)
	}
	return keysOf(m.Domains)
}

type traceWriter struct {
	*bufio.Writer
	m    *spell.Matrix
	keys []key
	text []byte
}

func (w *traceWriter) write() error {
	order := byTest(w.m)
	written := 0
	for t, name := range w.m.Tests {
		cells := order.of(t)
		if len(cells) == 0 {
			continue
		}
		slices.SortFunc(cells, func(a, b int32) int { return int(w.m.Cells[a].Component) - int(w.m.Cells[b].Component) })
		w.text = w.text[:0]
		if written > 0 {
			w.text = append(w.text, ";\n"...)
		}
		if name != defaultTest(written) {
			w.text = fmt.Appendf(w.text, "/*%s*/\n", escape(name))
		}
		_, _ = w.Write(w.text) // Flush tells
		for _, i := range cells {
			if err := w.cell(int(i)); err != nil {
				return err
			}
		}
		written++
	}
	return w.Flush()
}

// cell writes the calls of a cell.
func (w *traceWriter) cell(i int) error {
	c := w.m.Cells[i]
	name := escape(w.m.Components[c.Component].ID)
	none := make([]float64, len(w.keys))
	w.text = w.event(w.text[:0], '>', name, none, 0)
	begin := len(w.text)
	w.text = w.event(w.text, '<', name, w.m.Joules(i), c.TimeMS)
	if _, err := w.Write(w.text); err != nil {
		return err
	}
	w.text = w.event(w.text[:begin], '<', name, none, 0)
	for range int(c.N) - 1 {
		if _, err := w.Write(w.text); err != nil {
			return err
		}
	}
	return nil
}

func (w *traceWriter) event(text []byte, sign byte, name string, joules []float64, timeMS float64) []byte {
	text = append(text, sign, ' ')
	text = append(text, name...)
	text = append(text, " ["...)
	for d, k := range w.keys {
		text = appendPair(text, k, joules[d], "0")
		text = append(text, ',')
	}
	text = appendPair(text, keyTime, timeMS, "0")
	return append(text, " ]\n"...)
}
