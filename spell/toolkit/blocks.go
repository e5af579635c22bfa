package toolkit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// blockSize is the size of the blocks in which a matrix is read; a longer line makes a longer
// block.
const blockSize = 1 << 22

// An input is read until its first error, which is io.EOF at the end.
type input struct {
	r   io.Reader
	err error
}

// fill reads until the buffer is full or the input ends.
func (in *input) fill(buffer []byte) []byte {
	for empty := 0; len(buffer) < cap(buffer) && in.err == nil; {
		n, err := in.r.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if empty++; n > 0 {
			empty = 0
		}
		if in.err = err; err == nil && empty == 100 {
			in.err = io.ErrNoProgress
		}
	}
	return buffer
}

// failed returns the error of the input called name, or nil if it just ended.
func (in *input) failed(name string) error {
	if in.err == nil || in.err == io.EOF { //nolint:errorlint // an EOF that is wrapped is none
		return nil
	}
	return fmt.Errorf("reading %s: %w", name, in.err)
}

// blocks cuts an input into blocks of whole lines.
type blocks struct {
	input
	size int    // of a block, unless a line is longer
	rest []byte // the start of a line whose end was not read yet
	line int    // number of the first line of rest
}

// next returns the next block, in the memory of buffer if it fits, and the number of its
// first line. The last block may be empty and comes with the error of the input; an
// incomplete line before an error other than io.EOF is dropped. next keeps no reference to
// the block.
func (b *blocks) next(buffer []byte) (text []byte, line int) {
	buffer = append(slices.Grow(buffer[:0], max(b.size, 2*len(b.rest))), b.rest...)
	line = b.line
	var long [][]byte // a line that is longer than a block, but for its end
	end := 0
	for {
		buffer = b.fill(buffer)
		if end = bytes.LastIndexByte(buffer, '\n') + 1; end > 0 || b.err != nil {
			break
		}
		long, buffer = append(long, buffer), make([]byte, 0, b.size)
	}
	ended := b.err == io.EOF //nolint:errorlint // an EOF that is wrapped is none
	if ended {
		end = len(buffer)
	}
	b.rest = append(b.rest[:0], buffer[end:]...)
	text = buffer[:end]
	if len(long) > 0 && (end > 0 || ended) {
		text = slices.Concat(append(long, text)...)
	}
	b.line += bytes.Count(text, []byte{'\n'})
	return text, line
}
