package gzoltar

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"spell-lsp/spell"
)

// Read reads a matrix. It is valid; its components are called c1, c2 and so on,
// its tests t1, t2 and so on, until they are named. Blank lines are passed over;
// a byte order mark, tabs and CRLF are accepted. Memory grows with the ones of the
// file, and by some 120 bytes with each of its columns, not with its zeros.
//
// name is that of the file, for errors, which read
// "name:line:column: what is wrong; what to do"; line and column count from 1,
// columns in bytes.
func Read(matrix io.Reader, name string) (*Spectrum, error) {
	in := &reader{name: name, width: -1, most: spell.MaxCells, at: position{1, 1}, s: &Spectrum{Matrix: &spell.Matrix{}}}
	if err := in.read(bufio.NewReaderSize(limited(matrix, name), 1<<16)); err != nil {
		return nil, err
	}
	if len(in.s.Failed) == 0 {
		return nil, in.fault("the file has no test", "write a line for each test: 0 or 1 for each component, and + or - at the end")
	}
	return in.s, nil
}

type reader struct {
	name  string
	s     *Spectrum
	at    position
	width int // components of the first row, -1 before it
	most  int // cells

	// Of the current row:
	components int
	within     bool // a field: the byte before was no blank
	outcome    byte // + or -, 0 before it
}

func (in *reader) read(r *bufio.Reader) error {
	if mark, err := r.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = r.Discard(len(mark)) // cannot fail: they are in the buffer
	}
	for {
		_, err := r.Peek(1)
		chunk, _ := r.Peek(r.Buffered())
		for _, b := range chunk {
			if err := in.take(b); err != nil {
				return err
			}
		}
		_, _ = r.Discard(len(chunk))
		switch {
		case errors.Is(err, io.EOF):
			return in.endRow()
		case err != nil:
			return fmt.Errorf("reading %s: %w", in.name, err)
		}
	}
}

// take goes on by one byte.
func (in *reader) take(b byte) error {
	switch b {
	case '\n':
		if err := in.endRow(); err != nil {
			return err
		}
		in.at = position{in.at.line + 1, 1}
		return nil
	case ' ', '\t', '\r':
		in.within = false
	case '0', '1', '+', '-':
		if err := in.field(b); err != nil {
			return err
		}
	default:
		return in.fault(fmt.Sprintf("%q is no part of a spectrum", string([]byte{b})), rowDo)
	}
	in.at.column++
	return nil
}

const rowDo = "write 0 or 1 for each component, with blanks between them, and + or - at the end of the line"

func (in *reader) field(b byte) error {
	switch {
	case in.outcome != 0:
		return in.fault("something stands behind the outcome", "begin a new line for each test")
	case in.within:
		return in.fault("there is no blank between two fields", rowDo)
	}
	in.within = true
	if b == '+' || b == '-' {
		in.outcome = b
		return nil
	}
	if in.components == math.MaxInt32 {
		return in.fault("there are too many components", fmt.Sprintf("write at most %d", math.MaxInt32))
	}
	if b == '1' {
		if len(in.s.Matrix.Cells) == in.most {
			return in.fault(fmt.Sprintf("more than %d components ran in tests", in.most), "divide the tests among several files")
		}
		in.s.Matrix.Add(spell.Cell{Test: int32(len(in.s.Failed)), Component: int32(in.components), N: 1})
	}
	in.components++
	return nil
}

// endRow makes a test of the row, if there is one.
func (in *reader) endRow() error {
	if in.outcome == 0 && in.components == 0 {
		in.within = false
		return nil
	}
	if in.width < 0 {
		in.begin(in.components)
	}
	switch {
	case in.outcome == 0:
		return in.fault("the line does not say how the test ended", "write + at its end if it passed, - if it failed")
	case in.components != in.width:
		return in.fault(fmt.Sprintf("the line has %d components, the first one has %d", in.components, in.width), "give each test 0 or 1 for every component")
	}
	m := in.s.Matrix
	in.s.Failed = append(in.s.Failed, in.outcome == '-')
	m.Tests = append(m.Tests, "t"+strconv.Itoa(len(in.s.Failed)))
	in.components, in.outcome, in.within = 0, 0, false
	return nil
}

func (in *reader) begin(components int) {
	in.width = components
	list := slices.Grow(in.s.Matrix.Components, components)
	for j := range components {
		list = append(list, spell.Component{ID: "c" + strconv.Itoa(j+1)})
	}
	in.s.Matrix.Components = list
}

func (in *reader) fault(what, do string) error { return errorAt(in.name, in.at, what, do) }
