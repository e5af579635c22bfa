// The probe's part of package runtime. It stands there during an instrumented
// build only: here a goroutine's own state is a field of g, without any
// look-up, counters belong to a processor (p) and need no atomic operations,
// because the runtime's code is never preempted in between, and the scheduler
// can say when a goroutine runs.

//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// The mapped file; package probe tells its layout.
const (
	spellMax         = 1 << 20 // rows
	spellPage        = 4096
	spellSpareShards = 256
	spellSpareSpace  = 1 << 30
	spellOutside     = 0       // row of code that runs outside of components
	spellLogSize     = 1 << 28 // largest size of the log, in bytes
	spellLogStart    = 1 << 24 // bytes of the log that are mapped at first
	spellSpecials    = 7       // rows that are no components: spellOutside, and those after the components
)

// spellHeader is the first page of the file.
type spellHeader struct {
	rows, shards            uint64
	ticks, ns               uint64 // the clock of the counters and nanotime at one instant
	scale                   uint64 // ns a tick of the counters' clock, a float64
	uncounted               uint64 // 1 if a processor had no counters
	owner, block, lastBlock uint64 // the function whose blocks have the rows block to lastBlock
	names                   uint64 // slots of the table of names
	used                    uint64 // shards that have been used
	logged                  uint64 // bytes of the log that are whole
	token                   uint64 // says that the file is this program's
	full                    uint64 // 1 if the log is, or could not grow
	lost                    uint64 // ns of samples whose stacks had no room
	inner, outer, change    uint64 // what probes cost, see spellSetCosts
	frame                   uint64 // a float64
	sampled                 uint64 // samples that have been booked
	cpus                    uint64 // 1 if it is to be written down on which CPU what ran
}

// spellRow is what one processor counted for one component.
type spellRow struct {
	self, cum, wall uint64 // time
	calls           uint64 // of timed functions and literals from here
	timed, literals uint64 // timed entries
	switches        uint64 // to and from the row, of blocks
	_               uint64
	mark, since     uint64 // of the watch for hot functions: its start, and timed entries then
	tick            uint64 // in which it ran last,
	base            uint64 // what self was before that,
	next            uint64 // and 1 + the row that was touched before it
	_               [3]uint64
}

// spellSampled is what the samples say of one component, in ns of CPU time.
type spellSampled struct {
	kept, lost uint64 // while it was on top: in its own code, in that of others
	gained     uint64 // in its own code, while another was on top
	cum        uint64 // while it was anywhere on the stack
	samples    uint64 // how many were in its own code
	line, end  uint64 // of a block
	sized      uint64 // the number of a function that notes sizes
}

// spellP is where a processor counts. The first fields are one of the places, chosen
// by the goroutine that it runs.
type spellP struct {
	n      *[spellMax]uint64
	rows   *[spellMax]spellRow
	ring   *spellTicked
	places [2]spellPlace // for goroutines of tests that go on, and for strays
	test   uint64        // for which the goroutine works
	stray  uint32        // which place it is
	allocs spellCountdown
}

// spellPlace is the first fields of spellP. What they point to is not on the Go heap, so
// they are copied without the collector's knowledge, also where it must not know.
type spellPlace struct{ n, rows, ring uintptr }

var (
	spellTable     *spellHeader // nil: this process is not measured
	spellRows      int
	spellSubtests  bool
	spellProgram   bool // the file is for all of the program, not for its tests
	spellLog       unsafe.Pointer
	spellLogMapped uintptr
	spellTSC       bool
	spellScale     float64          // ns a tick, 0 until it is known
	spellModes     *[spellMax]uint8 // by row
	spellSamples   *[spellMax]spellSampled
	spellShards    unsafe.Pointer
	spellShardSize uintptr
	spellNoP       [2]spellP // for code without a processor: by atomic operations only
)

// spellAttach maps the file that the environment tells of. The variable is taken
// out of the environment: the program and its children do not see it.
func spellAttach() {
	const key = "SPELL_LSP_PROBE="
	for i, kv := range envs {
		if len(kv) > len(key) && kv[:len(key)] == key {
			envs = append(envs[:i], envs[i+1:]...)
			spellForget(key)
			spellMap(kv[len(key):])
			return
		}
	}
	spellJoin()
}

