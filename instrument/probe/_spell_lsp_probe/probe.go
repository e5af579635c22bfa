// Package spell_lsp_probe is the probe for Go versions whose runtime has not the
// known shape. It stands in GOROOT during an instrumented build only. It knows
// nothing of the scheduler: a function's time is what passes while it is on top
// of its goroutine, also where it waits. Counters are shared by all processors.
// It has no initialisation, and imports nothing that has, so that packages are
// initialised in the order in which they were.
package spell_lsp_probe

import (
	"sync/atomic"
	"unsafe"
)

// getg is the address of the goroutine's descriptor, which is its own for as
// long as it lives.
//
//go:linkname getg runtime.spellGetg
func getg() unsafe.Pointer

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname osyield runtime.spellYield
func osyield()

// whichFile is what the environment says of the file of the probe.
//
//go:linkname whichFile runtime.spellFile
func whichFile() string

// mapFile maps a file for reading, and writing; it is nil where that fails.
//
//go:linkname mapFile runtime.spellMapFile
func mapFile(fd int32, size uintptr, writable bool) unsafe.Pointer

//go:linkname closefd runtime.spellClose
func closefd(fd int32)

// The mapped file; package probe tells its layout.
const (
	page     = 4096
	logSize  = 1 << 28
	rowWords = 16
	stacks   = 1<<21 + page                   // bytes for stacks, which a profile has, and for strays
	movedRow = 128                            // bytes for what a row moves, which is not counted
	seen     = 1<<19 + 1<<19 + 2*page + 1<<18 // bytes for goroutines, their labels and who called, which samples tell
	sizes    = 1<<18 + 1<<19                  // bytes for calls by size, which are not noted
)

type header struct {
	rows, shards                uint64
	ticks, ns, scale, uncounted uint64
	owner, block, lastBlock     uint64
	names, used, logged, token  uint64
	full, lost                  uint64
	inner, outer, change, frame uint64
}

// row is what was counted for one component.
type row struct {
	self, cum, wall, calls, timed, literals, switches int64
	_                                                 [9]int64
}

// sampled is as large as what samples say of one component.
type sampled [8]int64

// allocated is as large as what samples say of the allocations of one component.
type allocated [2]int64

var (
	table    *header // nil: this process is not measured
	log      []byte
	modes    []uint8
	samples  []sampled      // none: a profile has them
	allocs   unsafe.Pointer // to none: the allocator does not tell
	n        []int64
	rows     []row
	subtests bool
)

// The modes of a row: its function, or its literals, are counted only.
const (
	hotCalls    = 1
	hotLiterals = 2
)

var (
	attaching sharedLock
	attached  atomic.Bool
)

// measured says whether this process is measured; the first call finds out.
func measured() bool {
	if !attached.Load() {
		attachOnce()
	}
	return table != nil
}

func attachOnce() {
	attaching.lock()
	defer attaching.unlock()
	if attached.Load() {
		return
	}
	defer attached.Store(true)
	where := whichFile()
	if where == "" {
		return
	}
	var numbers [2]uint64 // descriptor, token
	ticks, i := false, 0
	for ; i < len(where) && where[i] != ':'; i++ {
		subtests = subtests || where[i] == 's'
		ticks = ticks || where[i] == 't'
	}
	for n := -1; i < len(where); i++ {
		if where[i] == ':' {
			n = min(n+1, 1)
		} else {
			numbers[n] = numbers[n]*10 + uint64(where[i]-'0')
		}
	}
	fd := int32(numbers[0])
	if head := (*header)(mapFile(fd, page, false)); head != nil && head.token == numbers[1] && head.token != 0 {
		attach(fd, int(head.rows))
		closefd(fd)
		closefd(fd + 1)
		if ticks { // nobody here knows when a function runs
			closefd(fd + 2)
		}
	}
}

func pages(n int) int { return (n + page - 1) &^ (page - 1) }

func attach(fd int32, count int) {
	const rowSize = rowWords * 8
	modesAt := page + logSize
	samplesAt := modesAt + pages(count)
	allocsAt := samplesAt + pages(count*int(unsafe.Sizeof(sampled{}))) + stacks + pages(count*movedRow)
	callsAt := allocsAt + pages(count*int(unsafe.Sizeof(allocated{}))) + seen + sizes
	rowsAt := callsAt + pages(count*8)
	all := mapFile(fd, uintptr(rowsAt+pages(count*rowSize)), true)
	if all == nil {
		return
	}
	log = unsafe.Slice((*byte)(unsafe.Add(all, page)), logSize)
	modes = unsafe.Slice((*uint8)(unsafe.Add(all, modesAt)), count)
	samples = unsafe.Slice((*sampled)(unsafe.Add(all, samplesAt)), count)
	allocs = unsafe.Add(all, allocsAt)
	n = unsafe.Slice((*int64)(unsafe.Add(all, callsAt)), count)
	rows = unsafe.Slice((*row)(unsafe.Add(all, rowsAt)), count)
	const one = 0x3ff0000000000000 // 1.0: a tick is a ns
	head := (*header)(all)
	head.used, head.scale = 1, one
	table = head
}

