package binmatrix_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"

	"spell-lsp/spell/binmatrix"
)

// A file is one of version 1, made without the package, as a tool in another
// language would.
type file struct {
	version uint32
	header  string // filled up with blanks
	length  uint64 // what the file says it is, 0 = as it is
	cells   uint64 // that the file says it has
	zero    uint32 // the last four bytes of the beginning
	blocks  []block
}

type block struct {
	number uint32
	values []any // int32 and float64
}

func (f file) bytes() []byte {
	header := f.header
	if f.length == 0 {
		header += strings.Repeat(" ", (8-len(header)%8)%8)
		f.length = uint64(len(header))
	}
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("SPELLBIN"), f.version)
	b = le.AppendUint32(b, crc([]byte(header)))
	b = le.AppendUint64(b, f.length)
	b = le.AppendUint64(b, f.cells)
	b = le.AppendUint32(b, crc(b))
	b = le.AppendUint32(b, f.zero)
	b = append(b, header...)
	for _, bl := range f.blocks {
		b = append(b, bl.bytes()...)
	}
	return b
}

func (bl block) bytes() []byte {
	b := bl.contents()
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, crc(b)), bl.number)
}

func (bl block) contents() []byte {
	var b []byte
	for _, v := range bl.values {
		switch v := v.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// smallHeader has 160 bytes with its blanks: cells begin at byte 200.
const smallHeader = `{"schema":"spell-lsp/matrix/v1","energy":"measured","domains":["dram","cpu"],"tests":["t1","t2","none"],"components":["c1",{"id":"pkg.F","kind":"function"}]}`

// smallFile is small as a file.
func smallFile() file {
	return file{version: 1, header: smallHeader, cells: 3, blocks: []block{{0, []any{
		1, 1, 1.0, 2.5,
		0, 1, 1e7, 0.0,
		0, 0, 0.5, 3.0,
		0.0, 0.1,
		1e-9, 7.0,
		2.0, 3.0,
	}}}}
}

// What the program wrote when version 1 was the newest.
func TestReadVersion1(t *testing.T) {
	text, err := os.ReadFile("testdata/version1.spellbin")
	if err != nil {
		t.Fatal(err)
	}
	checkSmall(t, text)
	checkSmall(t, smallFile().bytes())
}

// Two blocks come back whole; a block at the place of the other is found.
func TestReadBlocksOfVersion1(t *testing.T) {
	m := large()
	f := file{version: 1, cells: uint64(len(m.Cells)), header: strings.ReplaceAll(string(jsonOf(t, m)), "\n", "")}
	for from := 0; from < len(m.Cells); from += binmatrix.BlockCells {
		to := min(from+binmatrix.BlockCells, len(m.Cells))
		bl := block{number: uint32(len(f.blocks))}
		for _, c := range m.Cells[from:to] {
			bl.values = append(bl.values, int(c.Test), int(c.Component), c.N, c.TimeMS)
		}
		for _, v := range m.Energy[from:to] {
			bl.values = append(bl.values, v)
		}
		f.blocks = append(f.blocks, bl)
	}
	got, _, err := binmatrix.Read(bytes.NewReader(f.bytes()), "m")
	if err != nil {
		t.Fatal(err)
	}
	if !same(m, got) {
		t.Error("other cells come back")
	}
	f.blocks[1], f.blocks[2] = f.blocks[2], f.blocks[1]
	checkError(t, f.bytes(), "is damaged: the number of the block of cells 16384 to 32767 is wrong: copy or write it again")
}

func TestReadErrorsOfVersion1(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(f *file)
		want   string
	}{
		{"something in the gap", func(f *file) { f.zero = 1 }, "is damaged: the checksum of its beginning is wrong"},
		{"header not filled up", func(f *file) { f.length = uint64(len(f.header)) }, "is damaged: its header claims 157 bytes"},
		{"header that is longest", func(f *file) { f.length = math.MaxUint64 - 7 }, "is damaged: its header claims 18446744073709551608 bytes"},
		{"header below zero as an int64", func(f *file) { f.length = 1 << 63 }, "is damaged: its header claims 9223372036854775808 bytes"},
		{"header that claims much", func(f *file) { f.length = 1 << 60 }, "is cut off in its header"},
		{"no JSON", func(f *file) { f.header = "\x00" }, `: JSON:1:1: this is not JSON: invalid character '\x00' at start of value`},
		{"cells in the header", func(f *file) { f.header = f.header[:len(f.header)-1] + `,"cells":[{"t":0,"c":0,"n":1}]}` }, "has cells in its JSON: write them in sections of their own"},
		{"the greatest claim", func(f *file) { f.cells = math.MaxUint64 }, "claims 18446744073709551615 cells, a matrix of 3 tests and 2 components has at most 6"},
		{"no block", func(f *file) { f.blocks = nil }, "is cut off in cells 0 to 2: copy or write it again"},
		{"a cell too few", func(f *file) { f.cells = 4 }, "is cut off in cells 0 to 3"},
		{"a cell too many", func(f *file) { f.cells = 2 }, "is damaged: the checksum of cells 0 to 1 is wrong"},
		{"a block too many", func(f *file) { f.blocks = append(f.blocks, f.blocks[0]) }, "goes on behind its 3 cells: copy or write it again"},
		{"cells of an empty matrix", func(f *file) { f.cells, f.header = 0, `{"schema":"spell-lsp/matrix/v1"}` }, "goes on behind its 0 cells"},
		{"block with another number", func(f *file) { f.blocks[0].number = 1 }, "is damaged: the number of the block of cells 0 to 2 is wrong"},
		{"test out of range", func(f *file) { f.blocks[0].values[8] = 3 }, "has cell 2 for test 3 and component 0, must be from 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := smallFile()
			test.change(&f)
			checkError(t, f.bytes(), test.want)
		})
	}
	text := smallFile().bytes()
	text[41] = '\''
	checkError(t, text, "is damaged: the checksum of its header is wrong")
}
