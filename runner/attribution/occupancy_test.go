package attribution

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/power"
)

const ms = 1e6 // in ns

// ticking returns an occupancy over ticks of a millisecond. processors is the number of
// processors that the program used, by tick.
func ticking(processors ...float64) *Occupancy {
	k := &Timeline{first: 7, published: []int64{0}, updated: []int64{0}, cpu: []int64{0}, busy: []int64{0}, own: []int64{0}}
	for i, n := range processors {
		t := int64(i+1) * ms
		k.published, k.updated = append(k.published, t), append(k.updated, t)
		k.cpu = append(k.cpu, k.cpu[i]+int64(n*ms))
		k.busy, k.own = append(k.busy, 0), append(k.own, 0)
	}
	k.cores = 2
	return NewOccupancy(k)
}

// ran returns the running time of a row by tick, in ms.
func (o *Occupancy) ran(row uint32) []float64 {
	list := make([]float64, len(o.line.published)-1)
	for i := range o.pending {
		for _, e := range o.pending[i] {
			if e.Row == row && i > 0 {
				list[i-1] += math.Round(e.Seconds*1e6) / 1e3
			}
		}
	}
	return list
}

func expect(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.002 {
			t.Errorf("%s ran %v ms in the ticks, want %v", what, got, want)
			return
		}
	}
}

// A record without start and end belongs to the tick that it names. A tick has the number of the
// reading that ends it; the first reading is number 7.
func TestRecordsWithoutTimesBelongToTheirTick(t *testing.T) {
	o := ticking(1, 1)
	for _, r := range []probe.Occupied{{Row: 1, Tick: 8, RanNS: 3e5}, {Row: 1, Tick: 9, RanNS: 1e5}, {Row: 1, Tick: 9, RanNS: 2e5}, {Row: 2, Tick: 9, RanNS: 4e5}, {Row: 2, Tick: 3, RanNS: 4e5}} {
		o.Add(r)
	}
	o.Settle(false)
	expect(t, "row 1", o.ran(1), 0.3, 0.3)
	expect(t, "row 2", o.ran(2), 0, 0.4)
}

// A record with start and end is split where ticks end. It waits until all readings of these ticks
// have been taken.
func TestSpansAreSplitAtTicks(t *testing.T) {
	o := ticking(1, 1, 1)
	o.Add(probe.Occupied{Row: 1, Tick: 9, StartNS: ms / 2, EndNS: 2.25 * ms, RanNS: 1.75 * ms})
	o.Add(probe.Occupied{Row: 2, Tick: 10, StartNS: 2.5 * ms, EndNS: 9 * ms, RanNS: 6.5 * ms})
	o.Settle(false)
	expect(t, "row 1", o.ran(1), 0.5, 1, 0.25)
	expect(t, "row 2, which waits,", o.ran(2), 0, 0, 0)
	if len(o.early) != 1 {
		t.Errorf("%d records wait, want only the one of row 2", len(o.early))
	}
}

// One thread runs all the time, the other is preempted. The time of the preempted thread belongs to
// the ticks in which the program used two processors.
func TestSpansOfPreemptedThreads(t *testing.T) {
	o := ticking(1, 2, 1, 2)
	o.Add(probe.Occupied{Row: 1, Tick: 11, StartNS: 0, EndNS: 4 * ms, RanNS: 4 * ms})
	o.Add(probe.Occupied{Row: 2, Tick: 11, StartNS: 0, EndNS: 4 * ms, RanNS: 2 * ms})
	o.Settle(false)
	o.fit(len(o.line.published))
	expect(t, "the thread that was not preempted", o.ran(1), 1, 1, 1, 1)
	expect(t, "the preempted thread", o.ran(2), 0, 1, 0, 1)
}

// If no reading shows when a preempted thread ran, its time is spread evenly over its ticks.
func TestPreemptedTimeIsSpreadEvenly(t *testing.T) {
	o := ticking(0, 0)
	o.Add(probe.Occupied{Row: 1, Tick: 9, StartNS: 0, EndNS: 2 * ms, RanNS: ms})
	o.Settle(false)
	o.fit(len(o.line.published))
	expect(t, "row 1", o.ran(1), 0.5, 0.5)
}

// Ticks in which records were lost are not used.
func TestTicksWithLostRecords(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.looked = 2
	o.Lost(true)
	o.Lost(true)
	if len(o.unknown) != 1 {
		t.Errorf("adjacent ranges are kept apart: %v", o.unknown)
	}
	o.Lost(false)
	for tick, want := range map[int]bool{1: true, 2: false, 4: false, 7: true} {
		if got := o.whole(tick); got != want {
			t.Errorf("tick %d counts as whole: %t", tick, got)
		}
	}
}