// spellForget takes the variable out of what C sees, which is what the kernel
// handed over.
func spellForget(key string) {
	for i := argc + 1; ; i++ {
		kv := argv_index(argv, i)
		if kv == nil {
			return
		}
		if text := gostringnocopy(kv); len(text) > len(key) && text[:len(key)] == key {
			memclrNoHeapPointers(unsafe.Pointer(kv), uintptr(len(text)))
			for ; argv_index(argv, i) != nil; i++ {
				at := (**byte)(add(unsafe.Pointer(argv), uintptr(i)*goarch.PtrSize))
				*at = argv_index(argv, i+1)
			}
			return
		}
	}
}

// spellMap takes "FLAGS:FD:TOKEN": s where subtests have rows of their own, p where all of
// the program counts, c where the time stamp counter is right; FD and those behind it are the file,
// which has the token in it, the table of names and, with t, the ticks. They are
// closed: the program does not see them. Without the token they are somebody
// else's.
func spellMap(where string) {
	var numbers [2]uint64
	ticks, i := false, 0
	for ; i < len(where) && where[i] != ':'; i++ {
		spellSubtests = spellSubtests || where[i] == 's'
		spellProgram = spellProgram || where[i] == 'p'
		spellTSC = spellTSC || where[i] == 'c'
		ticks = ticks || where[i] == 't'
		spellAskStorage = spellAskStorage || where[i] == 'd'
	}
	for n := -1; i < len(where); i++ {
		if where[i] == ':' {
			n = min(n+1, 1)
		} else {
			numbers[n] = numbers[n]*10 + uint64(where[i]-'0')
		}
	}
	spellTSC = spellTSC && spellHasTSC
	fd := int32(numbers[0])
	head := (*spellHeader)(spellMapFile(fd, 0, spellPage, _PROT_READ))
	if head == nil || head.token != numbers[1] || head.token == 0 {
		return
	}
	if spellMapTable(fd, head) && spellProgram {
		spellKin.test = 1
	}
	if spellTable != nil && spellTable.names != 0 {
		spellNames = (*[1 << 26]spellName)(spellMapFile(fd+1, 0, uintptr(spellTable.names)*unsafe.Sizeof(spellName{}), _PROT_READ))
		spellNameMask = spellTable.names - 1
		spellFindMain()
		spellStartSamples()
	}
	if spellNames == nil {
		spellMovedBytes = nil
	}
	closefd(fd)
	closefd(fd + 1)
	if ticks {
		if count := (*uint64)(spellMapFile(fd+2, 0, spellPage, _PROT_READ)); count != nil {
			spellReadings = count
		}
		closefd(fd + 2)
	}
}

func spellMapTable(fd int32, head *spellHeader) bool {
	rows := uintptr(head.rows)
	if rows > spellMax {
		return false
	}
	spellShardSize = spellPages(rows*8) + spellPages(rows*unsafe.Sizeof(spellRow{})) + unsafe.Sizeof(spellTicked{})
	samples := spellPages(rows)
	stacks := samples + spellPages(rows*unsafe.Sizeof(spellSampled{}))
	origins := stacks + unsafe.Sizeof([spellNodes]spellNode{})
	moved := origins + spellPages(unsafe.Sizeof([spellMostOrigins]spellOrigin{}))
	allocations := moved + spellPages(rows*unsafe.Sizeof(spellBytes{}))
	groups := allocations + spellPages(rows*unsafe.Sizeof(spellAllocated{}))
	labels := groups + unsafe.Sizeof([spellGroupNodes]spellNode{})
	callers := labels + unsafe.Sizeof([spellMostSets]spellLabelSet{})
	sizes := callers + unsafe.Sizeof(spellSeenBy{})
	start := sizes + unsafe.Sizeof(spellSizeTable{})
	// The address space may be limited, and is the program's: as many shards as it
	// is likely to use.
	shards := uintptr(head.shards)
	if spellChild == 0 {
		shards = min(shards, max(2*uintptr(len(allp))+2, min(8*uintptr(len(allp))+spellSpareShards, spellSpareSpace/spellShardSize)))
	}
	own := (*spellHeader)(spellMapFile(fd, 0, spellPage, _PROT_READ|_PROT_WRITE))
	log := spellMapFile(fd, spellPage, spellLogStart, _PROT_READ|_PROT_WRITE)
	table := spellMapFile(fd, spellPage+spellLogSize, start+shards*spellShardSize, _PROT_READ|_PROT_WRITE)
	if own == nil || log == nil || table == nil {
		return false
	}
	spellRows, spellLog, spellLogMapped, spellAskCPU = int(rows), log, spellLogStart, own.cpus != 0
	spellModes = (*[spellMax]uint8)(table)
	spellSamples = (*[spellMax]spellSampled)(add(table, samples))
	spellStacks = (*[spellNodes]spellNode)(add(table, stacks))
	spellOrigins = (*[spellMostOrigins]spellOrigin)(add(table, origins))
	spellMovedBytes = (*[spellMax]spellBytes)(add(table, moved))
	spellAllocations = (*[spellMax]spellAllocated)(add(table, allocations))
	spellGroups = (*[spellGroupNodes]spellNode)(add(table, groups))
	spellLabelSets = (*[spellMostSets]spellLabelSet)(add(table, labels))
	spellSeenCallers = (*spellSeenBy)(add(table, callers))
	spellSizes = (*spellSizeTable)(add(table, sizes))
	spellShards = add(table, start)
	firstNodes := 9 * spellFirstNodes * unsafe.Sizeof(spellNode{}) // two sections, see spellSlotOf
	spellPopulate(table, stacks)
	spellPopulate(add(table, stacks), firstNodes)
	spellPopulate(add(table, moved), groups-moved)
	spellPopulate(add(table, groups), firstNodes)
	spellTable, spellKin = own, (*spellFamily)(add(unsafe.Pointer(own), spellFamilyAt))
	if spellChild == 0 {
		spellPopulate(log, spellSoon)
		spellTable.shards, spellTable.used = uint64(shards), 0
		spellPair(&spellTable.ticks, &spellTable.ns)
		if !spellTSC {
			spellSetScale(spellTable, 1)
		}
		spellBegins()
	} else {
		spellEarlier = uint32(spellTable.used / 2)
		spellScaleBy(float64frombits(spellTable.scale))
	}
	alone, ok := spellClaim()
	if !ok {
		spellTable = nil
		return false
	}
	spellNoP = [2]spellP{spellShard(alone), spellShard(alone + 1)}
	pp := getg().m.p.ptr() // no other processor runs yet
	spellSupply(pp)
	spellCountDown(pp)
	return true
}

