// The probe's part of package runtime. It stands there during an instrumented
// build only: here a goroutine's own state is a field of g, without any
// look-up, and the scheduler can say when the goroutine runs.

//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// spellMax bounds the rows of the tables below.
const spellMax = 1 << 20

// spellG is the probe's state of one goroutine.
type spellG struct {
	last int64  // up to when the running time has been charged; 0 before the first time
	ran  int64  // running time so far, ns
	top  uint32 // the component that is running, 0 if none
	mask uint32 // size of active, less one
	used uint32 // slots of active that are taken
	// active is an open-addressed table of how often each component stands on
	// the goroutine's stack: recursion counts once in cumulative times. It is
	// not on the Go heap, so that no test sees an allocation.
	active *[spellMax]spellActive
}

// spellM is the probe's state of one thread.
type spellM struct {
	cpu int64 // CPU time of the thread when it was read last, ns
	ran int64 // running time that was charged on this thread since then, ns
}

type spellActive struct {
	component uint32
	depth     uint32
}

// spellCounters are one component's, in the mapped file; see package probe for
// the layout.
type spellCounters struct {
	n, self, cum, wall, children, literals uint64
	_                                      [2]uint64
}

type spellFrame struct {
	ran, wall        int64
	component, below uint32
}

var (
	spellTable      *[spellMax]spellCounters // nil: this process is not measured
	spellComponents int                      // row 0 is what is outside of components; 2 more are for calibration
	spellSubtests   bool
	spellPath       string
)

// spellAttach maps the file that the environment names. The variable is taken
// out of the environment: the program and its children do not see it.
func spellAttach() {
	const key = "SPELL_LSP_PROBE="
	for i, kv := range envs {
		if len(kv) > len(key) && kv[:len(key)] == key {
			envs = append(envs[:i], envs[i+1:]...)
			spellMap(kv[len(key):])
			return
		}
	}
}

// spellMap takes "components:t:path", or "components:s:path" where subtests
// have rows of their own.
func spellMap(where string) {
	n, i := 0, 0
	for ; i < len(where) && where[i] != ':'; i++ {
		n = n*10 + int(where[i]-'0')
	}
	if i+3 > len(where) || n+3 > spellMax {
		return
	}
	path := where[i+3:]
	name := append([]byte(path), 0)
	const readWrite, shared = 2, 1
	fd := open(&name[0], readWrite, 0)
	if fd < 0 {
		return
	}
	p, err := mmap(nil, uintptr(n+3)*unsafe.Sizeof(spellCounters{}), _PROT_READ|_PROT_WRITE, shared, fd, 0)
	closefd(fd)
	if err != 0 {
		return
	}
	spellComponents, spellSubtests, spellPath = n, where[i+1] == 's', path
	spellTable = (*[spellMax]spellCounters)(p)
}

// spellStack is called when the largest size of a stack has been set. Frames
// with probes are larger.
func spellStack() {
	if spellTable != nil {
		maxstacksize *= 3
	}
}

// spellMapping is for package testing.
//
//go:linkname spellMapping
func spellMapping() (table unsafe.Pointer, components int, subtests bool, path string) {
	return unsafe.Pointer(spellTable), spellComponents, spellSubtests, spellPath
}

// spellCharge adds the time since the last charge to the component on top.
//
//go:nosplit
func spellCharge(gp *g, now int64) {
	s := &gp.spell
	if s.last != 0 && now > s.last {
		s.ran += now - s.last
		getg().m.spell.ran += now - s.last
		atomic.Xadd64(&spellTable[s.top].self, now-s.last)
	}
	s.last = now
}

// spellStatus is called when gp changes its status.
//
//go:nosplit
func spellStatus(gp *g, oldval, newval uint32) {
	switch {
	case oldval == _Grunning:
		spellCharge(gp, nanotime())
	case newval == _Grunning && oldval != _Gsyscall:
		gp.spell.last = nanotime()
	}
}

// spellLongCall is how long a system call, or a call of C, may take to be
// counted as running without a further look.
const spellLongCall = 100_000

// spellSyscallEnds is called when gp comes back from a system call or from C.
// After a long one the thread's CPU time tells how much of it was running: the
// rest of the call was waiting. What the thread used since it was last asked,
// less what was charged on it, was used in the call.
//
//go:nosplit
func spellSyscallEnds(gp *g) {
	s := &gp.spell
	now := nanotime()
	if s.last == 0 || now-s.last < spellLongCall {
		return
	}
	thread := &getg().m.spell
	cpu := spellThreadCPU()
	used := min(max(0, cpu-thread.cpu-thread.ran), now-s.last)
	thread.cpu, thread.ran = cpu, -used // it is charged from here on
	s.last = now - used
}

//go:linkname spellEnter
func spellEnter(component uint32) spellFrame {
	if spellTable == nil {
		return spellFrame{}
	}
	atomic.Xadd64(&spellTable[component].n, 1)
	return spellPush(component)
}

//go:linkname spellLiteral
func spellLiteral(component uint32) spellFrame {
	if spellTable == nil {
		return spellFrame{}
	}
	atomic.Xadd64(&spellTable[component].literals, 1)
	return spellPush(component)
}

func spellPush(component uint32) spellFrame {
	gp := getg()
	s := &gp.spell
	spellSlot(s, component).depth++
	now := nanotime()
	spellCharge(gp, now)
	f := spellFrame{ran: s.ran, wall: now, component: component, below: s.top}
	s.top = component
	return f
}

//go:linkname spellExit
func spellExit(f spellFrame) {
	if f.component == 0 {
		return
	}
	gp := getg()
	s := &gp.spell
	now := nanotime()
	spellCharge(gp, now)
	s.top = f.below
	atomic.Xadd64(&spellTable[f.below].children, 1)
	slot := spellSlot(s, f.component)
	slot.depth--
	if slot.depth == 0 {
		c := &spellTable[f.component]
		atomic.Xadd64(&c.cum, s.ran-f.ran)
		atomic.Xadd64(&c.wall, now-f.wall)
	}
}

// spellSlot finds the component's place in the goroutine's table, or makes it.
func spellSlot(s *spellG, component uint32) *spellActive {
	if s.active == nil {
		spellGrow(s, 16)
	}
	for {
		for i := component * 0x9e3779b1; ; i++ {
			slot := &s.active[i&s.mask]
			if slot.component == component {
				return slot
			}
			if slot.component != 0 {
				continue
			}
			if s.used > s.mask/4*3 {
				break
			}
			s.used++
			slot.component = component
			return slot
		}
		spellGrow(s, 2*(s.mask+1))
	}
}

// spellGrow moves those components that are on the stack to a new table. The
// old one is lost: sizes double, so all that a goroutine loses is less than
// what it has, and goroutines are reused.
func spellGrow(s *spellG, size uint32) {
	old, oldSize := s.active, s.mask+1
	s.active = (*[spellMax]spellActive)(persistentalloc(uintptr(size)*unsafe.Sizeof(spellActive{}), 8, &memstats.other_sys))
	s.mask, s.used = size-1, 0
	if old == nil {
		return
	}
	for _, a := range old[:oldSize] {
		if a.depth > 0 {
			spellSlot(s, a.component).depth = a.depth
		}
	}
}
