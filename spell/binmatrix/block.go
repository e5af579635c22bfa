package binmatrix

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// blocks reads all cells. While a block is read, the one before is compared with
// its checksum.
func (in *reader) blocks() error {
	before := func() error { return nil }
	for block := range in.layout.blocks() {
		check, err := in.block(block)
		if wrong := before(); wrong != nil {
			return wrong
		}
		if err != nil {
			return err
		}
		before = check
	}
	return before()
}

// block reads a block, and begins to check it: the result waits for that.
func (in *reader) block(block int) (check func() error, err error) {
	n, d := in.layout.blockCells(block), in.layout.domains
	in.grow(n)
	from := len(in.m.Cells)
	in.m.Cells = in.m.Cells[:from+n]
	in.m.Energy = in.m.Energy[:(from+n)*d]
	cells, joules := in.m.Cells[from:], in.m.Energy[from*d:]

	form := in.forms[block%2] // the memory of the other is being checked
	c, j := form.room(cells, joules)
	trailer := make([]byte, trailerBytes)
	for _, b := range [][]byte{c, j, trailer} {
		if _, err := io.ReadFull(in, b); ended(err) {
			return nil, cutOff(in.offset, in.layout.name(block))
		} else if err != nil {
			return nil, err
		}
	}
	form.decode(cells, joules)
	done := make(chan error, 1)
	go func() { done <- in.layout.check(block, checksum(c, j), trailer) }()
	return func() error { return <-done }, nil
}

// grow makes room for n more cells. Of what the file claims it believes sixteen
// times of what was read: cells are copied at little cost, and memory that is not
// touched is none on most systems.
func (in *reader) grow(n int) {
	const factor = 16
	need := len(in.m.Cells) + n
	if need <= cap(in.m.Cells) {
		return
	}
	size := in.layout.cells
	for size/factor >= need {
		size /= factor
	}
	in.m.Cells = grown(in.m.Cells, size)
	if d := in.layout.domains; d > 0 {
		in.m.Energy = grown(in.m.Energy, size*d)
	}
}

// grown is items with a capacity of exactly size.
func grown[T any](items []T, size int) []T {
	return append(make([]T, 0, size), items...)
}

// check compares the trailer of a block with what it must be.
func (l layout) check(block int, sum uint32, trailer []byte) error {
	at := l.blockEnd(block) - trailerBytes
	if err := different(at, l.name(block), binary.LittleEndian.Uint32(trailer), sum); err != nil {
		return err
	}
	if number := binary.LittleEndian.Uint32(trailer[4:]); uint64(number) != uint64(block) {
		return &fault{at + 4, fmt.Sprintf("the number of the block is %d, must be %d: %s", number, block, again)}
	}
	return nil
}

// name is how an error calls a block.
func (l layout) name(block int) string {
	from := block * BlockCells
	return fmt.Sprintf("block %d (bytes %d to %d, cells %d to %d of %d)", block, l.block(block), l.blockEnd(block)-1, from, from+l.blockCells(block)-1, l.cells)
}

// end checks that nothing comes behind the blocks.
func (in *reader) end() error {
	at := in.offset
	_, err := io.ReadFull(in, make([]byte, 1))
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return &fault{at, fmt.Sprintf("the file goes on behind its %d cells: %s", in.layout.cells, again)}
}
