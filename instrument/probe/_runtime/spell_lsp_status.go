//go:build linux && (amd64 || arm64)

package runtime

import _ "unsafe" // for go:linkname

// spellNew is called when a goroutine is made. What the runtime's own
// goroutines do has a row of its own.
func spellNew(gp *g) {
	s := &gp.spell
	s.last, s.ran, s.top = 0, 0, spellOutside
	if isSystemGoroutine(gp, false) {
		s.top = spellRuntimeRow()
	}
}

// spellRuntimeRow is that of the garbage collector and other goroutines of the
// runtime; behind it stand that of the probes' own time and two for calibration.
//
//go:nosplit
func spellRuntimeRow() uint32 { return uint32(spellRows - spellSpecials + 1) }

// spellStatus is called when gp changes its status.
//
//go:nosplit
func spellStatus(gp *g, oldval, newval uint32) {
	switch {
	case oldval == _Gcopystack || newval == _Gcopystack: // its stack grows: that is its own time
	case oldval == _Grunning:
		spellCharge(gp, spellNow())
	case newval == _Grunning && oldval == _Gwaiting && (gp.waitreason == waitReasonGCWorkerActive || gp.waitreason == waitReasonGCAssistMarking):
		// The garbage collector worked on the thread in between.
		top := gp.spell.top
		gp.spell.top = spellRuntimeRow()
		spellCharge(gp, spellNow())
		gp.spell.top = top
	case newval == _Grunning && oldval != _Gsyscall:
		gp.spell.last = spellNow()
	}
}

// spellSettle is for package testing: what the goroutine ran so far belongs to
// the test that ends.
//
//go:linkname spellSettle
func spellSettle() {
	if spellTable != nil {
		mp := acquirem()
		spellCharge(getg(), spellNow())
		releasem(mp)
	}
}

// spellSyscallEnds is called when gp comes back from a system call or from C.
//
//go:nosplit
func spellSyscallEnds(gp *g) {
	if now := spellNow(); gp.spell.last != 0 && now-gp.spell.last > spellLongTicks {
		spellCharge(gp, now)
	}
}
