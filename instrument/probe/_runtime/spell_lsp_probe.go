//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// spellG is the probe's state of one goroutine. Times are in ticks.
type spellG struct {
	last int64  // up to when the running time has been charged; 0 before the first time
	ran  int64  // running time so far
	top  uint32 // the component that is running, 0 if none
	mask uint32 // size of active, less one
	used uint32 // slots of active that are taken
	// active is an open-addressed table of how often each component stands on
	// the goroutine's stack: recursion counts once in cumulative times. It is
	// not on the Go heap, so that no test sees an allocation.
	active *[spellMax]spellActive

	sizing uint32 // how many components on the stack note sizes, see noteSizes
	base   int64  // what it had run when the component on top came there, or its own time was noted; with sizing

	own    uint64 // the test that it was started for, 0 for none, see spellAllot
	test   uint64 // the one that it works for
	since  int64  // what it had run when it was booked as a stray last
	origin uint32 // 1 + the slot of its go statement among those of strays
	stray  uint32 // 1 if it runs as one

	call spellCall // the system call that is under way, see spellCalled
}

type spellActive struct {
	component uint32
	depth     uint32
	ran, wall int64     // when it came on the stack
	sizes     [2]uint32 // of its outermost call, see spellSizeOf; 0 where it notes none
	self      int64     // of that call so far
}

// spellM is the probe's state of one thread.
type spellM struct {
	cpu   int64 // CPU time of the thread when it was read last, ns
	ran   int64 // running time that was charged on this thread since then, ticks
	timer int64 // the timer of its samples: 0 before it was asked for, then 1 + its number, -1 if there is none
	taken int64 // CPU time at the last sample, ns

	storage spellStorage
}

// A SpellFrame is what SpellExit has to know of the entry.
type SpellFrame struct{ component, below uint32 }

// The modes of a row: its function, its literals or its blocks turned out to run
// so often that they are counted only.
const (
	spellHotCalls    = 1
	spellHotLiterals = 2
	spellHotBlocks   = 4  // of the function whose blocks are counted
	spellProbeDefers = 8  // not a mode: the runtime runs deferred calls of the function only because of the probe
	spellNotesSizes  = 16 // not a mode either: it was chosen to note its sizes
)

// SpellCount notes that a function begins whose time comes from the samples.
func SpellCount(component uint32) {
	if n := getg().m.p.ptr().spell.n; n != nil {
		n[component]++
	}
}

// SpellEnter notes that a function begins.
func SpellEnter(component uint32) SpellFrame {
	if n := getg().m.p.ptr().spell.n; n != nil {
		n[component]++
		if spellModes[component]&spellHotCalls == 0 {
			return spellPush(component, spellHotCalls)
		}
	}
	return SpellFrame{}
}

// SpellLiteral notes that a function literal begins. Its time is its function's,
// but it is no call of it.
func SpellLiteral(component uint32) SpellFrame {
	if spellTable != nil && spellModes[component]&spellHotLiterals == 0 {
		return spellPush(component, spellHotLiterals)
	}
	return SpellFrame{}
}

// spellPush puts a component on top. It is nosplit, as all that it calls, so that
// a stack that becomes too large does so in the program's own code.
//
//go:nosplit
func spellPush(component uint32, mode uint8) SpellFrame {
	gp := getg()
	s := &gp.spell
	slot := s.spellFirst(component)
	if slot.component != component {
		slot = spellSlot(s, component)
	}
	now := spellNow()
	mp := gp.m
	rows := spellRowsOf(mp)
	if rows == nil || !spellChargeShort(s, mp, rows, now) {
		rows = spellChargeAnew(gp, mp, now)
	}
	if slot.depth == 0 {
		slot.ran, slot.wall = s.ran, now
	}
	slot.depth++
	if s.sizing != 0 {
		s.ownSoFar()
	}
	f := SpellFrame{component: component, below: s.top}
	rows[s.top].calls++
	s.top = component
	row := &rows[component]
	timed := &row.timed
	if mode == spellHotLiterals {
		timed = &row.literals
	}
	*timed++
	if *timed&(spellWatch-1) == 0 {
		spellWatchHot(row, component, mode, now)
	}
	return f
}

