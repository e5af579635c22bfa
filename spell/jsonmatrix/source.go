package jsonmatrix

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

const (
	bufferSize = 1 << 16
	maxToken   = 16 << 20 // bytes of a token, approximately; the decoder buffers tokens as a whole
)

// A source is an input without its byte order mark. It records where lines begin, in one or
// two bytes for each line.
type source struct {
	in     *bufio.Reader
	mark   int64 // length of the byte order mark
	read   int64 // bytes, without the mark
	limit  int64 // of read
	broken error // why no more can be read, nil at the end of the input
	lines  offsets
}

func newSource(r io.Reader) *source {
	const mark = "\ufeff"
	s := &source{in: bufio.NewReaderSize(r, bufferSize), limit: maxToken}
	begin, err := s.in.Peek(len(mark))
	if err != nil && !errors.Is(err, io.EOF) {
		s.broken = err // Peek has taken it from the input
	}
	if string(begin) == mark {
		s.mark = int64(len(mark))
		_, _ = s.in.Discard(len(mark)) // they are in the buffer
	}
	return s
}

func (s *source) Read(p []byte) (int, error) {
	switch {
	case s.broken != nil:
		return 0, s.broken
	case s.read > s.limit:
		s.broken = &fault{s.limit - maxToken, fmt.Sprintf("more than %d MiB from here on are one string, number or blank: make it shorter", maxToken>>20)}
		return 0, s.broken
	}
	n, err := s.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			s.lines.add(s.read + int64(i) + 1)
		}
	}
	s.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.broken = err
	}
	return n, err
}

// position is the line and column of an offset, both from 1; columns in bytes.
func (s *source) position(offset int64) (line, column int) {
	begin := -s.mark
	line = 1
	for next := range s.lines.all() {
		if next > offset {
			break
		}
		begin = next
		line++
	}
	return line, int(offset-begin) + 1
}

// offsets are ascending offsets in the input. Each takes one or two bytes if it is near the
// one before.
type offsets struct {
	gaps []byte // uvarints
	last int64
}

func (o *offsets) add(offset int64) {
	o.gaps = binary.AppendUvarint(o.gaps, uint64(offset-o.last))
	o.last = offset
}

func (o *offsets) all() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		var at int64
		for gaps := o.gaps; len(gaps) > 0; {
			gap, n := binary.Uvarint(gaps)
			gaps = gaps[n:]
			if at += int64(gap); !yield(at) {
				return
			}
		}
	}
}

// at returns the offset that was added as number i, from 0.
func (o *offsets) at(i int) int64 {
	for offset := range o.all() {
		if i == 0 {
			return offset
		}
		i--
	}
	panic("jsonmatrix: no such offset")
}