// spellSoon is how much of a part of the file is populated before it is used.
const spellSoon = 1 << 16

// spellPopulate makes the kernel supply the first pages of what will be written to. If each is
// supplied when it is touched, that takes several times as long, in virtual machines more than ten
// microseconds a page. Kernels before Linux 5.14 do not know it.
//
//go:nosplit
func spellPopulate(at unsafe.Pointer, size uintptr) {
	const populateWrite = 23 // MADV_POPULATE_WRITE (madvise(2))
	madvise(at, min(size, spellSoon), populateWrite)
}

func spellMapFile(fd int32, from, size uintptr, prot int32) unsafe.Pointer {
	const shared = 1
	p, err := mmap(nil, size, prot, shared, fd, uint32(from))
	if err != 0 {
		return nil
	}
	return p
}

//go:nosplit
func spellPages(n uintptr) uintptr { return (n + spellPage - 1) &^ (spellPage - 1) }

// spellShard is a part of the file in which one processor counts, or code that has none.
// Strays are counted in the odd ones.
func spellShard(i uintptr) spellP {
	at := spellPlaceOf(i)
	return spellP{n: (*[spellMax]uint64)(unsafe.Pointer(at.n)), rows: (*[spellMax]spellRow)(unsafe.Pointer(at.rows)), ring: (*spellTicked)(unsafe.Pointer(at.ring))}
}

//go:nosplit
func spellPlaceOf(i uintptr) spellPlace {
	at := uintptr(spellShards) + i*spellShardSize
	rows := at + spellPages(uintptr(spellRows)*8)
	return spellPlace{n: at, rows: rows, ring: rows + spellPages(uintptr(spellRows)*unsafe.Sizeof(spellRow{}))}
}

// spellPair reads both clocks at one instant: the closest of a few pairs.
func spellPair(ticks, ns *uint64) {
	best := int64(1) << 62
	for range 5 {
		a := spellNow()
		t := nanotime()
		b := spellNow()
		if b-a < best {
			best = b - a
			*ticks, *ns = uint64(a+(b-a)/2), uint64(t)
		}
	}
}

func spellSetScale(head *spellHeader, scale float64) {
	head.scale = float64bits(scale)
	spellScaleBy(scale)
}

func spellScaleBy(scale float64) {
	spellScale = scale
	spellLongTicks = int64(spellLong / scale)
	spellShortTicks = uint64(spellLongTicks)
}

// spellRescaleLater is called by samples: a program that is counted as a whole has no tests at
// whose ends the scale is found anew. It is each time the program has run twice as long.
func spellRescaleLater() {
	since := uint64(spellNow()) - spellTable.ticks
	if last := atomic.Load64(&spellRescaled); since > 2*last && atomic.Cas64(&spellRescaled, last, since) {
		spellRescale()
	}
}

