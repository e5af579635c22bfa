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
	hold    int64 // wait from a reading to the next poll, where updates are skipped; else 0
	held    bool  // the next poll ends such a wait: it tells what the counter shows, and not since when
	coarse  int64 // by how much moments may be less exact than those of readings at each update
	oldest  int64 // a counter that goes on shows no value older than that; 0 if not known
}

const (
	pollNS    = 50_000
	maxPollNS = 1_000_000
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
	// longestUpdate is how many times as long as usual the time between two updates may be.
	longestUpdate = 2
	// maxUnchangedNS is the time after which a reading is made although the counter has
	// not changed.
	maxUnchangedNS = 20_000_000
	// stalledNS is the time without an update after which a counter has stopped: no update of one that is read at
	// its updates comes as late. It is looked for no more often than a thousand times a second then.
	stalledNS = longestUpdate * int64(maxLockedResolution)

	minLeadNS, maxLeadNS = 100_000, 10_000_000
)

func newPhaseLock(now int64) *phaseLock {
	return &phaseLock{lead: minReadingNS, updated: now, polled: now, emitted: now, coarse: 1}
}

// every makes readings about a period apart, where that is longer than the interval of updates:
// the lock wakes up for one update in each, and has as many polls for it as are worth the length of
// the period.
func (l *phaseLock) every(period, update int64) {
	l.hold, l.coarse = 0, 1
	update = max(update, minReadingNS)
	l.oldest = longestUpdate * update
	if period > update {
		l.hold, l.coarse = period-update/4, period/update
	}
	l.held = l.held && l.hold > 0
}

// next is the moment of the next poll.
func (l *phaseLock) next() int64 {
	switch {
	case l.held:
		return l.emitted + l.hold
	case l.misses == 0:
		return l.updated + l.lead
	case l.polled-l.updated > stalledNS+l.hold:
		return l.polled + maxPollNS
	}
	return l.polled + min(pollNS*l.coarse, maxPollNS)
}

// observe takes in a poll that ended at a moment, and whether it saw a new value. If a
// reading is to be made, it returns the moment of the value's update, and by how much that
// may be off to either side.
func (l *phaseLock) observe(end int64, changed bool) (updated, uncertain int64, reading bool) {
	if l.held {
		l.held, l.polled, l.misses = false, end, 1
		return 0, 0, false
	}
	if !changed {
		l.misses++
		l.polled = end
		if end-l.emitted > maxUnchangedNS+l.hold {
			l.emitted, l.held = end, l.hold > 0
			return end, 0, true
		}
		return 0, 0, false
	}
	width := end - l.polled
	if l.oldest > 0 { // where the sampler had no processor, there were updates meanwhile
		width = min(width, l.oldest)
	}
	if l.misses == 0 { // the first poll came too late
		l.lead = max(minLeadNS, l.lead-l.lead/16)
	} else if l.misses > 2 && l.hold == 0 { // it came too early
		l.lead = min(maxLeadNS, l.lead+l.lead/64)
	}
	updated, uncertain = end-width/2, width/2
	l.updated, l.polled, l.misses = end, end, 0
	since := end - l.emitted
	if since < minReadingNS || uncertain > maxUncertainNS*l.coarse && since < maxReadingNS*l.coarse {
		return 0, 0, false
	}
	l.emitted, l.held = end, l.hold > 0
	return updated, uncertain, true
}
