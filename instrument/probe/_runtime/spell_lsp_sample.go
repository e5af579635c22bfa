//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// Samples tell where the time goes that no timed probe sees: functions that are
// only counted, and code that runs in the name of another function. Each thread
// has a timer of its CPU time (timer_create(2)), which interrupts nothing that
// waits.

const (
	spellPeriod = 1_000_000          // ns; the kernel looks at its own ticks, 1 to 10 ms
	spellValue  = 0x6c6c6570732d7370 // tells our timers from others (sigev_value)
	spellFrames = 128                // of a stack that are looked at

	spellMostLine = 1<<29 - 1
)

// spellName is a slot of the table of names, open-addressed by hash: 0 is free.
type spellName struct{ hash, row uint64 }

const (
	spellFurther   = 1 << 32 // the row of functions without a probe: their time is their caller's
	spellAmbiguous = 1<<32 + 1
)

var (
	spellNames    *[1 << 26]spellName
	spellNameMask uint64
	spellSampling bool
)

func spellStartSamples() {
	if spellNames != nil && sigInstallGoHandler(_SIGPROF) {
		spellSampling = true
	}
}

// spellThread is called when a thread begins to execute a goroutine.
func spellThread(mp *m) {
	if mp.spell.timer != 0 || !spellSampling {
		return
	}
	mp.spell.timer = -1
	var event sigevent
	event.notify = _SIGEV_THREAD_ID
	event.signo = _SIGPROF
	event.value = spellValue
	event.sigev_notify_thread_id = int32(mp.procid)
	var spec itimerspec
	spec.it_value.setNsec(1 + int64(cheaprandn(spellPeriod)))
	spec.it_interval.setNsec(spellPeriod)
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var timer int32
	if timer_create(threadClock, &event, &timer) != 0 {
		return
	}
	if timer_settime(timer, 0, &spec, nil) != 0 {
		timer_delete(timer)
		return
	}
	mp.spell.timer = int64(timer) + 1
	mp.spell.taken = spellThreadCPU()
}

// spellThreadEnds is called when a thread ends.
func spellThreadEnds(mp *m) {
	if mp.spell.timer > 0 {
		timer_delete(int32(mp.spell.timer - 1))
		mp.spell.timer = -1
	}
}

// spellSignal is called by the signal handler, and says whether the signal came
// from one of our timers.
//
//go:nowritebarrierrec
func spellSignal(sig uint32, info *siginfo, ctxt unsafe.Pointer, gp *g) bool {
	if sig != _SIGPROF || !spellSampling {
		return false
	}
	const timerCode, valueOffset = -2, 24 // SI_TIMER; si_value (sigaction(2))
	if info.si_code != timerCode || *(*uint64)(add(unsafe.Pointer(info), valueOffset)) != spellValue {
		return false
	}
	mp := getg().m
	if gp != nil && mp != nil {
		mp.mallocing++
		c := &sigctxt{info, ctxt}
		spellSample(c.sigpc(), c.sigsp(), c.siglr(), gp, mp)
		atomic.Xadd64(&spellTable.sampled, 1)
		mp.mallocing--
	}
	return true
}

// spellSample books the CPU time since the last sample of the thread.
func spellSample(pc, sp, lr uintptr, gp *g, mp *m) {
	if spellProgram {
		spellRescaleLater()
	}
	cpu := spellThreadCPU()
	weight := cpu - mp.spell.taken
	mp.spell.taken = cpu
	curg := mp.curg
	if curg == nil || weight <= 0 {
		return
	}
	status := readgstatus(curg) &^ _Gscan
	if status != _Grunning && status != _Gsyscall && status != _Gcopystack {
		return
	}
	samples := spellSamples
	if curg.spell.stray != 0 {
		atomic.Xadd64(&samples[spellStraysRow()].samples, 1)
		atomic.Xadd64(&samples[spellStraysRow()].kept, weight)
		return
	}
	top := curg.spell.top
	row := spellWalk(pc, sp, lr, gp, mp, top, weight)
	atomic.Xadd64(&samples[row].samples, 1)
	if row == top {
		atomic.Xadd64(&samples[top].kept, weight)
		return
	}
	atomic.Xadd64(&samples[top].lost, weight)
	atomic.Xadd64(&samples[row].gained, weight)
}