// SpellExit notes that the function, or literal, of the frame ends.
//
//go:nosplit
func SpellExit(f SpellFrame) {
	if f.component == 0 {
		return
	}
	gp := getg()
	s := &gp.spell
	slot := s.spellFirst(f.component)
	if slot.component != f.component {
		slot = spellSlot(s, f.component)
	}
	now := spellNow()
	mp := gp.m
	rows := spellRowsOf(mp)
	if rows == nil || !spellChargeShort(s, mp, rows, now) {
		rows = spellChargeAnew(gp, mp, now)
	}
	if s.sizing != 0 {
		s.ownSoFar()
	}
	s.top = f.below
	slot.depth--
	if slot.depth == 0 {
		row := &rows[f.component]
		row.cum += uint64(s.ran - slot.ran)
		row.wall += uint64(now - slot.wall)
		if slot.sizes != [2]uint32{} {
			s.bookSizes(slot)
		}
	}
}

// spellCharge adds the time since the last charge to the component on top. It
// returns the counters of the processor: from here to the next call they can
// be added to without atomic operations.
//
//go:nosplit
func spellCharge(gp *g, now int64) *[spellMax]spellRow {
	mp := getg().m
	if rows := spellRowsOf(mp); rows != nil && spellChargeShort(&gp.spell, mp, rows, now) {
		return rows
	}
	return spellChargeAnew(gp, mp, now)
}

// spellRowsOf is where the thread's processor counts, nil if it does not. It and
// spellChargeShort are small enough to be inlined into the probes.
//
//go:nosplit
func spellRowsOf(mp *m) *[spellMax]spellRow {
	if pp := mp.p.ptr(); pp != nil {
		return pp.spell.rows
	}
	return nil
}

// spellChargeShort is spellCharge where all is as at the charge before; elsewhere it
// does nothing and returns false.
//
//go:nosplit
func spellChargeShort(s *spellG, mp *m, rows *[spellMax]spellRow, now int64) bool {
	row := &rows[s.top&(spellMax-1)]
	d := now - s.last                                              // as large as the clock before the first time
	if uint64(d) > spellShortTicks || row.tick != *spellReadings { // the row's tick is the processor's too
		return false
	}
	row.self += uint64(d)
	s.last = now
	s.ran += d
	mp.spell.ran += d
	return true
}

// spellChargeAnew is spellCharge for what is not as at the charge before. (Rows are
// masked: there is no room on the stack for the check of an index.)
//
//go:nosplit
func spellChargeAnew(gp *g, mp *m, now int64) *[spellMax]spellRow {
	s := &gp.spell
	rows := spellNoP[s.stray&1].rows
	d := now - s.last
	switch {
	case s.last == 0 || d < 0:
		d = 0
	case d > spellLongTicks:
		d = spellUsed(mp, d)
	}
	if pp := mp.p.ptr(); pp != nil && pp.spell.rows != nil {
		rows = pp.spell.rows
		row := &rows[s.top&(spellMax-1)]
		if ring, tick := pp.spell.ring, *spellReadings; ring.tick != tick {
			if spellHasCores && spellAskCPU {
				spellLookCPU(ring)
			}
			spellTurn(ring, rows, tick, s.top, s.last, now, d)
		} else if row.tick != tick {
			spellTouch(ring, row, s.top)
		}
		row.self += uint64(d)
	} else {
		atomic.Xadd64(&rows[s.top&(spellMax-1)].self, d)
		spellNoteAlone(spellNoP[s.stray&1].ring, spellOccupied{s.top, uint32(*spellReadings), uint64(s.last), uint64(now), uint64(d)})
	}
	s.last = now
	s.ran += d
	mp.spell.ran += d
	return rows
}

// spellLong is how many ns may pass between two charges to be counted as running
// without a further look.
const spellLong = 100_000

var (
	spellLongTicks  int64  = 1 << 62 // the same in ticks
	spellShortTicks uint64           // the same, but 0 until it is known
)

// spellUsed is for how much of the time d since the last charge the thread had
// a processor: what it used since it was last asked, less what was charged on it
// since then. Other processes had the processor for the rest, or a system call
// waited.
//
//go:nosplit
func spellUsed(mp *m, d int64) int64 {
	thread := &mp.spell
	cpu := spellThreadCPU()
	used := min(max(0, int64(float64(cpu-thread.cpu)/spellScale)-thread.ran), d)
	thread.cpu, thread.ran = cpu, -used // it is charged next
	return used
}

// A function is hot if its timed calls take more than a spellLoad-th of
// spellWindow on one processor, and the probes more than a spellPart-th of the
// function's own time. It is looked at every spellWatch calls.
const (
	spellWatch  = 128
	spellWindow = 5_000_000 // ns
	spellLoad   = 50
	spellPart   = 20
)

