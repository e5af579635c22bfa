//go:build linux && (amd64 || arm64)

package runtime

import "internal/runtime/atomic"

// Where the meter's readings are counted, each sample also writes down who called the component
// that has its time, with the thread and the instant: so the reader can tell under which of its
// callers a component ran in a tick. All signal handlers, also those of child processes, share
// one ring. The reader takes the records out while the program goes on.

const spellSeenRing = 1 << 13 // records

// spellSeenBy is that ring.
type spellSeenBy struct {
	written uint64 // records for which a place was taken
	_       [511]uint64
	read    uint64 // records that the reader has taken
	_       [511]uint64
	records [spellSeenRing]spellCallerSeen
}

// spellCallerSeen is a sample of a component. A record is whole when its number stands in it.
type spellCallerSeen struct {
	number      uint64 // 1 + that of the record, written last
	row, caller uint32 // the caller is spellOutside if that was no component
	thread      uint64
	at          uint64 // by the clock of the counters
}

var spellSeenCallers *spellSeenBy

// bookCaller writes down the caller of the innermost component. It tries a few times to get a
// place in the ring: without one, less is known.
func (s *spellCalls) bookCaller(mp *m) {
	caller := uint32(spellOutside)
	switch {
	case spellReadings == &spellNoReadings, s.depth == 1 && s.cut:
		return
	case s.depth > 1:
		caller = s.rows[1]
	}
	const tries = 16
	for range tries {
		n := atomic.Load64(&spellSeenCallers.written)
		if n-atomic.Load64(&spellSeenCallers.read) >= spellSeenRing {
			return
		}
		if atomic.Cas64(&spellSeenCallers.written, n, n+1) {
			r := &spellSeenCallers.records[n%spellSeenRing]
			r.row, r.caller, r.thread, r.at = s.rows[0], caller, mp.procid, uint64(spellNow())
			atomic.Store64(&r.number, n+1)
			return
		}
	}
}