// spellWalk finds the row of the innermost function on the stack that has one, and
// books the stack. That is top where none is found.
func spellWalk(pc, sp, lr uintptr, gp *g, mp *m, top uint32, weight int64) uint32 {
	var u unwinder
	switch {
	case mp.ncgo > 0 && mp.curg != nil && mp.curg.syscallpc != 0 && mp.curg.syscallsp != 0:
		u.initAt(mp.curg.syscallpc, mp.curg.syscallsp, 0, mp.curg, unwindSilentErrors)
	case mp.vdsoSP != 0:
		u.initAt(mp.vdsoPC, mp.vdsoSP, 0, gp, unwindSilentErrors|unwindJumpStack)
	default:
		u.initAt(pc, sp, lr, gp, unwindSilentErrors|unwindTrap|unwindJumpStack)
	}
	seen := spellSeen{top: top}
	n := 0
	for ; n < spellFrames && u.valid(); u.next() {
		for iu, uf := newInlineUnwinder(u.frame.fn, u.symPC()); uf.valid() && n < spellFrames; uf = iu.next(uf) {
			n++
			sf := iu.srcFunc(uf)
			if sf.funcID == abi.FuncIDWrapper {
				seen.deferring = seen.deferring || n == 1 && sf.name() == "runtime.deferreturn"
				continue
			}
			inner := seen.found
			seen.frame(sf.name(), weight)
			if !seen.found {
				seen.stack.callee = spellCalleeOf(u.frame.fn, sf)
			}
			if !inner && seen.inRow {
				_, line := iu.fileLine(uf)
				seen.stack.line = uint32(max(0, min(line, spellMostLine)))
				if uint64(seen.innermost) == spellTable.owner {
					seen.innermost = spellBlockAt(uint64(line), top)
				}
			}
		}
	}
	if !seen.found {
		seen.innermost = top
		if n > 1 { // the last frame may be above the component: only what stopped the walk at once is its callee
			seen.stack.callee = 0
		}
	}
	seen.stack.cut = seen.stack.cut || n >= spellFrames
	seen.stack.book(mp, seen.innermost, weight)
	spellBookGroups(mp.curg, &seen.stack, seen.innermost, weight)
	return seen.innermost
}

// spellBlockAt is the row of the innermost block at a line of the function whose
// blocks are counted; the one on top, if blocks are timed.
func spellBlockAt(line uint64, top uint32) uint32 {
	owner := spellTable.owner
	if spellModes[owner]&spellHotBlocks == 0 {
		if block := uint64(top); block >= spellTable.block && block <= spellTable.lastBlock {
			return top
		}
		return uint32(owner)
	}
	return spellBlockOn(line)
}

// spellBlockOn is the row of the innermost block at a line, or that of the function.
func spellBlockOn(line uint64) uint32 {
	row, lines := spellTable.owner, uint64(1<<62)
	for i := spellTable.block; i <= spellTable.lastBlock; i++ {
		if b := &spellSamples[i]; line >= b.line && line <= b.end && b.end-b.line < lines {
			row, lines = i, b.end-b.line
		}
	}
	return uint32(row)
}

// spellSeen is what was seen of a stack.
type spellSeen struct {
	top       uint32 // of the goroutine
	found     bool
	inRow     bool // the innermost frame is of the function whose row was found
	innermost uint32
	deferring bool // the runtime defers a call, or runs one that was deferred, for the next frame
	n         int
	rows      [16]uint32 // whose cumulative time has been booked
	stack     spellCalls
}

func (s *spellSeen) frame(name string, weight int64) {
	row := spellLookUp(name)
	switch {
	case row == spellFurther:
		const probe = "runtime.Spell"
		if !s.found && len(name) > len(probe) && name[:len(probe)] == probe {
			s.found, s.innermost = true, spellRuntimeRow()+1
		}
		s.deferring = spellDefers(name)
		return
	case row == spellAmbiguous:
		if !s.found {
			s.found, s.innermost = true, s.top
		}
		return
	}
	if !s.found {
		s.found, s.inRow, s.innermost = true, true, uint32(row)
		const ofProbe = spellProbeDefers | spellHotCalls // where calls are timed, it is little and in their time
		if s.deferring && spellModes[row]&ofProbe == ofProbe {
			s.innermost = spellRuntimeRow() + 1
		}
	}
	s.stack.push(uint32(row), s.innermost)
	for _, r := range s.rows[:s.n] {
		if r == uint32(row) {
			return
		}
	}
	if s.n < len(s.rows) {
		s.rows[s.n] = uint32(row)
		s.n++
		atomic.Xadd64(&spellSamples[row].cum, weight)
	}
}

