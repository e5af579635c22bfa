package sampler

import "time"

// Tick is the interval at which a meter is read that has no updates to wait for.
const Tick = tickNS * time.Nanosecond

// A phaseLock finds the moments at which a counter is updated. Between two updates it
// waits for most of the time, and then polls at intervals of pollNS: the update lies
// between the poll that saw the old value and the one that saw the new value. All times
// are in ns of CLOCK_MONOTONIC.
type phaseLock struct {
	lead    int64 // wait from an update to the first poll after it
	updated int64 // end of the poll that saw the latest update
	polled  int64 // end of the latest poll
	misses  int64 // polls since the latest update that saw the old value
	emitted int64 // moment of the latest reading
}

const (
	pollNS = 50_000
	// tickNS is the interval of readings without a phase lock: of a meter that computes,
	// because it changes evenly, and of a counter that changes less often than
	// maxLockedResolution.
	tickNS              = 4_000_000
	maxLockedResolution = 20 * time.Millisecond
	// minReadingNS is the shortest time between two readings.
	minReadingNS = 500_000
	// A reading is made only if the moment of its update is known to within
	// maxUncertainNS, or if maxReadingNS has passed since the latest one: readings at
	// uncertain moments blur what ran when.
	maxUncertainNS = 150_000
	maxReadingNS   = 5_000_000
	// maxUnchangedNS is the time after which a reading is made although the counter has
	// not changed.
	maxUnchangedNS = 20_000_000

	minLeadNS, maxLeadNS = 100_000, 10_000_000
)

func newPhaseLock(now int64) *phaseLock {
	return &phaseLock{lead: minReadingNS, updated: now, polled: now, emitted: now}
}

// next is the moment of the next poll.
func (l *phaseLock) next() int64 {
	if l.polled == l.updated {
		return l.updated + l.lead
	}
	return l.polled + pollNS
}

// observe takes in a poll that ended at a moment, and whether it saw a new value. If a
// reading is to be made, it returns the moment of the value's update, and by how much that
// may be off to either side.
func (l *phaseLock) observe(end int64, changed bool) (updated, uncertain int64, reading bool) {
	if !changed {
		l.misses++
		l.polled = end
		if end-l.emitted > maxUnchangedNS {
			l.emitted = end
			return end, 0, true
		}
		return 0, 0, false
	}
	width := end - l.polled
	if l.polled == l.updated { // the first poll came too late
		l.lead = max(minLeadNS, l.lead-l.lead/16)
	} else if l.misses > 2 { // it came too early
		l.lead = min(maxLeadNS, l.lead+l.lead/64)
	}
	updated, uncertain = end-width/2, width/2
	l.updated, l.polled, l.misses = end, end, 0
	since := end - l.emitted
	if since < minReadingNS || uncertain > maxUncertainNS && since < maxReadingNS {
		return 0, 0, false
	}
	l.emitted = end
	return updated, uncertain, true
}
