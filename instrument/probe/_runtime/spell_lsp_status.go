//go:build linux && (amd64 || arm64)

package runtime

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

// spellLongCall is how many ns a system call, or a call of C, may take to be
// counted as running without a further look.
const spellLongCall = 100_000

var spellLongTicks int64 = 1 << 62 // the same in ticks

// spellSyscallEnds is called when gp comes back from a system call or from C.
// After a long one the thread's CPU time tells how much of it was running: the
// rest of the call was waiting. What the thread used since it was last asked,
// less what was charged on it, was used in the call.
//
//go:nosplit
func spellSyscallEnds(gp *g) {
	s := &gp.spell
	now := spellNow()
	if s.last == 0 || now-s.last < spellLongTicks {
		return
	}
	thread := &getg().m.spell
	cpu := spellThreadCPU()
	used := min(max(0, int64(float64(cpu-thread.cpu)/spellScale)-thread.ran), now-s.last)
	thread.cpu, thread.ran = cpu, -used // it is charged from here on
	s.last = now - used
}
