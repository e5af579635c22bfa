package pclntab

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"unicode/utf8"
)

// FunctionNames is the table of the names of a program's functions, to which a probe.Part
// refers. It is a part of the runtime's tables and in programs without symbols too.
type FunctionNames struct{ table *io.SectionReader }

const (
	maxNames    = 1 << 30
	longestName = 1 << 14 // of a function, in bytes; those of generic functions may be long
)

// NamesOf finds the names of a program's functions.
func NamesOf(program io.ReaderAt) (*FunctionNames, error) {
	f, err := elf.NewFile(program)
	if err != nil {
		return nil, err
	}
	s, offset, err := locate(f)
	if err != nil {
		return nil, err
	}
	header := make([]byte, headerSize)
	if _, err := s.ReadAt(header, offset); err != nil {
		return nil, err
	}
	from, to := f.ByteOrder.Uint64(header[nameOffset:]), f.ByteOrder.Uint64(header[nextOffset:])
	if f.ByteOrder.Uint32(header) != magic || from < headerSize || to < from || to > maxNames {
		return nil, errOtherForm
	}
	return &FunctionNames{io.NewSectionReader(s, offset+int64(from), int64(to-from))}, nil
}

// At is the name at an offset, with type arguments. It is not known where no name begins:
// what a program left may be anything.
func (n *FunctionNames) At(offset uint32) (name string, ok bool) {
	if offset == 0 {
		return "", false
	}
	text := make([]byte, longestName+2) // with the end of the name before
	read, err := n.table.ReadAt(text, int64(offset)-1)
	if err != nil && !errors.Is(err, io.EOF) || read == 0 || text[0] != 0 {
		return "", false
	}
	end := bytes.IndexByte(text[1:read], 0)
	if end <= 0 || !utf8.Valid(text[1:1+end]) {
		return "", false
	}
	return string(text[1 : 1+end]), true
}
