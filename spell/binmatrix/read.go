package binmatrix

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
)

// Read reads a matrix; it is valid. The second result is what the file says
// about where its energy comes from: [record.Measured] or [record.Estimated],
// or "" where it does not say. r may be a pipe. Memory grows with what is read,
// whatever the file claims to have: cells are read into the matrix itself.
//
// name is that of the file, for errors, which read "name: byte N: what is wrong:
// what to do"; N counts from 0. Errors within the header say its line and column.
func Read(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	return readAs([2]form{thisMachine(), thisMachine()}, r, name)
}

func readAs(forms [2]form, r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	in := &reader{counted: counted{r: r}, name: name, forms: forms}
	err := in.read()
	var (
		wrong  *fault
		header *headerError
	)
	switch {
	case err == nil:
		return in.m, in.origin, nil
	case errors.As(err, &wrong):
		err = fmt.Errorf("%s: byte %d: %w", name, wrong.offset, wrong)
	case !errors.As(err, &header):
		err = fmt.Errorf("reading %s: %w", name, err)
	}
	return nil, "", err
}

type reader struct {
	counted
	name   string
	forms  [2]form // by turns
	layout layout
	m      *spell.Matrix
	origin record.Source
}

// counted knows how much of its input was read, and how it broke.
type counted struct {
	r      io.Reader
	offset int64
	broken error // nil as long as it did not
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.offset += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.broken = err
	}
	return n, err
}

func (in *reader) read() error {
	p, err := in.prelude()
	if err != nil {
		return err
	}
	if err := in.header(p); err != nil {
		return err
	}
	if in.layout, err = in.layoutOf(p); err != nil {
		return err
	}
	if err := in.blocks(); err != nil {
		return err
	}
	if err := in.end(); err != nil {
		return err
	}
	if err := in.m.Validate(); err != nil {
		return in.locate(err)
	}
	return nil
}

func (in *reader) prelude() (prelude, error) {
	b := make([]byte, preludeBytes)
	n, err := io.ReadFull(in, b)
	if err != nil && !ended(err) {
		return prelude{}, err
	}
	return parsePrelude(b[:n])
}

// ended tells an input that ended from one that broke.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// A headerError says where in the header something is wrong.
type headerError struct{ error }

// header reads all of the matrix but its cells. A checksum that differs says
// more than what it did to the JSON.
func (in *reader) header(p prelude) error {
	sum := crc32.New(castagnoli)
	header := io.TeeReader(io.LimitReader(in, int64(p.header)), sum)
	var err error
	in.m, in.origin, err = jsonmatrix.Read(header, in.name+fmt.Sprintf(": header at byte %d", preludeBytes))
	_, _ = io.Copy(io.Discard, header) // what JSON left when it had an error; in.broken is that of the input
	if in.broken != nil {
		return in.broken
	}
	if uint64(in.offset) < preludeBytes+p.header {
		return &fault{in.offset, fmt.Sprintf("the file ends in its header, which claims %d bytes from byte %d on: %s", p.header, preludeBytes, again)}
	}
	if wrong := different(12, "the header", p.checksum, sum.Sum32()); wrong != nil {
		return wrong
	}
	if err != nil {
		return &headerError{err}
	}
	if len(in.m.Cells) > 0 {
		return &fault{preludeBytes, "the header has cells: write them as blocks"}
	}
	return nil
}

// layoutOf says where the cells are. It refuses more of them than a matrix can
// have.
func (in *reader) layoutOf(p prelude) (layout, error) {
	l := layout{header: int64(p.header), domains: len(in.m.Domains), cells: int(p.cells)}
	most := uint64(len(in.m.Tests)) * uint64(len(in.m.Components))
	if p.cells > most {
		return l, &fault{24, fmt.Sprintf("the file claims %d cells, a matrix of %d tests and %d components has at most %d: one for each of both", p.cells, len(in.m.Tests), len(in.m.Components), most)}
	}
	if p.cells > uint64(math.MaxInt/(cellBytes+jouleBytes*l.domains)) {
		return l, &fault{24, fmt.Sprintf("the file claims %d cells, more than this machine can address: divide the tests among several files", p.cells)}
	}
	return l, nil
}