var spellRescaled uint64 // ticks from the start to when the scale was found

// spellRescale finds the scale of the counters' clock anew: the longer the
// program has run, the better it is known.
//
//go:linkname spellRescale
func spellRescale() {
	if spellTable == nil || !spellTSC {
		return
	}
	var ticks, ns uint64
	spellPair(&ticks, &ns)
	if ns > spellTable.ns && ticks > spellTable.ticks {
		spellSetScale(spellTable, float64(ns-spellTable.ns)/float64(ticks-spellTable.ticks))
	}
}

// spellStackFactor is how much larger stacks may be: frames with probes are
// larger, and sizes double. The program sees the limits without it.
const spellStackFactor = 4

var spellMaxStack uintptr // the limit that the program sees

// spellStack is called when the largest size of a stack has been set. A process
// that is not measured has probes too.
func spellStack() {
	spellMaxStack = maxstacksize
	maxstacksize *= spellStackFactor
}

// spellSetMaxStack is debug.SetMaxStack.
func spellSetMaxStack(in int) (out int) {
	out = int(spellMaxStack)
	spellMaxStack = uintptr(in)
	maxstacksize = min(spellMaxStack, ^uintptr(0)/spellStackFactor) * spellStackFactor
	return out
}

// spellOverflow is called before the program dies of too large a stack.
func spellOverflow() { maxstacksize = spellMaxStack }

// spellBeforeMain is called before the program's main function.
func spellBeforeMain() {
	if spellProgram {
		spellCalibrate()
	}
}

// spellRowCount is 0 where the program is not measured.
func spellRowCount() uint32 {
	if spellTable == nil {
		return 0
	}
	return uint32(spellRows)
}

// spellSelfOf is the running time of a row so far, without strays, in ticks.
func spellSelfOf(row uint32) (sum uint64) {
	for shard := uintptr(0); shard < uintptr(spellTable.used); shard += 2 {
		sum += spellShard(shard).rows[row].self
	}
	return sum
}

// spellMapping is for package testing. The shards are those that have ever been
// used: a processor that is taken away leaves its counts. Strays are counted in the
// odd ones.
//
//go:linkname spellMapping
func spellMapping() (rows, shards int, subtests bool) {
	if spellTable == nil || spellProgram || spellChild != 0 {
		return 0, 0, false
	}
	return spellRows, int(spellTable.used), spellSubtests
}

// spellAppend is for package testing, which calls it for one entry after the
// other. What is in the log is whole: its length is set last. After an entry for
// which there is no room none follows.
//
//go:linkname spellAppend
func spellAppend(entry string) {
	end := uintptr(spellTable.logged) + uintptr(len(entry))
	for end > spellLogMapped && spellTable.full == 0 {
		spellGrowLog()
	}
	if spellTable.full != 0 {
		return
	}
	if next := end &^ (spellSoon - 1); next > uintptr(spellTable.logged) {
		spellPopulate(add(spellLog, next), spellLogMapped-next)
	}
	log := add(spellLog, uintptr(spellTable.logged))
	copy(unsafe.Slice((*byte)(log), len(entry)), entry)
	atomic.Store64(&spellTable.logged, uint64(end))
}

// spellGrowLog maps more of the log.
func spellGrowLog() {
	const mayMove = 1 // mremap(2)
	size := 4 * spellLogMapped
	if size > spellLogSize {
		spellTable.full = 1
		return
	}
	log, errno := spellRemap(spellLog, spellLogMapped, size, mayMove)
	if errno != 0 {
		spellTable.full = 1
		return
	}
	spellLog, spellLogMapped = log, size
}

// spellCounters is for package testing: where a shard has its counters, and
// where the samples are.
//
//go:linkname spellCounters
func spellCounters(shard int) (n, rows, samples unsafe.Pointer) {
	s := spellShard(uintptr(shard))
	return unsafe.Pointer(s.n), unsafe.Pointer(s.rows), unsafe.Pointer(spellSamples)
}

// spellMemory is for package testing: memory outside of the Go heap, filled with zeroes.
//
//go:linkname spellMemory
func spellMemory(size uintptr) unsafe.Pointer {
	if size < spellPage {
		return persistentalloc(size, 8, &memstats.other_sys)
	}
	at := persistentalloc(size, spellPage, &memstats.other_sys)
	spellPopulate(at, size)
	return at
}