// spellDefers tells whether a function of the runtime defers a call or runs what was deferred, which
// is so where the compiler does not open-code it. (deferreturn counts as a wrapper.)
func spellDefers(name string) bool {
	const begins, ends = "runtime.deferproc", "runtime.(*_panic)."
	return len(name) >= len(begins) && name[:len(begins)] == begins || len(name) > len(ends) && name[:len(ends)] == ends
}

// spellLookUp finds the row of a function by its name, without type arguments;
// of a literal, of a method value and of a deferred call by the name of its
// function; of any other function of a measured package by that of the package.
//
// A literal whose function was inlined has the name of the caller, and that of
// the function without its package behind it: whose it is cannot be told.
func spellLookUp(name string) (row uint64) {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	var before [12]uint64                                    // hash of what stands before a segment
	var literal [12]bool                                     // the segment stands for a part of a function
	n, depth, hash := 0, 0, uint64(basis)
	first := 0
	if spellMainHash != 0 && len(name) > len("main.") && name[:len("main.")] == "main." {
		first, hash = len("main"), spellMainHash
	}
	for i := first; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '[':
			depth++
			continue
		case c == ']':
			depth--
			continue
		case depth > 0:
			continue
		case c == '/':
			n = 0
		case (c == '.' || c == '-') && n < len(before):
			before[n], literal[n] = hash, n > 0 && spellIsPart(name[i+1:])
			n++
		}
		hash = (hash ^ uint64(c)) * prime
	}
	segments := n
	for ; n > 0 && literal[n-1]; n-- {
		hash = before[n-1]
	}
	if found := spellRowOf(hash); found != 0 {
		return found - 1
	}
	if n == 0 || spellRowOf(before[0]) == 0 {
		return spellFurther
	}
	if n > 1 && n < segments {
		return spellAmbiguous
	}
	return spellRowOf(before[0]) - 1
}

// spellMainHash is the hash of the import path of package main, where its functions are called
// main.F: in a program that go build made. It is 0 where the path is not known.
var spellMainHash uint64

// spellFindMain finds the import path of package main.
func spellFindMain() { spellMainHash = spellPathHash(spellMainPath()) }

// spellMainPath is the import path of package main, by what the go command says of the build
// (debug.BuildInfo.Path); "" if it is not known.
func spellMainPath() string {
	const magic, key = 16, "path\t"
	if len(modinfo) < magic+len(key) || modinfo[magic:magic+len(key)] != key {
		return ""
	}
	path := modinfo[magic+len(key):]
	for i := range len(path) {
		if path[i] == '\n' {
			return path[:i]
		}
	}
	return path
}

// spellPathHash is the hash of an import path, spelled as the linker does in names. It is 0 for
// no path.
func spellPathHash(path string) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	const digits = "0123456789abcdef"
	if path == "" {
		return 0
	}
	last := 0
	for i := range len(path) {
		if path[i] == '/' {
			last = i
		}
	}
	hash := uint64(basis)
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > last || c == '%' || c == '"' || c >= 0x7f {
			for _, c := range [...]byte{'%', digits[c>>4], digits[c&15]} {
				hash = (hash ^ uint64(c)) * prime
			}
			continue
		}
		hash = (hash ^ uint64(path[i])) * prime
	}
	return hash
}

// spellIsPart says whether a segment of a name is one that the compiler makes
// for a part of a function: func1, 1, range1, fm, gowrap1, deferwrap1.
func spellIsPart(segment string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(segment) && segment[i] != '.' && segment[i] != '-'; i++ {
		switch c := segment[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' && digits == 0:
			letters++
		default:
			return false
		}
	}
	switch word := segment[:letters]; word {
	case "":
		return digits > 0
	case "fm":
		return digits == 0
	case "func", "range", "gowrap", "deferwrap":
		return digits > 0
	}
	return false
}

// spellRowOf is the row of a hash, plus 1, or 0.
func spellRowOf(hash uint64) uint64 {
	for i := hash; ; i++ {
		slot := &spellNames[i&spellNameMask]
		if slot.hash == hash {
			return slot.row + 1
		}
		if slot.hash == 0 {
			return 0
		}
	}
}
