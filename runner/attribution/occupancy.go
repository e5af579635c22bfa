package attribution

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/power"
)

// An Occupancy collects what ran in each tick of one execution. Ticks are handed out when
// they are whole: when all processors have written down what they did in them.
type Occupancy struct {
	line    *Timeline
	pending [][]power.Entry  // by tick, from base on
	family  []float64        // of these, the seconds in child processes
	onCores [][]coreEntry    // of these, by tick from base on, those of which the core is known
	base    int              // index of the reading that ends the first pending tick
	early   []probe.Occupied // records whose readings have not been taken
	spans   []span           // records of threads that were preempted: placed when their ticks are whole
	looked  int              // how many readings there were when records were taken last
	unknown [][2]int         // ranges of ticks, both ends included, in which records are missing
	held    int              // records, entries of pending ticks, parts of spans and spans of callers that wait
	callers callers
	samples stackSamples // of a program without probes
}

// NewOccupancy is of the execution of a timeline, which may still grow.
func NewOccupancy(line *Timeline) *Occupancy { return &Occupancy{line: line} }

// A Tick is what ran between a reading and the one before it.
type Tick struct {
	reading int           // index of the one that ends it
	entries []power.Entry // of rows, each once
	othersS float64       // CPU time of other processes
	called  []called
	onCores []coreEntry // of the entries, those of which the core is known
	// familyS is the part of the entries that ran in child processes, and childrenS the CPU time of
	// child processes beyond it.
	familyS, childrenS float64
}

// A span is an interval in which a thread was running only part of the time, because it
// was preempted.
type span struct {
	row   uint32
	onCPU uint32 // as in probe.Occupied
	ranS  float64
	from  int       // index of the first tick
	parts []float64 // its overlap with each tick from there on, s
}

// maxPending is how many ticks may wait (about 20 s). Beyond that, all but the last lateTicks
// are handed out; these wait for processors that have not written their records yet.
const (
	maxPending = 20_000
	lateTicks  = 10_000
)

// Add takes a record in. Ticks and readings may be seen in any order.
func (o *Occupancy) Add(r probe.Occupied) {
	if o.room(1) {
		o.early = append(o.early, r)
	}
}

// room says whether n more records, entries of ticks or parts of spans may wait. The limit is
// many times what a program can have; one that writes into its own rings could fill the
// memory. Beyond the limit no tick counts as whole.
func (o *Occupancy) room(n int) bool {
	const most = 1 << 23
	if o.held+n > most {
		o.unknown = append(o.unknown[:0], [2]int{0, math.MaxInt})
		return false
	}
	o.held += n
	return true
}

// Settle places the records whose readings have been taken, and returns the ticks that
// have become whole; with ended, all that are left. A model must have taken them in before the
// next call.
func (o *Occupancy) Settle(ended bool) []Tick {
	kept := o.early[:0]
	o.held -= len(o.early)
	for _, r := range o.early {
		if !o.place(r, ended) {
			kept = append(kept, r)
		}
	}
	o.early = kept
	o.held += len(kept)
	ready := 0
	switch waiting := len(o.line.published) - o.base; {
	case ended:
		ready = waiting
	case waiting > maxPending:
		ready = waiting - lateTicks
	}
	if ready == 0 {
		return nil
	}
	return o.hand(ready)
}

// place puts a record into its ticks. It returns false where a reading is missing for that.
func (o *Occupancy) place(r probe.Occupied, ended bool) bool {
	if r.EndNS == 0 {
		tick := int(int64(r.Tick) - int64(o.line.first))
		if tick >= len(o.line.published) && !ended {
			return false
		}
		o.put(tick, r.Row, r.RanNS/1e9, r.OfChild, r.OnCPU)
		return true
	}
	if r.EndNS > o.line.LastNS() && !ended {
		return false
	}
	parts, from := o.overlaps(r.StartNS, r.EndNS)
	length := float64(r.EndNS-r.StartNS) / 1e9
	ran := min(r.RanNS/1e9, length)
	// The CPU time of one child process in a tick is not known.
	if !r.OfChild && len(parts) > 1 && ran < throughoutRatio*length && length > throughoutS {
		if o.room(len(parts)) {
			o.spans = append(o.spans, span{r.Row, r.OnCPU, ran, from, parts})
		}
		return true
	}
	for i, part := range parts {
		if length > 0 {
			o.put(from+i, r.Row, part*ran/length, r.OfChild, r.OnCPU)
		}
	}
	return true
}

// A record of at least this part of its length, or of at most this length in s, counts as
// running throughout.
const (
	throughoutRatio = 0.95
	throughoutS     = 200e-6
)

// overlaps is how much of each tick lies between two instants, in s; the first of these ticks
// ends with reading from.
func (o *Occupancy) overlaps(start, end int64) (parts []float64, from int) {
	times := o.line.published
	from = max(1, sort.Search(len(times), func(i int) bool { return times[i] > start }))
	for i := from; i < len(times) && times[i-1] < end; i++ {
		parts = append(parts, float64(min(end, times[i])-max(start, times[i-1]))/1e9)
	}
	return parts, from
}

