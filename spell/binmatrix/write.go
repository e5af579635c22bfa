package binmatrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
)

// Write writes m; Read gives the same back. origin is where the energy comes
// from; it is written if it is [record.Measured] or [record.Estimated]. It is an
// error if m is not valid, or has what [jsonmatrix.Write] does not write. Nothing
// has been written then.
func Write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	return writeAs(thisMachine(), w, m, origin)
}

func writeAs(f form, w io.Writer, m *spell.Matrix, origin record.Source) error {
	err := m.Validate()
	if err == nil {
		err = write(f, w, m, origin)
	}
	if err != nil {
		return fmt.Errorf("writing a binary matrix: %w", err)
	}
	return nil
}

func write(f form, w io.Writer, m *spell.Matrix, origin record.Source) error {
	head, err := head(m, origin)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	l := layout{domains: len(m.Domains), cells: len(m.Cells)}
	for block := range l.blocks() {
		from := block * BlockCells
		to := from + l.blockCells(block)
		if err := writeBlock(f, w, uint32(block), m.Cells[from:to], m.Energy[from*l.domains:to*l.domains]); err != nil {
			return err
		}
	}
	return nil
}

// head returns what stands before the blocks.
func head(m *spell.Matrix, origin record.Source) ([]byte, error) {
	var header bytes.Buffer
	header.Write(make([]byte, preludeBytes))
	if err := jsonmatrix.Write(&header, emptied(m), origin); err != nil {
		return nil, err
	}
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	b := header.Bytes()
	p := prelude{header: uint64(len(b) - preludeBytes), cells: uint64(len(m.Cells)), checksum: crc32.Checksum(b[preludeBytes:], castagnoli)}
	copy(b, p.bytes())
	return b, nil
}

func writeBlock(f form, w io.Writer, block uint32, cells []spell.Cell, joules []float64) error {
	c, j := f.encoded(cells, joules)
	trailer := binary.LittleEndian.AppendUint32(nil, checksum(c, j))
	trailer = binary.LittleEndian.AppendUint32(trailer, block)
	for _, b := range [][]byte{c, j, trailer} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
