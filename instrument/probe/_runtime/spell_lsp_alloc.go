//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Samples of allocations tell which components fill the heap. The allocator counts bytes down
// to the next sample of the heap profile (mcache.nextSample), whatever its rate. It counts down
// to our next sample too, so that nothing is added where it does not leave its fast path.
//
// The distances between samples are random, and each stands for the mean distance: whatever
// the order in which components allocate, the expectation of what is booked is what they
// allocated. From two mean distances on no allocation is missed, and it is booked as it is.

const (
	spellAllocDistance = 128 << 10 // bytes, the mean
	spellAllocExact    = 2 * spellAllocDistance
)

// spellAllocated is what a component allocated: bytes of the slots, as the heap profile counts
// them, and objects; small ones without pointers that share a slot are one.
type spellAllocated struct{ bytes, objects uint64 }

var spellAllocations *[spellMax]spellAllocated // by row

// spellCountdown is a processor's way to its next samples, in bytes.
type spellCountdown struct {
	set  int64 // what mcache.nextSample was set to last
	heap int64 // from then to the next sample of the heap profile
	own  int64 // and to ours, at least 1; 0 before the first one is set
}

// spellCountDown begins with the samples of a processor.
//
//go:nosplit
func spellCountDown(pp *p) {
	if s, c := &pp.spell.allocs, pp.mcache; c != nil && s.own == 0 {
		s.heap, s.own = c.nextSample, spellAllocNext()
		s.restart(c)
	}
}

//go:nosplit
func spellAllocNext() int64 { return 1 + int64(cheaprandn(spellAllocExact)) }

//go:nosplit
func (s *spellCountdown) restart(c *mcache) {
	s.set = min(s.heap, s.own)
	c.nextSample = s.set
}

// spellCountedDown is called when a countdown is over, or the rate of the heap profile is
// another, for an object that is as large as its slot. It says whether the heap profile takes a sample.
func spellCountedDown(mp *m, size uintptr) (heap bool) {
	pp := mp.p.ptr()
	if pp == nil || pp.spell.allocs.own == 0 {
		return true
	}
	s, c := &pp.spell.allocs, pp.mcache
	passed := s.set - c.nextSample
	s.set = c.nextSample
	s.heap -= passed
	s.own -= passed
	if size >= spellAllocExact {
		s.own = max(1, s.own+int64(size))
		spellAllocate(mp, uint64(size), 1)
	} else if s.own <= 0 {
		bytes := uint64(0)
		for ; s.own <= 0; s.own += spellAllocNext() {
			bytes += spellAllocDistance
		}
		objects := bytes / uint64(size)
		if uint64(cheaprandn(uint32(size))) < bytes%uint64(size) {
			objects++ // so that the expectation is what is left
		}
		spellAllocate(mp, bytes, objects)
	}
	if s.heap < 0 || MemProfileRate != c.memProfRate {
		return true
	}
	s.restart(c)
	return false
}

// spellHeapSampled is called when the countdown of the heap profile begins anew.
func spellHeapSampled(mp *m, c *mcache) {
	if pp := mp.p.ptr(); pp != nil && pp.spell.allocs.own != 0 {
		pp.spell.allocs.heap = c.nextSample
		pp.spell.allocs.restart(c)
	}
}

// spellAllocate books an allocation of the goroutine that runs. The thread is in the allocator:
// nothing here allocates, or takes a lock.
//
//go:noinline
func spellAllocate(mp *m, bytes, objects uint64) {
	pc, sp, fp, gp := sys.GetCallerPC(), sys.GetCallerSP(), getfp(), getg()
	row := uint32(spellOutside)
	switch curg := mp.curg; {
	case curg == nil || spellNames == nil:
	case curg.spell.stray != 0:
		row = spellStraysRow()
	default:
		top := curg.spell.top
		systemstack(func() { // the goroutine's stack does not move
			found := false
			if gp == curg && !tracefpunwindoff() && !mp.hasCgoOnStack() {
				row, found = spellAllocator(fp, gp.stack, top)
			}
			if !found {
				row = spellAllocatorUnwound(pc, sp, gp, top)
			}
		})
	}
	to := &spellAllocations[row]
	atomic.Xadd64(&to.bytes, int64(bytes))
	atomic.Xadd64(&to.objects, int64(objects))
}

