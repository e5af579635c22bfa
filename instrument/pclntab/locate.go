// Package pclntab reads the table of functions that the linker puts into every Go program for
// the runtime (runtime.pclntab): function, file and line of the addresses of its code, with
// the calls that the compiler inlined, as runtime.CallersFrames finds them in the program
// itself. The table is there in programs without symbols, and wherever a program is loaded.
//
// It reads programs in ELF for amd64 and arm64, of Go 1.21 and later; 1.24 to 1.26 are tested. What it reads may be damaged or hostile: every offset is checked.
//
// Sources: runtime/symtab.go, symtabinl.go and runtime2.go; cmd/link/internal/ld/pcln.go and
// symtab.go.
package pclntab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"
)

// The header of the table (runtime.pcHeader).
const (
	magic      = 0xfffffff1 // Go 1.20 and later
	nameOffset = 32         // of the word with the offset of the names, which end where
	nextOffset = 40         // the table begins whose offset is here
	headerSize = 48
)

var (
	errNoTable   = errors.New("it has no table of functions: it was not made by Go, or without the go command's linker")
	errOtherForm = errors.New("its table of functions has another form: it was made by a Go release that is not known")
)

// locate finds the table in a section of its own, or, as external linkers join sections of
// position-independent programs, in another one.
func locate(f *elf.File) (*elf.Section, int64, error) {
	for _, s := range f.Sections {
		if strings.HasSuffix(s.Name, ".gopclntab") && s.ReaderAt != nil { // it is nil of a compressed section
			return s, 0, nil
		}
	}
	for _, s := range f.Sections {
		if s.Name != ".data.rel.ro" || s.ReaderAt == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		if at, ok := search(s); ok {
			return s, at, nil
		}
	}
	return nil, 0, errNoTable
}

// search looks for the beginning of the table in a section: the magic number, two zeros, the
// length of the shortest instruction and that of an address.
func search(s *elf.Section) (at int64, found bool) {
	begins := binary.LittleEndian.AppendUint32(nil, magic)
	begins = append(begins, 0, 0)
	err := chunks(s, s.Size, 8, func(offset int64, chunk []byte) bool {
		for i := 0; i+8 <= len(chunk); i += 8 {
			if bytes.HasPrefix(chunk[i:], begins) && (chunk[i+6] == 1 || chunk[i+6] == 4) && chunk[i+7] == 8 {
				at, found = offset+int64(i), true
				return false
			}
		}
		return true
	})
	return at, found && err == nil
}