var (
	spellHotCount uint64 // calls in a window that make a function hot, 0 until the cost of a call is known
	spellHotTicks uint64 // own time of a call, from which on its probes matter little

	spellSwitchTicks uint64
)

// spellWatchHot sees whether a function is hot.
//
//go:nosplit
func spellWatchHot(row *spellRow, component uint32, mode uint8, now int64) {
	timed := row.timed + row.literals
	switch {
	case uint64(component) == spellTable.owner: // its frame tells what is behind a block
	case spellHotCount == 0 || row.self > timed*spellHotTicks:
	case row.mark == 0 || float64(now-int64(row.mark))*spellScale > spellWindow:
		row.mark, row.since = uint64(now), timed
	case timed-row.since > spellHotCount:
		atomic.Or8(&spellModes[component], mode)
	}
}

// spellSetCosts takes what was calibrated: what a timed call adds to its function and to
// the caller, and what a change of blocks takes, in ticks; and what the probe of a hot
// function adds to its code, in ns.
func spellSetCosts(inner, outer, change uint64, frame float64) {
	head := spellTable
	head.inner, head.outer, head.change, head.frame = inner, outer, change, float64bits(frame)
	spellTakeCosts()
}

// spellTakeCosts takes the costs that stand in the header of the file.
func spellTakeCosts() {
	ticks := spellTable.inner + spellTable.outer
	spellSwitchTicks = spellTable.change
	if ticks > 0 && spellScale > 0 {
		spellHotTicks = ticks * spellPart
		spellHotCount = max(spellWatch, uint64(spellWindow/spellLoad/(float64(ticks)*spellScale)))
	}
}

// SpellBlock notes that a block of a function begins.
func SpellBlock(block uint32) {
	if n := getg().m.p.ptr().spell.n; n != nil {
		n[block]++
		spellSwitch(block)
	}
}

// SpellBack notes that a statement behind a block begins.
func SpellBack(enclosing uint32) {
	if spellTable != nil {
		spellSwitch(enclosing)
	}
}

// spellSwitch puts a row on top in place of another of the same function. It
// does not where another function is on top: the body of a loop over a function
// runs within that function.
//
//go:nosplit
func spellSwitch(row uint32) {
	owner, top := uint32(spellTable.owner), getg().spell.top
	if top != owner && (uint64(top) < spellTable.block || uint64(top) > spellTable.lastBlock) {
		return
	}
	switch {
	case spellModes[owner]&spellHotBlocks == 0:
		spellReplace(row)
		spellWatchBlocks(owner)
	case top != owner:
		spellReplace(owner)
	}
}

// spellWatchBlocks sees whether blocks run so shortly that changing between
// them takes more than a spellPart-th of their time. Samples tell it then.
//
//go:nosplit
func spellWatchBlocks(owner uint32) {
	pp := getg().m.p.ptr()
	if pp == nil || pp.spell.rows == nil {
		return
	}
	row := &pp.spell.rows[owner]
	if row.since++; row.since%spellWatch != 0 {
		return
	}
	now := uint64(spellNow())
	if row.mark != 0 && now-row.mark < spellWatch*spellPart*spellSwitchTicks {
		atomic.Or8(&spellModes[owner], spellHotBlocks)
	}
	row.mark = now
}

// spellReplace puts a row on top in place of another.
//
//go:nosplit
func spellReplace(row uint32) {
	gp := getg()
	rows := spellCharge(gp, spellNow())
	rows[gp.spell.top].switches++
	rows[row].switches++
	gp.spell.top = row
}

// spellFirst is the place in the goroutine's table where a component nearly always
// is: the first of those that spellSlot looks at.
//
//go:nosplit
func (s *spellG) spellFirst(component uint32) *spellActive {
	if s.active == nil {
		return &spellNowhere
	}
	return &s.active[component*spellHash&s.mask]
}

var spellNowhere spellActive

const spellHash = 0x9e3779b1

// spellSlot finds the component's place in the goroutine's table, or makes it.
//
//go:nosplit
func spellSlot(s *spellG, component uint32) *spellActive {
	if s.active == nil {
		systemstack(func() { spellGrow(s, 8) })
	}
	for {
		for i := component * spellHash; ; i++ {
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
		systemstack(func() { spellGrow(s, 2*(s.mask+1)) })
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
			*spellSlot(s, a.component) = a
		}
	}
}
