package binmatrix

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Version 1 was a form of its own. All numbers are little-endian. A file is
//
//	offset  size
//	     0     8  "SPELLBIN"
//	     8     4  version, 1
//	    12     4  checksum of the header
//	    16     8  H, the length of the header in bytes, a multiple of 8
//	    24     8  C, the number of cells
//	    32     4  checksum of the bytes 0 to 31
//	    36     4  0
//	    40     H  header: JSON as in the section "matrix" of version 2, and blanks
//	  40+H        blocks of [BlockCells] cells, the last one what is left
//
// A block is the contents of a section "cells", then its checksum and its number from
// 0, 4 bytes each. Checksums are CRC-32C (Castagnoli).
const (
	prelude1Bytes = 40
	trailer1Bytes = 8 // of a block
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (in *reader) isVersion1() bool {
	begin, _ := in.Peek(12) // other errors show when the file is read
	return string(begin) == kind.Magic+"\x01\x00\x00\x00"
}

func (in *reader) version1() error {
	var prelude [prelude1Bytes]byte
	if err := in.full(prelude[:], "its beginning"); err != nil {
		return err
	}
	le := binary.LittleEndian
	switch length := le.Uint64(prelude[16:]); {
	case le.Uint32(prelude[32:]) != crc32.Checksum(prelude[:32], castagnoli) || le.Uint32(prelude[36:]) != 0:
		return errors.New("is damaged: the checksum of its beginning is wrong")
	case length%8 != 0 || length > 1<<62:
		return fmt.Errorf("is damaged: its header claims %d bytes", length)
	default:
		if err := in.header1(int64(length), le.Uint32(prelude[12:])); err != nil {
			return err
		}
	}
	if err := in.setClaim(le.Uint64(prelude[24:])); err != nil {
		return err
	}
	return in.blocks1()
}

// header1 reads the header. A wrong checksum says more than what it did to the JSON.
func (in *reader) header1(length int64, checksum uint32) error {
	sum := crc32.New(castagnoli)
	text := &io.LimitedReader{R: in, N: length}
	header := io.TeeReader(text, sum)
	wrong := in.json(header)
	if _, err := io.Copy(io.Discard, header); err != nil {
		return err
	}
	switch {
	case text.N > 0:
		return errors.New("is cut off in its header")
	case sum.Sum32() != checksum:
		return errors.New("is damaged: the checksum of its header is wrong")
	}
	return wrong
}

func (in *reader) blocks1() error {
	size := width(len(in.m.Domains))
	b := make([]byte, 0, min(BlockCells, in.claim)*size+trailer1Bytes)
	for number := uint32(0); len(in.m.Cells) < in.claim; number++ {
		from := len(in.m.Cells)
		n := min(BlockCells, in.claim-from)
		b = b[:n*size+trailer1Bytes]
		name := cellNames(from, n)
		if err := in.full(b, name); err != nil {
			return err
		}
		contents, trailer := b[:n*size], b[n*size:]
		switch {
		case binary.LittleEndian.Uint32(trailer) != crc32.Checksum(contents, castagnoli):
			return fmt.Errorf("is damaged: the checksum of %s is wrong", name)
		case binary.LittleEndian.Uint32(trailer[4:]) != number:
			return fmt.Errorf("is damaged: the number of the block of %s is wrong", name)
		}
		cells, joules := in.grow(n)
		decode(contents, cells, joules)
	}
	switch _, err := in.ReadByte(); {
	case err == nil:
		return fmt.Errorf("goes on behind its %d cells", in.claim)
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// full reads all of b, the part of the file of that name.
func (in *reader) full(b []byte, name string) error {
	_, err := io.ReadFull(in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("is cut off in %s", name)
	}
	return err
}