// put adds the time of a row to a tick. Ticks that were handed out, and what was before the
// first reading, are left out.
func (o *Occupancy) put(tick int, row uint32, seconds float64, ofChild bool, onCPU uint32) {
	if tick < max(1, o.base) || !(seconds > 0) || tick >= len(o.line.published) || !o.room(1) {
		return
	}
	for tick-o.base >= len(o.pending) {
		o.pending, o.family = append(o.pending, nil), append(o.family, 0)
	}
	o.putOnCore(tick, row, seconds, onCPU)
	if ofChild {
		o.family[tick-o.base] += seconds
	}
	list := o.pending[tick-o.base]
	o.pending[tick-o.base] = append(list, power.Entry{Row: row, Seconds: seconds})
}

// Lost says whether records are missing since the last call. If so, ticks since then, and the
// next one, are not whole.
func (o *Occupancy) Lost(some bool) {
	now := len(o.line.published)
	if n := len(o.unknown); some && n > 0 && o.unknown[n-1][1] >= o.looked {
		o.unknown[n-1][1] = max(o.unknown[n-1][1], now+1)
	} else if some {
		o.unknown = append(o.unknown, [2]int{o.looked, now + 1})
	}
	o.looked = now
}

// whole says whether no record of a tick was lost.
func (o *Occupancy) whole(tick int) bool {
	return !slices.ContainsFunc(o.unknown, func(r [2]int) bool { return tick >= r[0] && tick <= r[1] })
}

// merged adds up the entries of each row.
func merged(entries []power.Entry) []power.Entry {
	slices.SortStableFunc(entries, func(a, b power.Entry) int { return cmp.Compare(a.Row, b.Row) })
	sums := entries[:0]
	for _, e := range entries {
		if n := len(sums); n > 0 && sums[n-1].Row == e.Row {
			sums[n-1].Seconds += e.Seconds
		} else {
			sums = append(sums, e)
		}
	}
	return sums
}

// hand takes the first n pending ticks out, and returns those that are whole.
func (o *Occupancy) hand(n int) (whole []Tick) {
	o.line.dropCores(o.base - 1)
	o.fit(o.base + n)
	others := o.line.others(o.base, o.base+n)
	family := make([]float64, n)
	copy(family, o.family)
	children := o.line.unmeasured(o.base, family)
	called := o.called(n)
	for i := range n {
		o.line.rest = append(o.line.rest, last(o.line.rest)+others[i]*1e9)
		var entries []power.Entry
		if i < len(o.pending) {
			entries = o.pending[i]
			o.held -= len(entries)
		}
		if tick := o.base + i; tick > 0 && o.whole(tick) {
			whole = append(whole, Tick{tick, merged(entries), others[i], called[i], o.takeOnCores(i), family[i], children[i]})
		}
	}
	o.pending, o.family = slices.Delete(o.pending, 0, min(n, len(o.pending))), slices.Delete(o.family, 0, min(n, len(o.family)))
	o.onCores = slices.Delete(o.onCores, 0, min(n, len(o.onCores)))
	o.base += n
	return whole
}

// fit distributes the spans that end before a tick over their ticks, such that the sum of
// each tick comes near to the program's CPU time in it: iterative proportional fitting
// (Deming and Stephan, 1940).
func (o *Occupancy) fit(before int) {
	var ready, later []span
	for _, s := range o.spans {
		if s.from+len(s.parts) <= before {
			ready = append(ready, s)
			o.held -= len(s.parts)
		} else {
			later = append(later, s)
		}
	}
	o.spans = later
	weights := make([][]float64, len(ready))
	for i, s := range ready {
		weights[i] = slices.Clone(s.parts)
		clear(weights[i][:min(len(weights[i]), max(0, o.base-s.from))]) // these ticks were handed out
		scaleTo(weights[i], s.ranS, s.parts)
	}
	for range fitSteps {
		sums := make(map[int]float64)
		for i, s := range ready {
			for j, w := range weights[i] {
				sums[s.from+j] += w
			}
		}
		for i, s := range ready {
			for j := range weights[i] {
				left := max(0, o.line.tickCPU(s.from+j)-o.known(s.from+j))
				if sum := sums[s.from+j]; sum > 0 {
					weights[i][j] = max(weights[i][j]*left/sum, minWeight*s.parts[j])
				}
			}
			scaleTo(weights[i], s.ranS, s.parts)
		}
	}
	for i, s := range ready {
		for j, w := range weights[i] {
			o.put(s.from+j, s.row, w, false, s.onCPU)
		}
	}
}

const (
	fitSteps  = 4
	minWeight = 1e-9 // of the overlap: a weight of 0 could never grow again
)

// known is the running time of the program itself that has been placed in a tick so far, in s.
func (o *Occupancy) known(tick int) (sum float64) {
	if i := tick - o.base; i >= 0 && i < len(o.pending) {
		sum = -o.family[i]
		for _, e := range o.pending[i] {
			sum += e.Seconds
		}
	}
	return sum
}

// scaleTo scales the weights to a total, each up to its limit.
func scaleTo(weights []float64, total float64, limits []float64) {
	for range 3 {
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		if sum <= 0 {
			return
		}
		for i := range weights {
			weights[i] = min(weights[i]*total/sum, limits[i])
		}
	}
}
