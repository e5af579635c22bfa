package binmatrix

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"spell-lsp/spell"
)

// A form turns the cells and joules of a block into the bytes of a file, and
// back. What its methods return is good until the next call.
type form interface {
	// encoded returns the bytes of both.
	encoded(cells []spell.Cell, joules []float64) (c, j []byte)
	// room returns memory for the bytes of both.
	room(cells []spell.Cell, joules []float64) (c, j []byte)
	// decode sets both to the bytes in the memory that room returned for them.
	decode(cells []spell.Cell, joules []float64)
}

// thisMachine returns the form that suits the machine.
func thisMachine() form {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return native{}
	}
	return &portable{}
}

// native is for machines whose memory is laid out as the file: cells and joules
// are their own bytes, nothing is copied.
type native struct{}

// It does not compile where a cell is laid out otherwise.
var (
	_ [cellBytes]struct{} = [unsafe.Sizeof(spell.Cell{})]struct{}{}
	_ [0]struct{}         = [unsafe.Offsetof(spell.Cell{}.Test)]struct{}{}
	_ [4]struct{}         = [unsafe.Offsetof(spell.Cell{}.Component)]struct{}{}
	_ [8]struct{}         = [unsafe.Offsetof(spell.Cell{}.N)]struct{}{}
	_ [16]struct{}        = [unsafe.Offsetof(spell.Cell{}.TimeMS)]struct{}{}
)

func (native) encoded(cells []spell.Cell, joules []float64) (c, j []byte) {
	return bytesOf(cells, cellBytes), bytesOf(joules, jouleBytes)
}

func (n native) room(cells []spell.Cell, joules []float64) (c, j []byte) {
	return n.encoded(cells, joules)
}

func (native) decode([]spell.Cell, []float64) {}

// bytesOf is the memory of items, which have size bytes each and no pointers.
func bytesOf[T spell.Cell | float64](items []T, size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), len(items)*size)
}

// portable is for all machines.
type portable struct{ c, j []byte }

func (p *portable) room(cells []spell.Cell, joules []float64) (c, j []byte) {
	p.c = slices.Grow(p.c[:0], len(cells)*cellBytes)[:len(cells)*cellBytes]
	p.j = slices.Grow(p.j[:0], len(joules)*jouleBytes)[:len(joules)*jouleBytes]
	return p.c, p.j
}

func (p *portable) encoded(cells []spell.Cell, joules []float64) (c, j []byte) {
	p.c, p.j = p.c[:0], p.j[:0]
	for _, cell := range cells {
		p.c = binary.LittleEndian.AppendUint32(p.c, uint32(cell.Test))
		p.c = binary.LittleEndian.AppendUint32(p.c, uint32(cell.Component))
		p.c = binary.LittleEndian.AppendUint64(p.c, math.Float64bits(cell.N))
		p.c = binary.LittleEndian.AppendUint64(p.c, math.Float64bits(cell.TimeMS))
	}
	for _, v := range joules {
		p.j = binary.LittleEndian.AppendUint64(p.j, math.Float64bits(v))
	}
	return p.c, p.j
}

func (p *portable) decode(cells []spell.Cell, joules []float64) {
	for i := range cells {
		b := p.c[i*cellBytes:][:cellBytes]
		cells[i] = spell.Cell{
			Test:      int32(binary.LittleEndian.Uint32(b)),
			Component: int32(binary.LittleEndian.Uint32(b[4:])),
			N:         math.Float64frombits(binary.LittleEndian.Uint64(b[8:])),
			TimeMS:    math.Float64frombits(binary.LittleEndian.Uint64(b[16:])),
		}
	}
	for i := range joules {
		joules[i] = math.Float64frombits(binary.LittleEndian.Uint64(p.j[i*jouleBytes:]))
	}
}
