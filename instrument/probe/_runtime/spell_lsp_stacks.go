//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for go:linkname
)

// Of each sample in a test the components on the stack are booked too, with its
// CPU time: who called whom. The stacks are a trie from the outermost component
// inwards, in a table of fixed size. Nothing is ever taken out of it, so a slot
// is found, or taken, by one compare-and-swap, also by several signal handlers at
// a time.

const (
	spellDeep       = 64      // components of a stack that are booked, the innermost ones
	spellNodes      = 1 << 17 // slots
	spellFirstNodes = 256     // slots of the first section of a table, a page
	spellLook       = 16      // slots of a section that a key may be in, from its hash on, see spellSlotOf

	spellRoot = 1 << 31 // in the place of a caller: it is none, but the number of a test
	spellCut  = 1 << 31 // with the row of an outermost component: others may stand above it
	spellOwn  = 1 << 29 // with the row of a component: below is its own time, by line and callee
	spellLine = 3 << 30 // in the place of a row: what else is there is a line of the source
)

// spellNode is a component where another called it. The key has the caller's slot,
// plus 1, in its upper half, and the row in its lower; 0 is a free slot.
type spellNode struct{ key, ns uint64 }

var spellStacks *[spellNodes]spellNode

// spellTest is for package testing, which says which test is running.
//
//go:linkname spellTest
func spellTest(number uint32) { atomic.Store64(&spellKin.test, uint64(number)) }

// spellCalls is the components of a stack, from the innermost on.
type spellCalls struct {
	rows   [spellDeep]uint32
	depth  int
	cut    bool   // there are more
	line   uint32 // of the innermost one; 0 if it is not known
	callee uint32 // see spellCalleeOf: what the innermost one called; 0 if it ran itself
}

// push adds the next component, from the innermost frame outwards. The first row must
// be innermost: if that is no component, or its frame was not found, nothing is added.
// A component that called itself is added once.
func (s *spellCalls) push(row, innermost uint32) {
	switch {
	case row == spellOutside, s.depth == 0 && row != innermost:
	case s.depth > 0 && s.rows[s.depth-1] == row:
	case s.depth == len(s.rows):
		s.cut = true
	default:
		s.rows[s.depth] = row
		s.depth++
	}
}

// book books a sample. Where the component that has its time was not seen on the
// stack, what called it is not known.
func (s *spellCalls) book(mp *m, own uint32, weight int64) {
	test := uint32(atomic.Load64(&spellKin.test))
	if test == 0 || own == spellOutside || own >= spellRuntimeRow() {
		return
	}
	if s.depth == 0 {
		s.rows[0], s.depth, s.cut = own, 1, true
	}
	s.bookCaller(mp)
	at, cut := spellRoot|test, uint32(0)
	if s.cut {
		cut = spellCut
	}
	for i := s.depth - 1; i >= 0; i-- {
		if at = spellNodeOf(at, s.rows[i]|cut, spellLook); at == 0 {
			atomic.Xadd64(&spellTable.lost, weight)
			return
		}
		cut = 0
	}
	atomic.Xadd64(&spellStacks[at-1].ns, weight)
	s.bookOwn(spellRoot|test, own, weight)
}

// bookOwn books a sample to a line of the component, and to what that line called. This is a
// trie beside that of the stacks: how many lines and callees there are does not depend on how
// many ways lead to the component. Where there is no room, less is known.
func (s *spellCalls) bookOwn(caller, own uint32, weight int64) {
	const look = spellLook / 2 // in a table that fills up, parts are the first that find no room
	at := uint32(0)
	for i, key := range [...]uint32{spellOwn | own, spellLine | s.line, s.callee} {
		if i == 2 && s.callee == 0 {
			break
		}
		next := spellNodeOf(caller, key, look)
		if next == 0 {
			break
		}
		at, caller = next, next
	}
	if at != 0 {
		atomic.Xadd64(&spellStacks[at-1].ns, weight)
	}
}

// spellNodeOf finds the slot of a row where another called it, see spellSlotOf.
func spellNodeOf(caller, row uint32, look uint64) uint32 {
	return spellSlotOf(spellStacks[:], caller, row, look)
}

// spellSlotOf finds the slot of a row below a caller, or takes one. It returns the slot plus 1, or 0
// if there is no room. A table has sections, each eight times as large as the one before; the last has
// what remains. A key is in one of the first so many slots of a section from its hash on. So few keys use
// few pages: the first use of a page takes microseconds.
func spellSlotOf(nodes []spellNode, caller, row uint32, look uint64) uint32 {
	key := uint64(caller)<<32 | uint64(row)
	hash := key * 0x9e3779b97f4a7c15 >> 32
	for first, size := uint64(0), uint64(spellFirstNodes); size > 0; {
		for i := range look {
			slot := first + (hash*size>>32+i)%size
			node := &nodes[slot]
			have := atomic.Load64(&node.key)
			if have == 0 {
				if atomic.Cas64(&node.key, 0, key) {
					return uint32(slot) + 1
				}
				have = atomic.Load64(&node.key)
			}
			if have == key {
				return uint32(slot) + 1
			}
		}
		first += size
		size = min(8*size, uint64(len(nodes))-first)
	}
	return 0
}
