//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
)

// Functions that were chosen note one or two sizes as they begin. What the outermost call on a
// goroutine took is booked by test, function and size when it ends, in a table of fixed size as in
// spell_lsp_stacks.go: the key has the number of the function, which of its sizes it is, and the
// bucket of the size. Where there is no room, less is known.

const (
	spellSizeSlots = 1 << 14
	spellExact     = 64 // sizes below are buckets of their own; above, an octave has eight
)

// spellSized is what calls of one size took together, in ticks, and the sum of their sizes. How many
// there were is in the slot with the key.
type spellSized struct{ cum, self, sum, _ uint64 }

// spellSizeTable has the slots twice, so that a key is found as in other tables.
type spellSizeTable struct {
	keys [spellSizeSlots]spellNode
	sums [spellSizeSlots]spellSized
}

var spellSizes *spellSizeTable

// SpellSized is SpellEnter of a function that has one or two sizes; a negative one is none.
func SpellSized(component uint32, a, b int) SpellFrame {
	if n := getg().m.p.ptr().spell.n; n != nil {
		n[component]++
		if modes := spellModes[component]; modes&spellHotCalls == 0 {
			f := spellPush(component, spellHotCalls)
			if modes&spellNotesSizes != 0 {
				getg().spell.noteSizes(component, a, b)
			}
			return f
		}
	}
	return SpellFrame{}
}

// SpellLen is the length of a map. Where the function takes a lock before it reads the map, the race
// detector would be right about a length that is read before.
//
//go:norace
func SpellLen[M ~map[K]V, K comparable, V any](m M) int { return len(m) }

// SpellAt is what a pointer points to, which the race detector does not see being read.
//
//go:norace
func SpellAt[T any](at *T) T { return *at }

// noteSizes keeps the sizes of the call that has just begun, if it is the outermost one.
//
//go:nosplit
func (s *spellG) noteSizes(component uint32, a, b int) {
	slot := s.spellFirst(component)
	if slot.component != component {
		slot = spellSlot(s, component)
	}
	if slot.depth != 1 {
		return
	}
	slot.sizes = [2]uint32{spellSizeOf(a), spellSizeOf(b)}
	if slot.sizes != [2]uint32{} {
		slot.self, s.base = 0, s.ran
		s.sizing++
	}
}

// spellSizeOf is 1 + a size, 0 for none. What is larger is no size but, say, a hash.
//
//go:nosplit
func spellSizeOf(n int) uint32 {
	const most = 1<<32 - 2
	if uint(n) > most {
		return 0
	}
	return uint32(n) + 1
}

// ownSoFar adds what the goroutine ran since base to the component on top, if that notes sizes. It
// is called before another comes on top.
//
//go:nosplit
func (s *spellG) ownSoFar() {
	for i := s.top * spellHash; ; i++ {
		slot := &s.active[i&s.mask]
		if slot.component == s.top && slot.sizes != [2]uint32{} {
			slot.self += s.ran - s.base
		}
		if slot.component == s.top || slot.component == 0 {
			break
		}
	}
	s.base = s.ran
}

// bookSizes books the outermost call of a component, which has ended.
func (s *spellG) bookSizes(slot *spellActive) {
	sizes := slot.sizes
	slot.sizes = [2]uint32{}
	s.sizing--
	test := uint32(atomic.Load64(&spellKin.test))
	if test == 0 || s.stray != 0 {
		return
	}
	for which, size := range sizes {
		if size == 0 {
			continue
		}
		key := uint32(spellSamples[slot.component].sized)<<16 | uint32(which)<<15 | spellBucket(size-1)
		at := spellSlotOf(spellSizes.keys[:], spellRoot|test, key, spellLook)
		if at == 0 {
			return
		}
		sums := &spellSizes.sums[at-1]
		atomic.Xadd64(&spellSizes.keys[at-1].ns, 1)
		atomic.Xadd64(&sums.cum, s.ran-slot.ran)
		atomic.Xadd64(&sums.self, slot.self)
		atomic.Xadd64(&sums.sum, int64(size-1))
	}
}

// spellBucket is that of a size.
func spellBucket(size uint32) uint32 {
	if size < spellExact {
		return size
	}
	octave := uint32(sys.Len64(uint64(size))) - 4 // of which an eighth has so many bits
	return spellExact + (octave-3)*8 + size>>octave&7
}
