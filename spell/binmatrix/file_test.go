package binmatrix_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"

	"spell-lsp/spell"
)

// A file is one as the package comment describes it, made without the package,
// as a tool in another language would.
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
	var b []byte
	for _, v := range bl.values {
		switch v := v.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, crc(b)), bl.number)
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

func small() *spell.Matrix {
	m := &spell.Matrix{
		Domains:    []spell.Domain{spell.DRAM, spell.CPU},
		Tests:      []string{"t1", "t2", "none"},
		Components: []spell.Component{{ID: "c1"}, {ID: "pkg.F", Kind: spell.KindFunction}},
	}
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 2.5}, 0, 0.1)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 1e7, TimeMS: 0}, 1e-9, 7)
	m.Add(spell.Cell{Test: 0, Component: 0, N: 0.5, TimeMS: 3}, 2, 3)
	return m
}
