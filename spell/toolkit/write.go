package toolkit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"spell-lsp/spell"
)

// WriteMatrix writes m as a matrix in the toolkit's format; [ReadMatrix] gives
// the same cells back, to the last bit. Numbers have no exponent and 0 is 0.0, or
// 00 for n, so that the original tool reads them. It does not read net, and of n
// whole numbers only, which a mean over rounds may not be.
//
// The format has no names, places or domains of its own: tests and components
// are known by their order, and of a matrix without cells the domains are lost.
//
// It is an error if m is not valid, has a domain that is not one of
// [spell.Domains], or has no test or no component. Nothing has been written
// then.
func WriteMatrix(w io.Writer, m *spell.Matrix) error {
	keys, err := matrixKeys(m)
	if err != nil {
		return fmt.Errorf("writing a matrix for the SPELL toolkit: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := writeRows(out, m, keys); err != nil {
		return fmt.Errorf("writing a matrix for the SPELL toolkit: %w", err)
	}
	return nil
}

func matrixKeys(m *spell.Matrix) ([]key, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(m.Tests) == 0 || len(m.Components) == 0 {
		return nil, errors.New("the format needs a test and a component; write CSV or JSON")
	}
	return keysOf(m.Domains)
}

func writeRows(out *bufio.Writer, m *spell.Matrix, keys []key) error {
	at := make([]int, len(m.Components)) // 1 + index of the row's cell, 0 for none
	order := byTest(m)
	var text []byte
	for t := range m.Tests {
		row := order.of(t)
		for _, i := range row {
			at[m.Cells[i].Component] = int(i) + 1
		}
		_ = out.WriteByte('[') // Flush tells
		for j, cell := range at {
			text = append(text[:0], " _"...)
			if cell > 0 {
				text = appendGroup(text[:0], m, cell-1, keys)
				at[j] = 0
			}
			if _, err := out.Write(text); err != nil {
				return err
			}
		}
		_, _ = out.WriteString(" ]\n")
	}
	return out.Flush()
}

func appendGroup(text []byte, m *spell.Matrix, cell int, keys []key) []byte {
	text = append(text, " ["...)
	for d, joules := range m.Joules(cell) {
		text = appendPair(text, keys[d], joules, "0.0")
		text = append(text, ',')
	}
	text = appendPair(text, keyN, m.Cells[cell].N, "00")
	text = append(text, ',')
	text = appendPair(text, keyTime, m.Cells[cell].TimeMS, "0.0")
	return append(text, " ]"...)
}

// appendPair appends the shortest number without an exponent that is read as
// the same one, and zero for 0: in a matrix the original takes a plain 0 for an
// empty cell, wherever it stands, and breaks off.
func appendPair(text []byte, k key, v float64, zero string) []byte {
	text = append(text, ' ')
	text = append(text, k.String()...)
	text = append(text, " = "...)
	if v == 0 {
		return append(text, zero...)
	}
	return strconv.AppendFloat(text, v, 'f', -1, 64)
}

// cellOrder lists the cells test by test.
type cellOrder struct {
	cells []int32
	from  []int // test t has cells[from[t]:from[t+1]]
}

func byTest(m *spell.Matrix) cellOrder {
	o := cellOrder{make([]int32, len(m.Cells)), make([]int, len(m.Tests)+1)}
	for _, c := range m.Cells {
		o.from[c.Test+1]++
	}
	for t := range m.Tests {
		o.from[t+1] += o.from[t]
	}
	next := slices.Clone(o.from)
	for i, c := range m.Cells {
		o.cells[next[c.Test]] = int32(i)
		next[c.Test]++
	}
	return o
}

func (o cellOrder) of(test int) []int32 { return o.cells[o.from[test]:o.from[test+1]] }
