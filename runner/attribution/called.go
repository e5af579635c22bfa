package attribution

import "spell-lsp/instrument/probe"

// Samples tell under which caller a row ran at an instant. Between two samples of a row on one
// thread that both saw the same caller, and are near to each other, the row is taken to have run
// for it. Where they saw different callers, nothing is said of what lies between.

// nearNS is the longest time between two such samples: some of the kernel's ticks, as a thread is
// sampled once in one of them.
const nearNS = 20_000_000

// A callerPair is a row under one of its callers, which is 0 if it is no component.
type callerPair struct{ row, caller uint32 }

// called says how long a row ran for a caller in a tick, summed over all threads, as samples tell.
type called struct {
	callerPair
	seconds float64
}

// calledSpan is the time between two samples with the same caller.
type calledSpan struct {
	callerPair
	from, to int64
}

// sightings counts the samples of a row under one caller: all of them, those that follow another
// sample of the row on the thread within nearNS, and those among the latter that saw the same caller.
type sightings struct{ all, followed, same int }

// callers collects the callers that samples of one execution saw.
type callers struct {
	latest map[rowOnThread]probe.CallerSeen
	spans  []calledSpan             // those with a part in ticks that have not been handed out
	seen   map[callerPair]sightings // since Model.AddCallers took them
}

type rowOnThread struct {
	thread uint64
	row    uint32
}

// AddCaller takes a sample of a component in, in the order of time on each thread.
func (o *Occupancy) AddCaller(s probe.CallerSeen) {
	c := &o.callers
	if c.seen == nil {
		c.seen, c.latest = make(map[callerPair]sightings), make(map[rowOnThread]probe.CallerSeen)
	}
	if len(c.latest) > mostLatest {
		clear(c.latest) // most threads have ended
	}
	pair, on := callerPair{s.Row, s.Caller}, rowOnThread{s.Thread, s.Row}
	before, known := c.latest[on]
	c.latest[on] = s
	sum := c.seen[pair]
	sum.all++
	if near := s.AtNS - before.AtNS; known && near > 0 && near <= nearNS {
		sum.followed++
		if before.Caller == s.Caller {
			sum.same++
			if o.room(1) {
				c.spans = append(c.spans, calledSpan{pair, before.AtNS, s.AtNS})
			}
		}
	}
	c.seen[pair] = sum
}

// mostLatest limits the memory that a program with many threads and components takes.
const mostLatest = 1 << 16

// called hands out for how long rows ran for which callers, by tick of the first n pending ones.
func (o *Occupancy) called(n int) [][]called {
	ticks := make([][]called, n)
	if len(o.callers.spans) == 0 || n == 0 {
		return ticks
	}
	end := o.line.published[o.base+n-1]
	kept := o.callers.spans[:0]
	for _, s := range o.callers.spans {
		parts, from := o.overlaps(s.from, s.to)
		for i, part := range parts {
			if tick := from + i - o.base; tick >= 0 && tick < n {
				ticks[tick] = withCalled(ticks[tick], called{s.callerPair, part})
			}
		}
		if s.to > end {
			kept = append(kept, s)
		}
	}
	o.held -= len(o.callers.spans) - len(kept)
	o.callers.spans = kept
	return ticks
}

// withCalled adds a time to a list with one entry for each pair.
func withCalled(list []called, more called) []called {
	for i := range list {
		if list[i].callerPair == more.callerPair {
			list[i].seconds += more.seconds
			return list
		}
	}
	return append(list, more)
}
