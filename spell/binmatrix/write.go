package binmatrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sectionfile"
)

// Write writes m; Read gives the same back. origin is where the energy comes
// from; it is written if it is [record.Measured] or [record.Estimated]. It is an
// error if m is not valid, or has what [jsonmatrix.Write] does not write. Nothing
// has been written then.
func Write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	err := m.Validate()
	if err == nil {
		err = write(w, m, origin)
	}
	if err != nil {
		return fmt.Errorf("writing a binary matrix: %w", err)
	}
	return nil
}

func write(w io.Writer, m *spell.Matrix, origin record.Source) error {
	var text bytes.Buffer
	empty := &spell.Matrix{Domains: m.Domains, Tests: m.Tests, Components: m.Components}
	if err := jsonmatrix.Write(&text, empty, origin); err != nil {
		return err
	}
	head, err := sectionfile.Pack(matrixSection, 1, text.Bytes())
	if err != nil {
		return err
	}
	header, err := json.Marshal(summary{uint64(len(m.Cells))})
	if err != nil {
		return err
	}
	d := len(m.Domains)
	length := head.Length()
	for from := 0; from < len(m.Cells); from += BlockCells {
		length += sectionfile.PlainLength(cellsSection, min(BlockCells, len(m.Cells)-from)*width(d))
	}
	if err := kind.WriteHead(w, header, length); err != nil {
		return err
	}
	if err := head.Write(w); err != nil {
		return err
	}
	var b []byte
	for from := 0; from < len(m.Cells); from += BlockCells {
		to := min(from+BlockCells, len(m.Cells))
		b = appendCells(b[:0], m.Cells[from:to], m.Energy[from*d:to*d])
		block := sectionfile.Plain(cellsSection, to-from, b)
		if err := block.Write(w); err != nil {
			return err
		}
	}
	return nil
}
