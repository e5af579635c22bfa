//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The CPU time of a sample in a test is also booked by the go statement that started the
// goroutine, and by the goroutine's labels (runtime/pprof): two tries in one table, which
// differ in the first level below the test. The one has there the go statement, below it the
// outermost component on the stack, since a library may have the go statement (sync.WaitGroup.Go),
// and below that the component with the time; the other has labels, then the component.

const (
	spellGroupNodes = 1 << 15

	spellLabels      = 1 << 30         // in the place of a row: the number of a set of labels, 0 for none; else of a go statement
	spellOtherLabels = spellLabels - 1 // with spellLabels: a set that has no number
)

var spellGroups *[spellGroupNodes]spellNode

// spellBookGroups books a sample whose stack has been booked, in that component's own time.
func spellBookGroups(gp *g, s *spellCalls, own uint32, weight int64) {
	test := uint32(atomic.Load64(&spellKin.test))
	if test == 0 || own == spellOutside || own >= spellRuntimeRow() {
		return
	}
	outermost := uint32(0) // not known
	if !s.cut && s.depth > 0 {
		outermost = s.rows[s.depth-1]
	}
	spellBookGroup(weight, spellRoot|test, spellStatementOf(gp), outermost, own)
	spellBookGroup(weight, spellRoot|test, spellLabels|spellLabelsOf(gp.labels), own)
}

// spellBookGroup books a sample along a way from the root. Where there is no room, less is known.
func spellBookGroup(weight int64, at uint32, way ...uint32) {
	for _, row := range way {
		if at = spellSlotOf(spellGroups[:], at, row, spellLook); at == 0 {
			return
		}
	}
	atomic.Xadd64(&spellGroups[at-1].ns, weight)
}

// spellStatementOf stands for the go statement of a goroutine: where its call of newproc returns,
// from the start of the program's code; 0 where that is not known, as in another executable.
func spellStatementOf(gp *g) uint32 {
	at := gp.gopc - firstmoduledata.text
	if spellForeign || gp.gopc < firstmoduledata.text || at >= spellLabels {
		return 0
	}
	return uint32(at)
}

// spellLabelSet is a set of labels: of each the length of its key, one byte, the key, and the
// same of its value.
type spellLabelSet struct {
	hash uint64 // 0: the slot is free
	size uint64 // of the text; 0 while it is written
	text [496]byte
}

const (
	spellMostSets   = 1 << 10
	spellLookSets   = 16 // slots that a set may be in, from its hash on
	spellMostLabels = 32 // of a set
)

var spellLabelSets *[spellMostSets]spellLabelSet

// spellLabelsOf is the number of a goroutine's labels: 0 for none, else 1 + the slot of their set.
func spellLabelsOf(labels unsafe.Pointer) uint32 {
	if labels == nil {
		return 0
	}
	list, ok := spellLabelList(labels)
	if !ok {
		return spellOtherLabels
	}
	if len(list) == 0 {
		return 0
	}
	size, hash := spellHashLabels(list)
	if size > len(spellLabelSet{}.text) {
		return spellOtherLabels
	}
	for i := range uint64(spellLookSets) {
		slot := (hash + i) % spellMostSets
		set := &spellLabelSets[slot]
		if atomic.Load64(&set.hash) == 0 && atomic.Cas64(&set.hash, 0, hash) {
			set.write(list)
			atomic.Store64(&set.size, uint64(size))
		}
		if atomic.Load64(&set.hash) == hash {
			return uint32(slot) + 1
		}
	}
	return spellOtherLabels
}

// spellHashLabels is the size of the text of labels, and its hash, which is not 0. The size is
// larger than any text where it has no room.
func spellHashLabels(list []spellLabel) (size int, hash uint64) {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	most := len(spellLabelSet{}.text)
	hash = basis
	for i := range list {
		for _, text := range [...]string{list[i].key, list[i].value} {
			if size += 1 + len(text); size > most || len(text) > 255 {
				return most + 1, 0
			}
			hash = (hash ^ uint64(len(text))) * prime
			for j := range len(text) {
				hash = (hash ^ uint64(text[j])) * prime
			}
		}
	}
	return size, max(1, hash)
}

// write writes labels that have room.
func (s *spellLabelSet) write(list []spellLabel) {
	at := 0
	for i := range list {
		for _, text := range [...]string{list[i].key, list[i].value} {
			s.text[at] = byte(len(text))
			at += 1 + copy(s.text[at+1:], text)
		}
	}
}

// spellLabel is a label as runtime/pprof keeps it in a set, which is a list, sorted by key, and
// never changes.
type spellLabel struct{ key, value string }

// spellLabelList reads the labels of a goroutine. They are what runtime/pprof set, but a package
// may have got at its setter by go:linkname and set something else: ok is false for what is no
// object of the heap with room for labels.
func spellLabelList(labels unsafe.Pointer) (list []spellLabel, ok bool) {
	if !spellHasRoom(labels, unsafe.Sizeof(list)) {
		return nil, false
	}
	list = *(*[]spellLabel)(labels)
	if len(list) == 0 {
		return nil, true
	}
	if len(list) > min(cap(list), spellMostLabels) || !spellHasRoom(unsafe.Pointer(unsafe.SliceData(list)), uintptr(len(list))*unsafe.Sizeof(list[0])) {
		return nil, false
	}
	return list, true
}

// spellHasRoom says whether an address is in an object of the heap that goes on for so many bytes.
func spellHasRoom(p unsafe.Pointer, size uintptr) bool {
	s, at := spanOf(uintptr(p)), uintptr(p)
	if s == nil || s.state.get() != mSpanInUse || at < s.base() || at >= s.limit || s.elemsize == 0 {
		return false
	}
	return size <= s.elemsize-(at-s.base())%s.elemsize
}
