package csvmatrix

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Read reads a matrix, which is valid. The second result is the source of the energy
// according to the file: [record.Measured] or [record.Estimated], or "" if the file
// does not say. A byte order mark and CRLF are accepted; blank lines, lines before
// the header that begin with #, and blanks around column names and numbers are
// ignored.
//
// name is that of the file, for errors, which read
// "name:line:column: what is wrong; what to do"; line and column count from 1,
// columns in bytes.
func Read(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	in := newReader(r, name)
	if err := in.comments(); err != nil {
		return nil, "", err
	}
	m, err := in.read()
	return m, in.origin, err
}

func (in *reader) read() (*spell.Matrix, error) {
	if err := in.header(); err != nil {
		return nil, err
	}
	for {
		fields, err := in.csv.Read()
		if errors.Is(err, io.EOF) {
			return in.finish()
		}
		if err != nil {
			return nil, in.broken(err)
		}
		if err := in.row(fields); err != nil {
			return nil, err
		}
	}
}

// A position is a place in the file, from 1; columns in bytes.
type position struct{ line, column int }

type reader struct {
	name       string
	buffered   *bufio.Reader
	csv        *csv.Reader
	skipped    int           // number of lines before those that csv reads
	origin     record.Source // "" if the file does not say
	columns    columns
	width      int // fields of the header
	m          *spell.Matrix
	tests      map[string]int32
	components map[string]int32
	lines      []int // line of each cell
	most       int   // limit of cells
}

func newReader(r io.Reader, name string) *reader {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = buffered.Discard(len(mark)) // cannot fail: they are in the buffer
	}
	in := &reader{
		name: name, buffered: buffered, csv: csv.NewReader(buffered), m: &spell.Matrix{},
		most: spell.MaxCells, tests: map[string]int32{}, components: map[string]int32{},
		columns: columns{test: -1, component: -1, file: -1, line: -1, n: -1, time: -1},
	}
	in.csv.ReuseRecord = true
	in.csv.FieldsPerRecord = -1 // row counts them, and says more
	return in
}

func (in *reader) errorAt(at position, what, do string) error {
	return fmt.Errorf("%s:%d:%d: %s; %s", in.name, at.line, at.column, what, do)
}

// at is the position of a field of the current row.
func (in *reader) at(field int) position {
	line, column := in.csv.FieldPos(field)
	return position{in.skipped + line, column}
}

// broken describes an error of the CSV itself, or of the input.
func (in *reader) broken(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("reading %s: %w", in.name, err)
	}
	what := "misplaced quote"
	if parse.StartLine != parse.Line {
		what += fmt.Sprintf(" in the row that begins in line %d", in.skipped+parse.StartLine)
	}
	return in.errorAt(position{in.skipped + parse.Line, parse.Column}, what,
		"put a field that holds quotes into quotes, and write each quote in it twice")
}

func (in *reader) header() error {
	names, err := in.csv.Read()
	if errors.Is(err, io.EOF) {
		return in.errorAt(position{in.skipped + 1, 1}, "the file is empty", nameColumns)
	}
	if err != nil {
		return in.broken(err)
	}
	in.width = len(names)
	for field, name := range names {
		if f := in.columns.set(strings.TrimSpace(name), field); f != nil {
			return in.errorAt(in.at(field), f.what, f.do)
		}
	}
	if f := in.columns.missing(); f != nil {
		return in.errorAt(in.at(0), f.what, f.do)
	}
	for _, e := range in.columns.energy {
		in.m.Domains = append(in.m.Domains, e.domain)
	}
	return nil
}

// finish makes the checks that need the whole file.
func (in *reader) finish() (*spell.Matrix, error) {
	if err := in.dropUnknown(); err != nil {
		return nil, err
	}
	err := in.m.Validate()
	var twice *spell.DuplicateError
	if errors.As(err, &twice) {
		return nil, in.errorAt(position{in.lines[twice.Second], 1}, twice.Error(),
			fmt.Sprintf("the other is in line %d: keep one, or add them up", in.lines[twice.First]))
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.name, err)
	}
	return in.m, nil
}

// dropUnknown removes domains that are empty in every row from the matrix.
func (in *reader) dropUnknown() error {
	var known []int
	var domains []spell.Domain
	for d, e := range in.columns.energy {
		switch {
		case e.empty == 0:
			known = append(known, d)
			domains = append(domains, e.domain)
		case e.empty < len(in.m.Cells):
			return in.errorAt(e.first, fmt.Sprintf("no %s energy, where other rows have some", e.domain),
				"write 0 if it is none, or leave the whole column empty if it is not known")
		}
	}
	if len(known) == len(in.m.Domains) {
		return nil
	}
	var energy []float64
	for i := range in.m.Cells {
		for _, d := range known {
			energy = append(energy, in.m.Joules(i)[d])
		}
	}
	in.m.Domains, in.m.Energy = domains, energy
	return nil
}