// A sharedLock is held for a few instructions.
type sharedLock struct{ held atomic.Bool }

func (l *sharedLock) lock() {
	for !l.held.CompareAndSwap(false, true) {
		osyield()
	}
}

func (l *sharedLock) unlock() { l.held.Store(false) }

// A SpellFrame is what SpellExit has to know of the entry.
type SpellFrame struct {
	ran, wall        int64
	component, below uint32
}

// goroutine is what the probe knows of one that has a component on its stack.
type goroutine struct {
	g         unsafe.Pointer
	next      *goroutine
	last, ran int64
	top       uint32
	depth     int
	active    map[uint32]int // how often a component stands on the stack
}

// shelf holds the goroutines of one hash.
type shelf struct {
	sharedLock
	used, free *goroutine
}

var shelves [1024]shelf

// own finds the goroutine that runs. Without make it is nil where there is none
// yet.
func own(make bool) *goroutine {
	g := getg()
	s := &shelves[uintptr(g)>>7%uintptr(len(shelves))]
	s.lock()
	defer s.unlock()
	for x := s.used; x != nil; x = x.next {
		if x.g == g {
			return x
		}
	}
	if !make {
		return nil
	}
	x := s.free
	if x == nil {
		x = &goroutine{active: map[uint32]int{}}
	} else {
		s.free = x.next
	}
	x.g, x.next, x.last, x.ran, x.top, x.depth = g, s.used, 0, 0, 0, 0
	s.used = x
	return x
}

// drop forgets a goroutine that has no component on its stack any more.
func drop(x *goroutine) {
	s := &shelves[uintptr(x.g)>>7%uintptr(len(shelves))]
	s.lock()
	defer s.unlock()
	for at := &s.used; *at != nil; at = &(*at).next {
		if *at == x {
			*at, x.next, s.free = x.next, s.free, x
			return
		}
	}
}

// SpellCount notes that a function begins whose time comes from samples.
func SpellCount(component uint32) {
	if measured() {
		atomic.AddInt64(&n[component], 1)
	}
}

// SpellEnter notes that a function begins.
func SpellEnter(component uint32) SpellFrame {
	if !measured() {
		return SpellFrame{}
	}
	atomic.AddInt64(&n[component], 1)
	if modes[component]&hotCalls != 0 {
		return SpellFrame{}
	}
	atomic.AddInt64(&rows[component].timed, 1)
	return push(component)
}

// SpellSized is SpellEnter: sizes are not noted.
func SpellSized(component uint32, _, _ int) SpellFrame { return SpellEnter(component) }

// SpellLen is the length of a map.
//
//go:norace
func SpellLen[M ~map[K]V, K comparable, V any](m M) int { return len(m) }

// SpellAt is what a pointer points to, which the race detector does not see being read.
//
//go:norace
func SpellAt[T any](at *T) T { return *at }

// SpellLiteral notes that a function literal begins.
func SpellLiteral(component uint32) SpellFrame {
	if !measured() || modes[component]&hotLiterals != 0 {
		return SpellFrame{}
	}
	atomic.AddInt64(&rows[component].literals, 1)
	return push(component)
}

func push(component uint32) SpellFrame {
	x := own(true)
	x.active[component]++
	x.depth++
	now := nanotime()
	charge(x, now)
	f := SpellFrame{ran: x.ran, wall: now, component: component, below: x.top}
	atomic.AddInt64(&rows[x.top].calls, 1)
	x.top = component
	return f
}

// SpellExit notes that the function, or literal, of the frame ends.
func SpellExit(f SpellFrame) {
	if f.component == 0 {
		return
	}
	x := own(true)
	now := nanotime()
	charge(x, now)
	x.top = f.below
	x.active[f.component]--
	if x.active[f.component] == 0 {
		delete(x.active, f.component)
		atomic.AddInt64(&rows[f.component].cum, x.ran-f.ran)
		atomic.AddInt64(&rows[f.component].wall, now-f.wall)
	}
	if x.depth--; x.depth == 0 {
		drop(x)
	}
}

