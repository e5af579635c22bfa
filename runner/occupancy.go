package runner

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/power"
)

// An occupancy collects what ran in each tick of one execution, and hands whole
// ticks over to the model.
type occupancy struct {
	m       *measurement
	line    *timeline
	pending [][]power.Entry // by tick, from base on
	base    int             // index of the reading that ends the first pending tick
	early   []probe.Occupied
	spans   []span // of which it is not known when they ran
	looked  int    // how many readings there were when records were taken last
	unknown [][2]int
	held    int // records, entries of pending ticks and parts of spans
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

// add takes a record in. Ticks and readings may be seen in any order.
func (o *occupancy) add(r probe.Occupied) {
	if o.room(1) {
		o.early = append(o.early, r)
	}
}

// room says whether n more records, entries of ticks or parts of spans may wait.
// There is room for many times what programs have; one that writes into its own
// rings can make more than there is memory. Without room no tick is whole.
func (o *occupancy) room(n int) bool {
	const most = 1 << 23
	if o.held+n > most {
		o.unknown = append(o.unknown[:0], [2]int{0, math.MaxInt})
		return false
	}
	o.held += n
	return true
}

// settle places the records whose readings have been taken, and hands over the
// ticks that are whole.
func (o *occupancy) settle(ended bool) {
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
	if ready > 0 {
		o.hand(ready)
	}
}

// place puts a record into its ticks. It is false if it has to wait for readings.
func (o *occupancy) place(r probe.Occupied, ended bool) bool {
	if r.EndNS == 0 {
		tick := int(int64(r.Tick) - int64(o.line.first))
		if tick >= len(o.line.published) && !ended {
			return false
		}
		o.put(tick, r.Row, r.RanNS/1e9)
		return true
	}
	if r.EndNS > o.line.last() && !ended {
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
func (o *occupancy) overlaps(start, end int64) (parts []float64, from int) {
	times := o.line.published
	from = max(1, sort.Search(len(times), func(i int) bool { return times[i] > start }))
	for i := from; i < len(times) && times[i-1] < end; i++ {
		parts = append(parts, float64(min(end, times[i])-max(start, times[i-1]))/1e9)
	}
	return parts, from
}

// put adds to a tick. What is too old or before the first reading is left out.
func (o *occupancy) put(tick int, row uint32, seconds float64) {
	if tick < max(1, o.base) || !(seconds > 0) || tick >= len(o.line.published) || !o.room(1) {
		return
	}
	for tick-o.base >= len(o.pending) {
		o.pending = append(o.pending, nil)
	}
	list := o.pending[tick-o.base]
	o.pending[tick-o.base] = append(list, power.Entry{Row: row, Seconds: seconds})
}

// lost says whether records were lost since the last call: what ran in the ticks
// since then, and those that wait, is not known whole.
func (o *occupancy) lost(some bool) {
	now := len(o.line.published)
	if some {
		o.unknown = append(o.unknown, [2]int{o.looked, now + 1})
	}
	o.looked = now
}

// whole says whether all is known that ran in a tick.
func (o *occupancy) whole(tick int) bool {
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

// hand gives the first n ticks to the model.
func (o *occupancy) hand(n int) {
	o.fit(o.base + n)
	others := o.line.others(o.base, o.base+n, o.m.cores)
	for i := range n {
		o.line.rest = append(o.line.rest, last(o.line.rest)+others[i]*1e9)
		var entries []power.Entry
		if i < len(o.pending) {
			entries = o.pending[i]
			o.held -= len(entries)
		}
		if tick := o.base + i; tick > 0 && o.whole(tick) {
			o.m.addTick(o.line, tick, merged(entries), others[i])
		}
	}
	o.pending = slices.Delete(o.pending, 0, min(n, len(o.pending)))
	o.base += n
}

// fit spreads the spans that end before a tick over theirs, so that what ran in a
// tick comes near to the CPU time that the program had in it: iterative
// proportional fitting (Deming and Stephan, 1940).
func (o *occupancy) fit(before int) {
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
func (o *occupancy) known(tick int) (sum float64) {
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

// tickCPU is the program's CPU time in the tick that ends with a reading, in s.
func (k *timeline) tickCPU(tick int) float64 { return float64(k.cpu[tick]-k.cpu[tick-1]) / 1e9 }

// othersWindow is over how long the time of other processes is known: the kernel
// says it in hundredths of a second.
const othersWindow = 250_000_000

// childrenS is the CPU time of the program's descendants between two readings, in s.
func (k *timeline) childrenS(a, b int) float64 {
	return (k.family.at(k.published[b]) - k.family.at(k.published[a])) / 1e9
}

// room is what the program and the sampler left of the processors' time in the tick that
// ends with a reading, in s.
func (k *timeline) room(tick, cores int) float64 {
	length := float64(k.published[tick]-k.published[tick-1]) / 1e9
	return max(0, float64(cores)*length-k.tickCPU(tick)-float64(k.own[tick]-k.own[tick-1])/1e9)
}

// others is the CPU time of other processes in the ticks from and before to, in s.
// Within a window it is spread evenly, as far as the program, its descendants and the sampler left
// room for it: on a busy machine others had what was left.
func (k *timeline) others(from, to, cores int) []float64 {
	list := make([]float64, to-from)
	for start := max(1, from); start < to; {
		end := k.windowEnd(start, to)
		others := max(0, float64(k.busy[end]-k.busy[start-1])/1e9-k.used(start-1, end))
		free, lengths := make([]float64, end-start+1), make([]float64, end-start+1)
		for i := range free {
			tick := start + i
			lengths[i] = float64(k.published[tick]-k.published[tick-1]) / 1e9
			free[i] = max(0, float64(cores)*lengths[i]-k.used(tick-1, tick))
		}
		copy(list[start-from:], spread(others, lengths, free))
		start = end + 1
	}
	return list
}

// spread divides a sum by the lengths, but gives none more than its limit, as long
// as there is room.
func spread(sum float64, lengths, limits []float64) []float64 {
	parts := make([]float64, len(lengths))
	for range spreadSteps {
		var open float64 // the length of those that can have more
		for i, limit := range limits {
			if parts[i] < limit {
				open += lengths[i]
			}
		}
		left := sum
		for _, p := range parts {
			left -= p
		}
		if open <= 0 || left <= 1e-9*sum {
			break
		}
		for i, limit := range limits {
			if parts[i] < limit {
				parts[i] = min(limit, parts[i]+left*lengths[i]/open)
			}
		}
	}
	return parts
}

const spreadSteps = 10

// windowEnd is the last tick of the window that starts with one: the last of all
// where what is left would be too short for another.
func (k *timeline) windowEnd(start, to int) int {
	end := start
	for end < to-1 && k.published[end]-k.published[start-1] < othersWindow {
		end++
	}
	if k.published[to-1]-k.published[end] < othersWindow {
		return to - 1
	}
	return end
}

// used is the CPU time of the program, its descendants and the sampler between two
// readings, in s.
func (k *timeline) used(a, b int) float64 {
	return float64(k.cpu[b]-k.cpu[a]+k.own[b]-k.own[a])/1e9 + k.childrenS(a, b)
}
