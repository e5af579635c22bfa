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
	pending [][]power.Entry // by tick, from base on
	base    int             // index of the reading that ends the first pending tick
	early   []probe.Occupied
	spans   []span // of which it is not known when they ran
	looked  int    // how many readings there were when records were taken last
	unknown [][2]int
	held    int // records, entries of pending ticks and parts of spans
}

// NewOccupancy is of the execution of a timeline, which may still grow.
func NewOccupancy(line *Timeline) *Occupancy { return &Occupancy{line: line} }

// A Tick is what ran between a reading and the one before it.
type Tick struct {
	reading int           // index of the one that ends it
	entries []power.Entry // of rows, each once
	othersS float64       // CPU time of other processes
}

// A span ran for less than its length: the processor was taken away in between.
type span struct {
	row   uint32
	ranS  float64
	from  int       // index of the first tick
	parts []float64 // of each tick from there on, s
}

// maxPending is how many ticks may wait, those of about 20 s; lateTicks of them go on
// waiting, for processors that have not written down what they did.
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

// room says whether n more records, entries of ticks or parts of spans may wait.
// There is room for many times what programs have; one that writes into its own
// rings can make more than there is memory. Without room no tick is whole.
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
// have become whole; with ended, all that are left.
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

// place puts a record into its ticks. It is false if it has to wait for readings.
func (o *Occupancy) place(r probe.Occupied, ended bool) bool {
	if r.EndNS == 0 {
		tick := int(int64(r.Tick) - int64(o.line.first))
		if tick >= len(o.line.published) && !ended {
			return false
		}
		o.put(tick, r.Row, r.RanNS/1e9)
		return true
	}
	if r.EndNS > o.line.LastNS() && !ended {
		return false
	}
	parts, from := o.overlaps(r.StartNS, r.EndNS)
	length := float64(r.EndNS-r.StartNS) / 1e9
	ran := min(r.RanNS/1e9, length)
	if len(parts) > 1 && ran < certainPart*length && length > certainLength {
		if o.room(len(parts)) {
			o.spans = append(o.spans, span{r.Row, ran, from, parts})
		}
		return true
	}
	for i, part := range parts {
		if length > 0 {
			o.put(from+i, r.Row, part*ran/length)
		}
	}
	return true
}

// A span that ran for that part of its length, or is so short, ran throughout.
const (
	certainPart   = 0.95
	certainLength = 200e-6
)

// overlaps is how much of each tick lies between two instants, in s, from the
// tick that ends with reading from on.
func (o *Occupancy) overlaps(start, end int64) (parts []float64, from int) {
	times := o.line.published
	from = max(1, sort.Search(len(times), func(i int) bool { return times[i] > start }))
	for i := from; i < len(times) && times[i-1] < end; i++ {
		parts = append(parts, float64(min(end, times[i])-max(start, times[i-1]))/1e9)
	}
	return parts, from
}

// put adds to a tick. What is too old or before the first reading is left out.
func (o *Occupancy) put(tick int, row uint32, seconds float64) {
	if tick < max(1, o.base) || !(seconds > 0) || tick >= len(o.line.published) || !o.room(1) {
		return
	}
	for tick-o.base >= len(o.pending) {
		o.pending = append(o.pending, nil)
	}
	list := o.pending[tick-o.base]
	o.pending[tick-o.base] = append(list, power.Entry{Row: row, Seconds: seconds})
}

// Lost says whether records were lost since the last call: what ran in the ticks
// since then, and those that wait, is not known whole.
func (o *Occupancy) Lost(some bool) {
	now := len(o.line.published)
	if some {
		o.unknown = append(o.unknown, [2]int{o.looked, now + 1})
	}
	o.looked = now
}

// whole says whether all is known that ran in a tick.
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

// hand returns those of the first n pending ticks that are known whole.
func (o *Occupancy) hand(n int) (whole []Tick) {
	o.fit(o.base + n)
	others := o.line.others(o.base, o.base+n)
	for i := range n {
		o.line.rest = append(o.line.rest, last(o.line.rest)+others[i]*1e9)
		var entries []power.Entry
		if i < len(o.pending) {
			entries = o.pending[i]
			o.held -= len(entries)
		}
		if tick := o.base + i; tick > 0 && o.whole(tick) {
			whole = append(whole, Tick{tick, merged(entries), others[i]})
		}
	}
	o.pending = slices.Delete(o.pending, 0, min(n, len(o.pending)))
	o.base += n
	return whole
}

// fit spreads the spans that end before a tick over theirs, so that what ran in a
// tick comes near to the CPU time that the program had in it: iterative
// proportional fitting (Deming and Stephan, 1940).
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
		clear(weights[i][:min(len(weights[i]), max(0, o.base-s.from))]) // these ticks have been handed over
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
					weights[i][j] = max(weights[i][j]*left/sum, nothing*s.parts[j])
				}
			}
			scaleTo(weights[i], s.ranS, s.parts)
		}
	}
	for i, s := range ready {
		for j, w := range weights[i] {
			o.put(s.from+j, s.row, w)
		}
	}
}

const (
	fitSteps = 4
	nothing  = 1e-9 // of a tick, where there seems to be no room for a span
)

// known is for how long rows ran in a tick of which that is known, in s.
func (o *Occupancy) known(tick int) (sum float64) {
	if i := tick - o.base; i >= 0 && i < len(o.pending) {
		for _, e := range o.pending[i] {
			sum += e.Seconds
		}
	}
	return sum
}

// scaleTo makes the weights add up to a sum, each at most its limit.
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