const spellAllocFrames = 1024 // of a stack that are looked at

// spellAllocator is the row of the innermost function on the stack that has one; spellOutside
// where there is none, as in test code. It follows the frame pointers, as the runtime does for
// the tracer (fpTracebackPCs): the unwinder takes some 10 us. It is false where they leave the
// stack, as where assembly has used their register for something else.
func spellAllocator(fp uintptr, on stack, top uint32) (row uint32, ok bool) {
	for n := 0; n < spellAllocFrames && fp != 0; n++ {
		if fp < on.lo || fp > on.hi-2*goarch.PtrSize || fp%goarch.PtrSize != 0 {
			return 0, false
		}
		pc := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		if row := spellCallerRow(pc); row != spellFurther {
			return spellAllocatorRow(row, top), true
		}
		on.lo = fp + goarch.PtrSize // frames are one above the other
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return spellOutside, true
}

// spellAllocatorUnwound is spellAllocator where frame pointers may not lead to the caller: on stacks
// of the system, and below C.
func spellAllocatorUnwound(pc, sp uintptr, gp *g, top uint32) uint32 {
	var u unwinder
	u.initAt(pc, sp, 0, gp, unwindSilentErrors|unwindJumpStack)
	for n := 0; n < spellFrames && u.valid(); n++ {
		if row := spellFrameRow(u.frame.fn, u.symPC()); row != spellFurther {
			return spellAllocatorRow(row, top)
		}
		u.next()
	}
	return spellOutside
}

func spellAllocatorRow(row uint64, top uint32) uint32 {
	if row == spellAmbiguous {
		return top
	}
	return uint32(row)
}

// spellCallers remembers the rows of frames by their return addresses: 1 + the distance from the
// start of the program's code in the upper half, the row, or spellFurther or spellAmbiguous less
// spellFurther with a bit of its own, in the lower. Processors share it without locks.
var spellCallers [1 << spellCallerBits]uint64

const (
	spellCallerBits  = 12
	spellCallerOther = 1 << 31
)

// spellCallerRow is the row of the frame that a call returns to.
func spellCallerRow(pc uintptr) uint64 {
	offset := uint64(pc-firstmoduledata.text) + 1
	if offset >= 1<<32 { // of a plugin
		return spellReturnRow(pc)
	}
	slot := &spellCallers[offset*0x9e3779b97f4a7c15>>(64-spellCallerBits)]
	if known := atomic.Load64(slot); known>>32 == offset {
		row := known & (spellCallerOther - 1)
		if known&spellCallerOther != 0 {
			row += spellFurther
		}
		return row
	}
	row := spellReturnRow(pc)
	packed := row
	if row >= spellFurther {
		packed = row - spellFurther | spellCallerOther
	}
	atomic.Store64(slot, offset<<32|packed)
	return row
}

func spellReturnRow(pc uintptr) uint64 {
	f := findfunc(pc)
	if !f.valid() {
		return spellFurther
	}
	if pc > f.entry() {
		pc--
	}
	return spellFrameRow(f, pc)
}

// spellFrameRow is the row of the innermost function of a frame that has one; spellFurther where
// there is none.
func spellFrameRow(f funcInfo, pc uintptr) uint64 {
	for iu, uf := newInlineUnwinder(f, pc); uf.valid(); uf = iu.next(uf) {
		sf := iu.srcFunc(uf)
		if sf.funcID == abi.FuncIDWrapper {
			continue
		}
		switch row := spellLookUp(sf.name()); row {
		case spellFurther:
		case spellTable.owner:
			_, line := iu.fileLine(uf)
			return uint64(spellBlockOn(uint64(max(0, line))))
		default:
			return row
		}
	}
	return spellFurther
}

// spellAllocs is for package testing: what components allocated, by row.
//
//go:linkname spellAllocs
func spellAllocs() unsafe.Pointer { return unsafe.Pointer(spellAllocations) }
