package pclntab

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

// Indexes of words in runtime.moduledata.
const (
	headerWord = 0
	namesWord  = 1
	filesWord  = 7
	funcsWord  = 13
	minWord    = 20 // addresses of the first function and of the end of the last
	maxWord    = 21
	textWord   = 22
	gofuncWord = 40
)

var errNoModule = errors.New("the addresses of its functions were not found (runtime.moduledata): it was made by a Go release that is not known")

// findModule finds runtime.moduledata, which tells to which addresses the table refers. Its
// first word is the address of the table. Go 1.26 has a section for it.
func (t *Table) findModule() error {
	for _, s := range t.program.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_EXECINSTR != 0 || s.ReaderAt == nil {
			continue
		}
		if s.Flags&elf.SHF_WRITE != 0 && t.searchModule(s) {
			return nil
		}
	}
	if t.relocatedModule() {
		return nil
	}
	return errNoModule
}

// searchModule looks for the module's data in a section.
func (t *Table) searchModule(s *elf.Section) (found bool) {
	err := chunks(s, s.Size, 8, func(offset int64, chunk []byte) bool {
		for i := 0; i+8 <= len(chunk); i += 8 {
			if binary.LittleEndian.Uint64(chunk[i:]) == t.address && t.isModule(s.Addr+uint64(offset)+uint64(i), nil) {
				found = true
				return false
			}
		}
		return true
	})
	return found && err == nil
}

// relocatedModule looks for the module's data among the relocations of a position-independent
// program: external linkers put the addresses only there.
func (t *Table) relocatedModule() bool {
	var places []uint64
	t.relocations(func(place, address uint64) {
		if address == t.address && len(places) < 16 { // the runtime itself has a few references
			places = append(places, place)
		}
	})
	for _, module := range places {
		words := make(map[uint64]uint64)
		t.relocations(func(place, address uint64) {
			if place >= module && place-module <= 8*gofuncWord {
				words[place] = address
			}
		})
		if t.isModule(module, words) {
			return true
		}
	}
	return false
}

// isModule takes what is at an address for the module's data if all that it says of the table
// is right. relocated are words that the program's loader puts in.
func (t *Table) isModule(address uint64, relocated map[uint64]uint64) bool {
	word := func(i uint64) uint64 {
		place := address + 8*i
		if w, ok := relocated[place]; ok {
			return w
		}
		var w [8]byte
		if !t.read(w[:], place) {
			return 0
		}
		return binary.LittleEndian.Uint64(w[:])
	}
	part := func(i int) uint64 { return t.address + binary.LittleEndian.Uint64(t.data[nameOffset+8*i:]) }
	text, gofunc := word(textWord), word(gofuncWord)
	var b [1]byte
	switch {
	case word(headerWord) != t.address, word(namesWord) != part(0), word(filesWord) != part(2), word(funcsWord) != part(4):
		return false
	case word(minWord) != text+uint64(t.entry(0)), word(maxWord) != text+uint64(t.entry(t.count)):
		return false
	case !t.read(b[:], text), !t.read(b[:], gofunc):
		return false
	}
	t.text, t.gofunc = text, gofunc
	return true
}

// relocations calls each for every address that the loader puts into memory, moved by where
// it loads the program.
func (t *Table) relocations(each func(place, address uint64)) {
	const entry = 24 // bytes of elf.Rela64
	relative := map[elf.Machine]uint32{elf.EM_X86_64: uint32(elf.R_X86_64_RELATIVE), elf.EM_AARCH64: uint32(elf.R_AARCH64_RELATIVE)}[t.program.Machine]
	for _, s := range t.program.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 || s.ReaderAt == nil { //nolint:misspell // that is its name
			continue
		}
		_ = chunks(s, s.Size, entry, func(_ int64, chunk []byte) bool { // what cannot be read has none
			for ; len(chunk) >= entry; chunk = chunk[entry:] {
				if binary.LittleEndian.Uint32(chunk[8:]) == relative {
					each(binary.LittleEndian.Uint64(chunk), binary.LittleEndian.Uint64(chunk[16:]))
				}
			}
			return true
		})
	}
}

// chunks reads what has size bytes in chunks of whole units, as long as more wants them. What
// is cut off ends there.
func chunks(r io.ReaderAt, size uint64, unit int, more func(offset int64, chunk []byte) bool) error {
	buf := make([]byte, (64<<10)/unit*unit)
	for offset := int64(0); uint64(offset) < size; offset += int64(len(buf)) {
		n, err := r.ReadAt(buf, offset)
		if !more(offset, buf[:n]) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
