//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A goroutine works for the test that started it, whichever test is running. One that
// goes on when its test is over is a stray: while it runs, its processor counts in
// another shard, so nothing that it does is counted for a later test, and no probe has
// to ask. A stray works for a test that goes on while it serves it: from when a
// goroutine of that test woke it through a channel, a sync.Cond or a WaitGroup, as a
// pool of workers is woken, or from when it took what such a goroutine waited to send,
// until it waits again.

// A test in progress has a number: in the lower half that of its row, above it one that
// is new for each time it is executed. 0 is for goroutines that no test started.
const spellMostOpen = 1 << 14

var (
	spellOpen   [spellMostOpen]uint64 // tests that are not over, by their upper halves
	spellSerial uint64
)

// spellOrigin is a go statement of a test whose goroutines went on when it was over.
// Slot 0 is for those that had no room.
type spellOrigin struct {
	key           uint64 // 0: the slot is free
	whole         uint64 // 1 when what follows is
	test          uint64 // number of the row
	gopc, startpc uint64
	goroutines    uint64
	ran           uint64 // time of these goroutines, and of those that they started, as strays, ticks
	_             uint64
}

const spellMostOrigins = 64

var spellOrigins *[spellMostOrigins]spellOrigin

// spellAllot is for package testing: the number of a test that begins. It is 0 where
// too many are in progress: their goroutines are not told apart.
//
//go:linkname spellAllot
func spellAllot(row uint32) uint64 {
	if spellTable == nil {
		return 0
	}
	for range spellMostOpen {
		spellSerial++
		if slot := &spellOpen[spellSerial%spellMostOpen]; *slot == 0 {
			test := spellSerial<<32 | uint64(row)
			atomic.Store64(slot, test)
			return test
		}
	}
	return 0
}

// spellWork is for package testing: this goroutine, and those that it starts from here
// on, work for another test.
//
//go:linkname spellWork
func spellWork(test uint64) (before uint64) {
	if spellTable == nil {
		return 0
	}
	mp := acquirem()
	gp := mp.curg
	before = gp.spell.own
	gp.spell.own, gp.spell.test = test, test
	spellCharge(gp, spellNow())
	spellTake(gp, mp.p.ptr())
	releasem(mp)
	return before
}

// spellClose is for package testing: a test is over. When it returns, all goroutines of
// the test that run are strays.
//
//go:linkname spellClose
func spellClose(test uint64) {
	if spellTable == nil || test == 0 {
		return
	}
	atomic.Store64(&spellOpen[(test>>32)%spellMostOpen], 0)
	runs := false
	mp := acquirem() // allp stays as it is
	for _, pp := range allp {
		runs = runs || pp.status != _Pidle && atomic.Load64(&pp.spell.test) == test
	}
	releasem(mp)
	if runs {
		spellInterrupt()
	}
}

// spellStraysRun says whether another processor runs a stray.
func spellStraysRun() bool {
	runs := false
	mp := acquirem()
	for _, pp := range allp {
		runs = runs || pp != mp.p.ptr() && pp.status != _Pidle && atomic.Load(&pp.spell.stray) != 0
	}
	releasem(mp)
	return runs
}

// spellInterrupt stops all goroutines for a moment, none of them within a probe.
// Without preemption by signals one that never calls a function could not be stopped.
func spellInterrupt() {
	if debug.asyncpreemptoff == 0 {
		startTheWorld(stopTheWorld(stwGoroutineProfile))
	}
}

// spellIsOver says whether a goroutine that works for the test is a stray.
//
//go:nosplit
func spellIsOver(test uint64) bool {
	return test != 0 && atomic.Load64(&spellOpen[(test>>32)%spellMostOpen]) != test
}

// spellTake makes a processor count for the goroutine that it runs. It says for which
// test before it looks whether that is over, and spellClose does so the other way
// round: one of them sees the other.
//
//go:nosplit
func spellTake(gp *g, pp *p) {
	s := &gp.spell
	if pp.spell.test != s.test {
		atomic.Store64(&pp.spell.test, s.test)
	}
	stray := uint32(0)
	if spellIsOver(s.test) {
		stray = 1
		if s.stray == 0 {
			spellGoesAstray(gp)
		}
	}
	s.stray = stray
	pp.spell.count(stray)
}

// count chooses the shard.
//
//go:nosplit
func (s *spellP) count(stray uint32) {
	if s.stray != stray {
		atomic.Store(&s.stray, stray)
		*(*spellPlace)(unsafe.Pointer(s)) = s.places[stray]
	}
}

// spellWire is called when a thread gets a processor. It has a goroutine then if that
// comes back from a system call. The test is stored in any case, so that whoever sees
// the processor idle is seen by what it runs later.
//
//go:nosplit
func spellWire(pp *p) {
	if pp.spell.places[0].n == 0 {
		spellSupply(pp)
	}
	spellCountDown(pp)
	spellWireCPU(pp)
	gp := getg().m.curg
	if gp == nil {
		atomic.Store64(&pp.spell.test, 0)
		pp.spell.count(0)
		return
	}
	atomic.Store64(&pp.spell.test, gp.spell.test)
	spellTake(gp, pp)
}

