// The bytes that components moved: package runtime counts them, the log says in which test.

//go:build linux && (amd64 || arm64)

package testing

import (
	"strconv"
	"unsafe"
)

const spellMovedCounted = 10 // of the words of a row

// A spellMovedRow is what a row moved: read, written, received, sent; fetched, stored, on wires; and
// these with callees. The other words are 0.
type spellMovedRow [16]uint64

// moved appends a line for each row that moved bytes since the last call.
func (l *spellLog) moved(b []byte) []byte {
	rows, grown := spellMoved()
	if !grown {
		return b
	}
	all := unsafe.Slice((*spellMovedRow)(rows), len(l.logged))
	if l.movedLogged == nil {
		l.movedLogged = spellSlice[spellMovedRow](len(all))
	}
	for i := range all {
		last := &l.movedLogged[i]
		if all[i] == *last {
			continue
		}
		now := all[i] // others may go on
		b = strconv.AppendInt(append(b, "moved "...), int64(i), 10)
		for v := range spellMovedCounted {
			b = strconv.AppendUint(append(b, ' '), now[v]-last[v], 10)
		}
		b = append(b, '\n')
		*last = now
	}
	return b
}
