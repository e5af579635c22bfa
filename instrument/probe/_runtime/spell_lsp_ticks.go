//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for go:linkname
)

// The meter is read by another process, which counts its readings in memory that
// this one maps too. What lies between two of them is a tick. A processor adds up
// how long each component ran in the tick that is under way, and writes it down
// when it sees the next.

const spellRingSize = 1 << 15

// spellTicked is where one processor writes down what ran. The reader takes it
// out while the program goes on.
type spellTicked struct {
	written uint64 // records since the start
	lost    uint64 // for which there was no room
	tick    uint64 // under way, as far as this processor knows
	touched uint64 // 1 + the row that was touched last in it, which tells the one before
	stops   uint64 // how often a goroutine stopped running on the processor
	cpu     uint64 // on which CPU it runs in the tick, see spellLookCPU
	seen    uint64 // on which CPU it was when it was looked at last
	wired   uint64 // 1 if that was when a thread got the processor, after the end of the tick
	read    uint64 // records that the reader has taken
	list    uint64 // CPU of what is written down next of the tick before, see spellLookCPU,
	span    uint64 // and of what began in another tick and goes on
	_       [501]uint64
	records [spellRingSize]spellOccupied
}

// spellOccupied is how long a component ran in a tick or, if end is not 0, between two
// instants, the second of them in the tick.
type spellOccupied struct {
	row, tick       uint32 // and above the row's bits the CPU, see spellLookCPU
	start, end, ran uint64
}

var (
	spellNoReadings uint64
	spellReadings   = &spellNoReadings // readings so far
)

// spellTurn is called when time is charged for the first time in a tick: ran,
// between start and end, to the component on top. It began in another tick. (Rows
// are masked: there is no room on the stack for the check of an index.)
//
//go:nosplit
func spellTurn(ring *spellTicked, rows *[spellMax]spellRow, tick uint64, top uint32, start, end, ran int64) {
	for next := ring.touched; next != 0; {
		row := &rows[(next-1)&(spellMax-1)]
		spellNote(ring, spellOccupied{row: uint32(next - 1 | ring.list), tick: uint32(ring.tick), ran: row.self - row.base})
		next = row.next
	}
	spellNote(ring, spellOccupied{top | uint32(ring.span), uint32(tick), uint64(start), uint64(end), uint64(ran)})
	// The list is empty while it changes: whoever goes on after a process that was killed must not
	// find one that goes round.
	atomic.Store64(&ring.touched, 0)
	row := &rows[top&(spellMax-1)]
	row.tick, row.base, row.next = tick, row.self+uint64(ran), 0
	atomic.Store64(&ring.tick, tick)
	atomic.Store64(&ring.touched, uint64(top)+1)
}

// spellTouch is called when time is charged for the first time in a tick to a
// component, but not to the processor's first.
//
//go:nosplit
func spellTouch(ring *spellTicked, row *spellRow, top uint32) {
	row.tick, row.base, row.next = ring.tick, row.self, ring.touched
	ring.touched = uint64(top) + 1
}

//go:nosplit
func spellNote(ring *spellTicked, o spellOccupied) {
	switch n := ring.written; {
	case o.ran == 0:
	case n-ring.read >= spellRingSize:
		ring.lost++
	default:
		ring.records[n%spellRingSize] = o
		atomic.Store64(&ring.written, n+1)
	}
}

var spellAlone uint32 // 1 while a thread without a processor writes

// spellNoteAlone is for threads without a processor, which come back from a system
// call and share a ring. They wait for each other, but not long.
//
//go:nosplit
func spellNoteAlone(ring *spellTicked, o spellOccupied) {
	if spellReadings == &spellNoReadings {
		return
	}
	const tries = 1000
	for i := 0; !atomic.Cas(&spellAlone, 0, 1); i++ {
		if i == tries {
			atomic.Xadd64(&ring.lost, 1)
			return
		}
		procyield(10)
	}
	spellNote(ring, o)
	atomic.Store(&spellAlone, 0)
}

// spellTouched is for package testing: it marks the rows to which a shard's processor charged time since
// the call that returned from, which is 0 at first, and returns what to pass the next time. ok is false
// where they are not known: without readings, and where more was written down than there are rows. What
// other processors do meanwhile may show only in the next call.
//
//go:linkname spellTouched
func spellTouched(shard int, from uint64, rows []bool) (to uint64, ok bool) {
	if spellReadings == &spellNoReadings {
		return 0, false
	}
	s := spellShard(uintptr(shard))
	// First the tick that is under way: when it ends, its rows are written down before the list is empty.
	next := atomic.Load64(&s.ring.touched)
	for n := 0; next != 0 && next <= uint64(spellRows) && n < spellRows; n++ {
		row := next - 1
		if row < uint64(len(rows)) {
			rows[row] = true
		}
		next = s.rows[row].next
	}
	to = atomic.Load64(&s.ring.written)
	if to-from > uint64(min(len(rows), spellRingSize/2)) || s.ring.lost != 0 {
		return to, false
	}
	for ; from != to; from++ {
		if row := s.ring.records[from%spellRingSize].row & (spellMax - 1); int(row) < len(rows) {
			rows[row] = true
		}
	}
	return to, true
}

// spellSampledSoFar is for package testing: how many samples have been booked, which may grow any row.
//
//go:linkname spellSampledSoFar
func spellSampledSoFar() uint64 { return atomic.Load64(&spellTable.sampled) }
