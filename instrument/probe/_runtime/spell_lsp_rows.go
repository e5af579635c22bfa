//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
)

var spellRowsOfFrames [1 << 12]uint64 // spellRowsAt of return addresses: cached

// spellRowSet is the rows that have been seen on a stack, the innermost first.
type spellRowSet struct {
	n    int
	rows [16]uint32
}

// add returns whether the row is new. Beyond the room for them none is.
func (s *spellRowSet) add(row uint32) bool {
	for _, r := range s.rows[:s.n] {
		if r == row {
			return false
		}
	}
	if s.n == len(s.rows) {
		return false
	}
	s.rows[s.n] = row
	s.n++
	return true
}

// spellInFrame is the rows of the functions that are inlined in one frame, the innermost
// first.
type spellInFrame [4]uint32

// spellRowsAt returns the rows at a return address. Most addresses have one, or none: that
// is remembered. Blocks are found by line, each time.
func spellRowsAt(pc uintptr, top uint32) (int, spellInFrame) {
	const none, rowBits = 1, 24
	offset := uint64(pc - firstmoduledata.text)
	slot := &spellRowsOfFrames[(offset*0x9e3779b97f4a7c15)>>52]
	if have := atomic.Load64(slot); have>>rowBits == offset+1 {
		if row := uint32(have & (1<<rowBits - 1)); row != none {
			return 1, spellInFrame{row - 2}
		}
		return 0, spellInFrame{}
	}
	n, rows, varies := spellFindRows(pc, top)
	switch {
	case n > 1, varies, offset >= 1<<(64-rowBits)-1:
	case n == 0:
		atomic.Store64(slot, (offset+1)<<rowBits|none)
	default:
		atomic.Store64(slot, (offset+1)<<rowBits|uint64(rows[0]+2))
	}
	return n, rows
}

// spellFindRows is spellRowsAt without a memory. varies says that the rows depend on the
// component on top.
func spellFindRows(pc uintptr, top uint32) (n int, rows spellInFrame, varies bool) {
	f := findfunc(pc)
	if !f.valid() {
		return 0, rows, false
	}
	for iu, uf := newInlineUnwinder(f, pc-1); uf.valid() && n < len(rows); uf = iu.next(uf) {
		sf := iu.srcFunc(uf)
		if sf.funcID == abi.FuncIDWrapper {
			continue
		}
		row := spellLookUp(sf.name())
		switch row {
		case spellFurther:
			continue
		case spellAmbiguous:
			row, varies = uint64(top), true
		case spellTable.owner:
			_, line := iu.fileLine(uf)
			rows[n], varies = spellBlockAt(uint64(max(0, line)), top), true
			if n++; n == len(rows) || rows[n-1] == uint32(row) {
				continue
			}
		}
		rows[n] = uint32(row)
		n++
	}
	return n, rows, varies
}