// charge adds the time since the last charge to the component on top.
func charge(x *goroutine, now int64) {
	if x.last != 0 {
		x.ran += now - x.last
		atomic.AddInt64(&rows[x.top].self, now-x.last)
	}
	x.last = now
}

// SpellBlock notes that a block of a function begins.
func SpellBlock(block uint32) {
	if measured() {
		atomic.AddInt64(&n[block], 1)
		toRow(block)
	}
}

// SpellBack notes that a statement behind a block begins.
func SpellBack(enclosing uint32) {
	if measured() {
		toRow(enclosing)
	}
}

// toRow puts a row on top in place of another of the same function.
func toRow(to uint32) {
	x := own(false)
	if x == nil {
		return
	}
	if top := uint64(x.top); top == table.owner || top >= table.block && top <= table.lastBlock {
		spellReplace(to)
	}
}

// For package testing, as the functions of these names in the runtime.

//go:linkname spellMapping
func spellMapping() (count, shards int, sub bool) {
	if !measured() {
		return 0, 0, false
	}
	return len(rows), 1, subtests
}

//go:linkname spellCounters
func spellCounters(int) (calls, counters, sampled unsafe.Pointer) {
	return unsafe.Pointer(&n[0]), unsafe.Pointer(&rows[0]), unsafe.Pointer(&samples[0])
}

//go:linkname spellAllocs
func spellAllocs() unsafe.Pointer { return allocs }

//go:linkname spellAppend
func spellAppend(entry string) {
	if end := table.logged + uint64(len(entry)); end <= logSize {
		copy(log[table.logged:], entry)
		atomic.StoreUint64(&table.logged, end)
	}
}

//go:linkname spellTest
func spellTest(uint32) {}

// Which goroutine a test started is not known: none is a stray.

//go:linkname spellAllot
func spellAllot(uint32) uint64 { return 0 }

//go:linkname spellWork
func spellWork(uint64) uint64 { return 0 }

//go:linkname spellClose
func spellClose(uint64) {}

//go:linkname spellStrays
func spellStrays(int) (goroutines, ran uint64, ok bool) { return 0, 0, false }

//go:linkname spellStatement
func spellStatement(int) (row uint32, in, file string, line int, starts string) {
	return 0, "", "", 0, ""
}

// Child processes are not measured.
//
//go:linkname spellFamilyTicks
func spellFamilyTicks() uint64 { return 0 }

// Which rows grew is not known.
//
//go:linkname spellTouched
func spellTouched(int, uint64, []bool) (to uint64, ok bool) { return 0, false }

// Only package runtime has memory outside of the Go heap.
//
//go:linkname spellMemory
func spellMemory(size uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1)))
}

//go:linkname spellSampledSoFar
func spellSampledSoFar() uint64 { return 0 }

//go:linkname spellSettle
func spellSettle() {
	if x := own(false); x != nil {
		charge(x, nanotime())
	}
}

// spellSettleOwn is spellSettle for the row of the probes' own time, which stands before those of strays and calibration.
//
//go:linkname spellSettleOwn
func spellSettleOwn() {
	if x := own(false); x != nil {
		top := x.top
		x.top = uint32(len(rows) - 5)
		charge(x, nanotime())
		x.top = top
	}
}

// spellProgramCPU is not known.
//
//go:linkname spellProgramCPU
func spellProgramCPU() int64 { return 0 }

// spellWaited is not known either: that is what a negative time says.
//
//go:linkname spellWaited
func spellWaited() (ns int64, none bool) { return -1, false }

// spellMoved says that bytes are not counted.
//
//go:linkname spellMoved
func spellMoved() (moved unsafe.Pointer, grown bool) { return nil, false }

//go:linkname spellRescale
func spellRescale() {}

func spellSetCosts(inner, outer, change uint64, frame float64) {
	table.inner, table.outer, table.change = inner, outer, change
	*(*float64)(unsafe.Pointer(&table.frame)) = frame
}

func spellRowCount() uint32 {
	if !measured() {
		return 0
	}
	return uint32(len(rows))
}

func spellSelfOf(row uint32) uint64 { return uint64(atomic.LoadInt64(&rows[row].self)) }

func spellReplace(to uint32) {
	x := own(true)
	charge(x, nanotime())
	atomic.AddInt64(&rows[x.top].switches, 1)
	atomic.AddInt64(&rows[to].switches, 1)
	x.top = to
}
