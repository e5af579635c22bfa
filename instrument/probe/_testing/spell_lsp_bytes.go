// The bytes that components moved: package runtime counts them, the log says in which test.

//go:build linux && (amd64 || arm64)

package testing

import (
	"strconv"
	"unsafe"
)

const spellMovedCounted = 10 // of the 16 words of a row

// A spellMovedRow is what a row moved: read, written, received, sent; fetched, stored, on wires; and
// these with callees.
type spellMovedRow [spellMovedCounted]uint64

// moved appends a line for each row that moved bytes since the last call.
func (l *spellLog) moved(b []byte) []byte {
	rows, grown := spellMoved()
	if !grown {
		return b
	}
	all := unsafe.Slice((*[16]uint64)(rows), len(l.logged))
	if l.movedLogged == nil {
		l.movedLogged = make(map[int]spellMovedRow)
	}
	for i := range all {
		now := spellMovedRow(all[i][:spellMovedCounted])
		last := l.movedLogged[i]
		if now == last {
			continue
		}
		b = strconv.AppendInt(append(b, "moved "...), int64(i), 10)
		for v := range now {
			b = strconv.AppendUint(append(b, ' '), now[v]-last[v], 10)
		}
		b = append(b, '\n')
		l.movedLogged[i] = now
	}
	return b
}
