package sampler

import "time"

// Tick is how often a meter is read that has no updates to wait for.
const Tick = tickNS * time.Nanosecond

// A lock finds the moments at which a counter is updated. It sleeps for most of
// the time between two updates and then looks every step: an update lies between
// the look that saw the old value and the one that sees the new. All times are
// in ns.
type lock struct {
	lead     int64 // from an update to the first look after it
	updated  int64 // the latest
	looked   int64 // the latest look
	unlooked int64 // looks since the latest update that saw no new value
	emitted  int64 // when the latest reading was
}

const (
	step = 50_000
	// tickNS is how often a meter is read that is no counter of its own, as what it
	// knows changes evenly, or one that changes less often than finest.
	tickNS = 4_000_000
	finest = 20 * time.Millisecond
	// shortest is the least time between two readings.
	shortest = 500_000
	// certain is how well the moment of an update has to be known for a reading, or
	// else none is made unless longest has passed: readings at uncertain moments
	// blur what ran when.
	certain = 150_000
	longest = 5_000_000
	// unchanged is when a counter is read out that has not changed.
	unchanged = 20_000_000

	leastLead, mostLead = 100_000, 10_000_000
)

func newLock(now int64) *lock {
	return &lock{lead: shortest, updated: now, looked: now, emitted: now}
}

// next is when to look again.
func (l *lock) next() int64 {
	if l.looked == l.updated {
		return l.updated + l.lead
	}
	return l.looked + step
}

// look takes in what a look that ended at a moment saw: a new value or not. Where a
// reading is to be made, it says which moment the value is of, and how far off that may
// be.
func (l *lock) look(end int64, changed bool) (updated, uncertain int64, reading bool) {
	if !changed {
		l.unlooked++
		l.looked = end
		if end-l.emitted > unchanged {
			l.emitted = end
			return end, 0, true
		}
		return 0, 0, false
	}
	width := end - l.looked
	if l.looked == l.updated { // nobody knows when
		l.lead = max(leastLead, l.lead-l.lead/16)
	} else if l.unlooked > 2 {
		l.lead = min(mostLead, l.lead+l.lead/64)
	}
	updated, uncertain = end-width/2, width/2
	l.updated, l.looked, l.unlooked = end, end, 0
	since := end - l.emitted
	if since < shortest || uncertain > certain && since < longest {
		return 0, 0, false
	}
	l.emitted = end
	return updated, uncertain, true
}
