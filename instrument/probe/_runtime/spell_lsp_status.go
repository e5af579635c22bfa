//go:build linux && (amd64 || arm64)

package runtime

import _ "unsafe" // for go:linkname

// spellNew is called when a goroutine makes another. What the runtime's own
// goroutines do has a row of its own.
func spellNew(gp, maker *g) {
	s := &gp.spell
	s.last, s.ran, s.since, s.top, s.sizing = 0, 0, 0, spellOutside, 0
	s.own, s.origin, s.stray = maker.spell.test, 0, 0
	switch {
	case isSystemGoroutine(gp, false):
		s.top, s.own = spellRuntimeRow(), 0
	case maker.spell.stray != 0:
		s.origin = maker.spell.origin
	}
	s.test = s.own
}

// spellRuntimeRow is that of the garbage collector and other goroutines of the
// runtime; behind it stand that of the probes' own time, that of strays, and three for
// calibration.
//
//go:nosplit
func spellRuntimeRow() uint32 { return uint32(spellRows - spellSpecials + 1) }

//go:nosplit
func spellStraysRow() uint32 { return spellRuntimeRow() + 2 }

// spellStatus is called when gp changes its status.
//
//go:nosplit
func spellStatus(gp *g, oldval, newval uint32) {
	switch {
	case oldval == _Gcopystack || newval == _Gcopystack: // its stack grows: that is its own time
	case oldval == _Grunning:
		spellCharge(gp, spellNow())
		if pp := getg().m.p.ptr(); pp != nil && pp.spell.ring != nil {
			pp.spell.ring.stops++
		}
		if gp.spell.stray != 0 {
			spellRanAstray(&gp.spell)
		}
	case oldval == _Gwaiting && newval == _Grunnable:
		spellWoken(gp)
	case newval == _Grunning && oldval == _Gwaiting && (gp.waitreason == waitReasonGCWorkerActive || gp.waitreason == waitReasonGCAssistMarking):
		// The garbage collector worked on the thread in between.
		spellResumes(gp)
		top := gp.spell.top
		if gp.spell.sizing != 0 {
			gp.spell.ownSoFar()
		}
		gp.spell.top = spellRuntimeRow()
		spellCharge(gp, spellNow())
		if gp.spell.sizing != 0 {
			gp.spell.ownSoFar()
		}
		gp.spell.top = top
	case newval == _Grunning && oldval != _Gsyscall: // from there spellWire has seen it come
		spellResumes(gp)
		gp.spell.last = spellNow()
	}
}

//go:nosplit
func spellResumes(gp *g) {
	if pp := getg().m.p.ptr(); pp != nil {
		spellTake(gp, pp)
	}
}

// spellSettle is for package testing: what the goroutine, and strays, ran so far
// belongs to the test that ends.
//
//go:linkname spellSettle
func spellSettle() {
	if spellTable == nil {
		return
	}
	mp := acquirem()
	spellCharge(getg(), spellNow())
	releasem(mp)
	if spellStraysRun() {
		spellInterrupt()
	}
}

// spellSettleOwn is for package testing, too: what the goroutine ran since is the probes' own time.
//
//go:linkname spellSettleOwn
func spellSettleOwn() {
	if spellTable == nil {
		return
	}
	mp := acquirem()
	gp := getg()
	top := gp.spell.top
	if gp.spell.sizing != 0 {
		gp.spell.ownSoFar()
	}
	gp.spell.top = spellRuntimeRow() + 1
	spellCharge(gp, spellNow())
	if gp.spell.sizing != 0 {
		gp.spell.ownSoFar()
	}
	gp.spell.top = top
	releasem(mp)
}

// spellSyscallEnds is called when gp comes back from a system call or from C.
//
//go:nosplit
func spellSyscallEnds(gp *g) {
	if now := spellNow(); gp.spell.last != 0 && now-gp.spell.last > spellLongTicks {
		spellCharge(gp, now)
	}
}