// Records of one row on two processors become one entry.
func TestMerged(t *testing.T) {
	got := merged([]power.Entry{{Row: 2, Seconds: 1}, {Row: 1, Seconds: 2}, {Row: 2, Seconds: 3}})
	if diff := cmp.Diff([]power.Entry{{Row: 1, Seconds: 2}, {Row: 2, Seconds: 4}}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// The time of a span in ticks that were already returned is not moved to its remaining ticks.
func TestSpansThatBeganInReturnedTicks(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.Add(probe.Occupied{Row: 1, Tick: 11, StartNS: 0, EndNS: 4 * ms, RanNS: 2 * ms})
	o.Settle(false)
	o.base = 3
	o.fit(len(o.line.published))
	for _, entries := range o.pending {
		for _, e := range entries {
			if math.IsNaN(e.Seconds) || e.Seconds > 1e-3 {
				t.Errorf("row %d ran for %v s in a tick of a millisecond", e.Row, e.Seconds)
			}
		}
	}
}

// A program that writes records faster than they are placed must not fill the memory: records
// above a limit are left out, and no tick is used then.
func TestWaitingRecordsAreLimited(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.held = 1<<23 - 2
	later := probe.Occupied{Row: 1, Tick: 1000, RanNS: 1} // its reading has not been taken
	for range 5 {
		o.Add(later)
	}
	o.Settle(false)
	if len(o.early) != 2 || o.held != 1<<23 {
		t.Errorf("%d records wait and %d are held, want 2 and the limit", len(o.early), o.held)
	}
	if o.whole(1) || o.whole(1000) {
		t.Error("ticks count as whole although records were left out")
	}
}

// Records that were placed do not count towards the limit.
func TestPlacedRecordsAreNotHeld(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	for i := range 100 {
		o.Add(probe.Occupied{Row: uint32(i % 3), Tick: uint32(1 + i%3), RanNS: 10})
		o.Add(probe.Occupied{Row: 1, StartNS: 1_500_000, EndNS: 3_500_000, RanNS: 100})
	}
	o.Settle(true)
	if o.held != 0 {
		t.Errorf("%d records are held after the end, want 0", o.held)
	}
}

// A child process with probes runs in the first tick for longer than the program used the
// processor: the record stays whole, as the limit is that of the program alone. What the program
// itself ran in several ticks is fitted to the program's CPU time, which the child has no part in.
func TestRecordsOfChildProcesses(t *testing.T) {
	o := ticking(0, 1)
	o.Add(probe.Occupied{Row: 1, RanNS: 1.9e6, StartNS: 0, EndNS: 2e6, OfChild: true})
	o.Add(probe.Occupied{Row: 2, RanNS: 1e6, StartNS: 0, EndNS: 2e6})
	o.Settle(false)
	o.fit(3)
	expect(t, "the child's row", o.ran(1), 0.95, 0.95)
	expect(t, "the program's row", o.ran(2), 0, 1)
	if ticks := o.hand(3); math.Abs(ticks[0].familyS-0.95e-3)+math.Abs(ticks[1].familyS-0.95e-3) > 1e-9 {
		t.Errorf("of the ticks, %v and %v s were of child processes, want 0.95 ms each", ticks[0].familyS, ticks[1].familyS)
	}
}

// Descendants used 6 ms in 4 ticks, evenly by the polls, but one with probes ran for 1 ms in the second tick and
// for 2 ms in the third. The other 3 ms are spread over the window, to where the two processors
// had room. In a time without records the polls stand as they are.
func TestTimeOfChildrenBeyondThatOfTheirProbes(t *testing.T) {
	k := ticking(0, 0, 1, 0).line
	k.family.add(0, 0, 0)
	k.family.add(4*ms, 6*ms, 0)
	got := k.unmeasured(1, []float64{0, 1e-3, 2e-3, 0})
	var sum float64
	for _, s := range got {
		sum += s
	}
	near(t, "their time", sum, 3e-3, 1e-9)
	if got[2] != 0 || got[0] != got[1] || got[1] != got[3] {
		t.Errorf("it is %v, want nothing in the third tick, which is full, and equal parts elsewhere", got)
	}
	near(t, "their time in a tick without records", k.unmeasured(1, make([]float64, 4))[2], 1.5e-3, 1e-9)
}
