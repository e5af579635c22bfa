package binmatrix

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sectionfile"
)

// Read reads a matrix; it is valid. The second result is what the file says
// about where its energy comes from: [record.Measured] or [record.Estimated],
// or "" where it does not say. r may be a pipe. Memory grows with what is read,
// whatever the file claims to have. Files of version 1 are read, too.
//
// name is that of the file, for errors, which read "name is what: what to do".
// Errors in the JSON say its line and column.
func Read(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	input := &watched{r: r}
	in := &reader{Reader: bufio.NewReader(input), name: name}
	err := in.read()
	var inJSON *jsonError
	var invalid *invalidError
	var version *sectionfile.VersionError
	switch {
	case err == nil:
		return in.m, in.origin, nil
	case input.broken != nil:
		err = fmt.Errorf("reading %s: %w", name, input.broken)
	case errors.As(err, &version):
		err = fmt.Errorf("%s %w: use a spell-lsp that is as new as the file, or write the file as version %d", name, err, kind.Version)
	case errors.As(err, &invalid):
		err = fmt.Errorf("%s %w", name, err)
	case !errors.As(err, &inJSON):
		err = fmt.Errorf("%s %w: copy or write it again", name, err)
	}
	return nil, "", err
}

// A jsonError says where in the JSON of a file something is wrong.
type jsonError struct{ error }

// An invalidError says that the content is no valid matrix, although the file is undamaged.
type invalidError struct{ what string }

func (e *invalidError) Error() string { return e.what }

func invalid(format string, args ...any) error { return &invalidError{fmt.Sprintf(format, args...)} }

// A watched reader remembers the error of its input.
type watched struct {
	r      io.Reader
	broken error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.broken = err
	}
	return n, err
}

type reader struct {
	*bufio.Reader
	name   string
	m      *spell.Matrix
	origin record.Source
	claim  int // the number of cells
}

func (in *reader) read() (err error) {
	if in.isVersion1() {
		err = in.version1()
	} else {
		err = in.sections()
	}
	if err != nil {
		return err
	}
	if err := in.m.Validate(); err != nil {
		return in.located(err)
	}
	return nil
}

func (in *reader) sections() error {
	file, err := kind.NewReader(in)
	if err != nil {
		return err
	}
	var s summary
	if err := json.Unmarshal(file.Header, &s); err != nil {
		return fmt.Errorf("has a header that is not understood (%w)", err)
	}
	if err := in.first(file); err != nil {
		return err
	}
	if err := in.setClaim(s.Cells); err != nil {
		return err
	}
	return in.blocks(file)
}

// first reads the section with all of the matrix but its cells.
func (in *reader) first(file *sectionfile.Reader) error {
	var buffer []byte
	s, err := file.Next(&buffer)
	switch {
	case errors.Is(err, io.EOF) || err == nil && s.Name != matrixSection:
		return invalid("does not begin with the section %q", matrixSection)
	case err != nil:
		return err
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("is damaged: section %q %w", s.Name, err)
	}
	text, err := s.Contents()
	if err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	return in.json(bytes.NewReader(text))
}

// json reads all of the matrix but its cells.
func (in *reader) json(text io.Reader) (err error) {
	in.m, in.origin, err = jsonmatrix.Read(text, in.name+": JSON")
	switch {
	case err != nil:
		return &jsonError{err}
	case len(in.m.Cells) > 0:
		return invalid("has cells in its JSON: write them in sections of their own")
	}
	return nil
}

// setClaim checks and stores the number of cells that the file claims.
func (in *reader) setClaim(cells uint64) error {
	most := uint64(len(in.m.Tests)) * uint64(len(in.m.Components))
	if cells > most {
		return invalid("claims %d cells, a matrix of %d tests and %d components has at most %d: one for each of both", cells, len(in.m.Tests), len(in.m.Components), most)
	}
	in.claim = int(cells)
	return nil
}

