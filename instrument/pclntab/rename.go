package pclntab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

const (
	filesOffset  = 48 // of the word with the offset of the names of source files, which end where
	valuesOffset = 56 // the table begins whose offset is here
)

// A Program is the file of an executable.
type Program interface {
	io.ReaderAt
	io.WriterAt
}

// Rename changes the names of the source files below a folder, as the table has them (with forward slashes, also of
// programs that were built on Windows), to names below another one. That one's name must not be longer: each name is
// changed in place, because functions refer to where it begins. Rename returns how many names it changed: none in a
// file that has no table of a known form.
func Rename(program Program, from, to string) (int, error) {
	from, to = strings.TrimSuffix(from, "/")+"/", strings.TrimSuffix(to, "/")+"/"
	if len(to) > len(from) {
		return 0, fmt.Errorf("names of source files below %s cannot be changed to names below %s, which is longer", from, to)
	}
	names, at := fileNames(program)
	n := rename(names, from, to)
	if n == 0 {
		return 0, nil
	}
	if _, err := program.WriteAt(names, at); err != nil {
		return 0, fmt.Errorf("changing the names of source files: %w", err)
	}
	return n, nil
}

// fileNames are the names of source files, each with a zero behind it, and where they stand in the file.
func fileNames(program io.ReaderAt) (names []byte, at int64) {
	f, err := elf.NewFile(program)
	if err != nil || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, 0
	}
	s, offset, err := locate(f)
	if err != nil {
		return nil, 0
	}
	header := make([]byte, valuesOffset+8)
	if _, err := s.ReadAt(header, offset); err != nil {
		return nil, 0
	}
	start, end := binary.LittleEndian.Uint64(header[filesOffset:]), binary.LittleEndian.Uint64(header[valuesOffset:])
	if binary.LittleEndian.Uint32(header) != magic || start < headerSize || end < start || end-start > maxNames || end > s.Size {
		return nil, 0
	}
	names = make([]byte, end-start)
	if _, err := s.ReadAt(names, offset+int64(start)); err != nil {
		return nil, 0
	}
	return names, int64(s.Offset) + offset + int64(start)
}

// rename changes names in place. What is left over behind a name is zero.
func rename(names []byte, from, to string) (changed int) {
	for len(names) > 0 {
		end := bytes.IndexByte(names, 0)
		if end < 0 {
			return changed
		}
		if rest, is := bytes.CutPrefix(names[:end], []byte(from)); is {
			n := copy(names, to)
			n += copy(names[n:], rest)
			clear(names[n:end])
			changed++
		}
		names = names[end+1:]
	}
	return changed
}