// spellWoken is called when gp need not wait any longer. The runtime's own goroutines wake
// others too, and serve nobody. Only a wait for something to do ends the service: one for a
// lock, the garbage collector or anything else inside the runtime is in the middle of it.
//
//go:nosplit
func spellWoken(gp *g) {
	s, test := &gp.spell, uint64(0)
	switch gp.waitreason {
	case waitReasonChanReceive, waitReasonChanSend, waitReasonSelect, waitReasonSyncCondWait, waitReasonSyncWaitGroupWait:
		if waker := getg().m.curg; waker != nil {
			if gp.waitreason == waitReasonChanSend && waker.spell.stray != 0 && s.test != 0 && !spellIsOver(s.test) {
				spellServeNow(waker, s.test)
			}
			test = waker.spell.test
		}
	case waitReasonCoroutine: // gp is the thread's goroutine already; the processor has the test of the one that ran
		if pp := getg().m.p.ptr(); pp != nil {
			test = pp.spell.test
		}
	case waitReasonIOWait, waitReasonSleep:
	default:
		return
	}
	s.test = s.own
	if test != 0 && spellIsOver(s.own) {
		s.test = test
	}
}

// spellServeNow has gp, which runs on this thread, work for a test from here on, and from what was
// charged last on. (There is no room on the stack for charging it.)
//
//go:nosplit
func spellServeNow(gp *g, test uint64) {
	if gp.spell.stray != 0 {
		spellRanAstray(&gp.spell)
	}
	gp.spell.test = test
	if pp := getg().m.p.ptr(); pp != nil {
		spellTake(gp, pp)
	}
}

// spellServes is the test that the goroutine works for.
func spellServes() uint64 { return getg().spell.test }

// spellServe has the goroutine work for that test again, after it waited inside of the runtime
// for another goroutine, in a way in which others wait for something to do.
func spellServe(test uint64) {
	if spellTable == nil {
		return
	}
	mp := acquirem()
	spellCharge(mp.curg, spellNow())
	spellServeNow(mp.curg, test)
	releasem(mp)
}

// spellGoesAstray is called when a goroutine begins to run as a stray.
//
//go:nosplit
func spellGoesAstray(gp *g) {
	s := &gp.spell
	s.since = s.ran
	if s.origin == 0 {
		slot := spellOriginOf(uint64(uint32(s.own)), uint64(gp.gopc), uint64(gp.startpc))
		s.origin = slot + 1
		atomic.Xadd64(&spellOrigins[slot].goroutines, 1)
	}
}

// spellRanAstray is called when a stray stops running.
//
//go:nosplit
func spellRanAstray(s *spellG) {
	if s.origin != 0 {
		atomic.Xadd64(&spellOrigins[s.origin-1].ran, s.ran-s.since)
		s.since = s.ran
	}
}

// spellOriginOf finds the slot of a go statement, or takes one.
//
//go:nosplit
func spellOriginOf(test, gopc, startpc uint64) uint32 {
	const prime = 0x9e3779b97f4a7c15
	key := ((test*prime^gopc)*prime^startpc)*prime | 1
	for i := 1; i < spellMostOrigins; i++ {
		o := &spellOrigins[i]
		if atomic.Load64(&o.key) == 0 && atomic.Cas64(&o.key, 0, key) {
			o.test, o.gopc, o.startpc = test, gopc, startpc
			atomic.Store64(&o.whole, 1)
			return uint32(i)
		}
		if atomic.Load64(&o.key) == key {
			return uint32(i)
		}
	}
	return 0
}

// spellStrays is for package testing: how many goroutines of a slot went astray so far,
// and how long they ran. ok is false if nothing is known of the slot.
//
//go:linkname spellStrays
func spellStrays(slot int) (goroutines, ran uint64, ok bool) {
	if spellTable == nil || slot >= spellMostOrigins {
		return 0, 0, false
	}
	o := &spellOrigins[slot]
	goroutines = atomic.Load64(&o.goroutines)
	return goroutines, atomic.Load64(&o.ran), goroutines != 0 && (slot == 0 || atomic.Load64(&o.whole) != 0)
}

// spellStatement is for package testing: the go statement of a slot, the function that
// it is in and the one that it starts, and the row of the test.
//
//go:linkname spellStatement
func spellStatement(slot int) (row uint32, in, file string, line int, starts string) {
	o := &spellOrigins[slot]
	if f := findfunc(uintptr(o.gopc)); f.valid() {
		pc := uintptr(o.gopc)
		if pc > f.entry() {
			pc -= sys.PCQuantum
		}
		u, uf := newInlineUnwinder(f, pc)
		in = u.srcFunc(uf).name()
		file, line = u.fileLine(uf)
	}
	if f := findfunc(uintptr(o.startpc)); f.valid() {
		starts = funcname(f)
	}
	return uint32(o.test), in, file, line, starts
}
