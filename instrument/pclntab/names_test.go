package pclntab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// program is the beginning of an executable, with the table of functions and nothing else.
func program(t testing.TB, section string, magic uint32, from, to uint64, names string) []byte {
	t.Helper()
	const headers, table = 64, 64 + 3*64
	strings := "\x00" + section + "\x00.shstrtab\x00"
	data := make([]byte, headerSize, headerSize+len(names))
	binary.LittleEndian.PutUint32(data, magic)
	binary.LittleEndian.PutUint64(data[nameOffset:], from)
	binary.LittleEndian.PutUint64(data[nextOffset:], to)
	data = append(data, names...)
	var b bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	write(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1,
		Ehsize: 64, Shoff: headers, Shentsize: 64, Shnum: 3, Shstrndx: 2,
	})
	write(elf.Section64{})
	write(elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: table, Size: uint64(len(data))})
	write(elf.Section64{Name: uint32(len(section)) + 2, Type: uint32(elf.SHT_STRTAB), Off: table + uint64(len(data)), Size: uint64(len(strings))})
	return append(append(b.Bytes(), data...), strings...)
}

const someNames = "go:buildid\x00p.F\x00p.(*T[go.shape.int]).M\x00\xff\x00\x00p.last"

// A program may leave any offset: only the beginning of a whole name is one.
func TestFunctionNames(t *testing.T) {
	names, err := NamesOf(bytes.NewReader(program(t, ".data.rel.ro.gopclntab", magic, headerSize, uint64(headerSize+len(someNames)), someNames)))
	if err != nil {
		t.Fatal(err)
	}
	for offset, want := range map[uint32]string{
		0: "", 11: "p.F", 15: "p.(*T[go.shape.int]).M",
		5:  "",                             // within a name
		14: "",                             // the end of one
		36: "",                             // no text
		38: "",                             // empty
		39: "",                             // without an end
		45: "", 1 << 28: "", 1<<32 - 1: "", // outside
	} {
		if got, ok := names.At(offset); got != want || ok != (want != "") {
			t.Errorf("at %d is %q, %t; want %q", offset, got, ok, want)
		}
	}
}

// What is no program, or has another form, is refused.
func TestFunctionNamesOfOtherFiles(t *testing.T) {
	end := uint64(headerSize + len(someNames))
	compressed := program(t, ".gopclntab", magic, headerSize, end, someNames)
	const flags = 2*64 + 8 // of the section
	compressed[flags+1] = byte(elf.SHF_COMPRESSED >> 8)
	for name, file := range map[string][]byte{
		"no file":            nil,
		"no executable":      []byte("#!/bin/sh\n"),
		"no table":           program(t, ".text", magic, headerSize, end, someNames),
		"compressed":         compressed,
		"another version":    program(t, ".gopclntab", magic-1, headerSize, end, someNames),
		"names in front":     program(t, ".gopclntab", magic, 8, end, someNames),
		"names end too soon": program(t, ".gopclntab", magic, end, headerSize, someNames),
		"names without end":  program(t, ".gopclntab", magic, headerSize, 1<<63, someNames),
	} {
		if _, err := NamesOf(bytes.NewReader(file)); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	names, err := NamesOf(bytes.NewReader(program(t, ".gopclntab", magic, headerSize, maxNames, "\x00p.F\x00")))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := names.At(1); !ok || got != "p.F" {
		t.Errorf("a name of a table that is cut off is %q", got)
	}
	if _, ok := names.At(1000); ok {
		t.Error("there is a name behind the end")
	}
}

// Whatever the file, reading it ends, without a panic.
func FuzzFunctionNames(f *testing.F) {
	f.Add(program(f, ".gopclntab", magic, headerSize, uint64(headerSize+len(someNames)), someNames), uint32(11))
	f.Fuzz(func(t *testing.T, file []byte, offset uint32) {
		names, err := NamesOf(bytes.NewReader(file))
		if err != nil {
			return
		}
		if name, ok := names.At(offset); ok && len(name) > longestName {
			t.Errorf("a name of %d bytes", len(name))
		}
	})
}