// blocks reads all cells. While a section is read, the one before is decoded.
func (in *reader) blocks(file *sectionfile.Reader) error {
	var buffers [2][]byte
	decoded := make(chan error, 1)
	decoded <- nil
	for i := 0; ; i++ {
		s, err := file.Next(&buffers[i%2])
		if wrong := <-decoded; wrong != nil {
			return wrong
		}
		switch {
		case errors.Is(err, io.EOF) && len(in.m.Cells) < in.claim:
			return fmt.Errorf("is cut off: %d of its %d cells are there", len(in.m.Cells), in.claim)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		from := len(in.m.Cells)
		cells, joules, err := in.block(&s)
		if err != nil {
			return err
		}
		go func() { decoded <- decodeSection(&s, from, cells, joules) }()
	}
}

// block makes room for the cells of a section.
func (in *reader) block(s *sectionfile.Section) (cells []spell.Cell, joules []float64, err error) {
	from, size := len(in.m.Cells), uint64(width(len(in.m.Domains)))
	switch {
	case s.Name != cellsSection:
		return nil, nil, invalid("has a section %q, which this program does not know", s.Name)
	case s.Unpacked/size != s.Rows || s.Unpacked%size != 0:
		return nil, nil, fmt.Errorf("is damaged: %d cells of %d bytes each do not take %d bytes", s.Rows, size, s.Unpacked)
	case s.Rows > uint64(in.claim-from):
		return nil, nil, fmt.Errorf("goes on behind its %d cells", in.claim)
	}
	cells, joules = in.grow(int(s.Rows))
	return cells, joules, nil
}

func decodeSection(s *sectionfile.Section, from int, cells []spell.Cell, joules []float64) error {
	err := s.Check()
	if err != nil {
		return fmt.Errorf("is damaged: the section of %s %w", cellNames(from, len(cells)), err)
	}
	contents, err := s.Contents()
	if err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	decode(contents, cells, joules)
	return nil
}

// grow makes room for n more cells. It reserves memory for what the file claims, but at most
// for sixteen times the cells that were read: copying them once in a while costs little, and
// most systems do not back reserved memory before it is used.
func (in *reader) grow(n int) (cells []spell.Cell, joules []float64) {
	const factor = 16
	d, from, to := len(in.m.Domains), len(in.m.Cells), len(in.m.Cells)+n
	if to > cap(in.m.Cells) {
		size := in.claim
		for size/factor >= to {
			size /= factor
		}
		in.m.Cells = slices.Grow(in.m.Cells, size-from)
		in.m.Energy = slices.Grow(in.m.Energy, (size-from)*d)
	}
	in.m.Cells, in.m.Energy = in.m.Cells[:to], in.m.Energy[:to*d]
	return in.m.Cells[from:], in.m.Energy[from*d:]
}

// located says which cell is not as it must be.
func (in *reader) located(err error) error {
	var twice *spell.DuplicateError
	if errors.As(err, &twice) {
		return invalid("has cell %d for test %q and component %q, like cell %d: keep one, or add them up", twice.Second, twice.Test, twice.Component, twice.First)
	}
	for i, c := range in.m.Cells {
		if c.Test < 0 || int(c.Test) >= len(in.m.Tests) || c.Component < 0 || int(c.Component) >= len(in.m.Components) {
			return invalid("has cell %d for test %d and component %d, must be from 0 for one of the %d tests and %d components", i, c.Test, c.Component, len(in.m.Tests), len(in.m.Components))
		}
		if what := in.wrongValue(i); what != "" {
			return invalid("has cell %d with %s, must be a number from 0 to %v", i, what, float64(spell.MaxValue))
		}
	}
	return err
}

// wrongValue finds the first invalid value of a cell.
func (in *reader) wrongValue(i int) string {
	c := in.m.Cells[i]
	switch {
	case !amount(c.N):
		return fmt.Sprintf("%v executions", c.N)
	case !amount(c.TimeMS):
		return fmt.Sprintf("%v milliseconds", c.TimeMS)
	}
	for d, v := range in.m.Joules(i) {
		if !amount(v) {
			return fmt.Sprintf("%v J of %s", v, in.m.Domains[d])
		}
	}
	return ""
}

func amount(v float64) bool { return v >= 0 && v <= spell.MaxValue }
