package probe

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// FunctionNames is the table of the names of a program's functions, to which a Part
// refers. It is a part of the runtime's tables and in programs without symbols too.
type FunctionNames struct{ table *io.SectionReader }

// The header of the table (runtime.pcHeader). The programs that book callees are of the
// releases whose runtime is edited, which all have this version.
const (
	pclntabMagic = 0xfffffff1 // Go 1.20 and later
	nameOffset   = 32         // of the word with the offset of the names, which end where
	nextOffset   = 40         // the table begins whose offset is here
	headerSize   = 48
	maxNames     = 1 << 30
	longestName  = 1 << 14 // of a function, in bytes; those of generic functions may be long
)

// NamesOf finds the names of a program's functions.
func NamesOf(program io.ReaderAt) (*FunctionNames, error) {
	f, err := elf.NewFile(program)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if !strings.HasSuffix(s.Name, ".gopclntab") || s.ReaderAt == nil { // it is nil of a compressed section
			continue
		}
		header := make([]byte, headerSize)
		if _, err := s.ReadAt(header, 0); err != nil {
			return nil, err
		}
		from, to := f.ByteOrder.Uint64(header[nameOffset:]), f.ByteOrder.Uint64(header[nextOffset:])
		if f.ByteOrder.Uint32(header) != pclntabMagic || from < headerSize || to < from || to > maxNames {
			return nil, errors.New("its table of functions has another form")
		}
		return &FunctionNames{io.NewSectionReader(s, int64(from), int64(to-from))}, nil
	}
	return nil, errors.New("it has no table of functions")
}

// At is the name at an offset, without type arguments. It is not known where no name
// begins: what a program left may be anything.
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
	return withoutTypeArguments(string(text[1 : 1+end])), true
}
