package sectionfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Reader reads a file section by section. Memory follows what was read, whatever
// the file claims to have.
type Reader struct {
	Header []byte

	in           io.Reader
	length, read uint64
	sections     int
}

// NewReader reads the header of a file.
func (k Kind) NewReader(r io.Reader) (*Reader, error) {
	header, length, err := k.readHead(r, UnknownSize)
	return &Reader{Header: header, in: r, length: length, read: preludeBytes + uint64(len(header))}, err
}

// Next reads a section into the memory of buffer, which grows where that is not
// enough. It leaves the checksum to [Section.Check]. The error is io.EOF behind the
// last section.
func (r *Reader) Next(buffer *[]byte) (Section, error) {
	left := r.length - r.read
	if left == 0 {
		return Section{}, r.end()
	}
	r.sections++
	frame, err := r.take((*buffer)[:0], min(left, frameBytes))
	if err != nil {
		return Section{}, err
	}
	name, stored, err := claims(frame, left)
	if err != nil {
		return Section{}, fmt.Errorf("is damaged: section %d of it %w", r.sections, err)
	}
	if *buffer, err = r.take(frame, name+stored); err != nil {
		return Section{}, err
	}
	s, _, err := parseSection(*buffer)
	if err != nil {
		return Section{}, fmt.Errorf("is damaged: section %d of it %w", r.sections, err)
	}
	return s, nil
}

// take appends the next n bytes to b.
func (r *Reader) take(b []byte, n uint64) ([]byte, error) {
	const most = 1 << 20 // that are believed to come
	for n > 0 {
		begin, step := len(b), int(min(n, most))
		b = slices.Grow(b, step)[:begin+step]
		got, err := io.ReadFull(r.in, b[begin:])
		r.read += uint64(got)
		switch {
		case ended(err):
			return nil, cutOff(r.read, r.length)
		case err != nil:
			return nil, err
		}
		n -= uint64(step)
	}
	return b, nil
}

// end checks that the file ends.
func (r *Reader) end() error {
	_, err := io.ReadFull(r.in, make([]byte, 1))
	if err == nil {
		return fmt.Errorf("is damaged: it goes on behind the %d bytes that it claims", r.length)
	}
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return err
}
