package runner

import (
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

const millisecond = 1_000_000

// ticking is an occupancy over n ticks of a millisecond, in which the program had
// so many processors.
func ticking(processors ...float64) *occupancy {
	k := &timeline{first: 7, published: []int64{0}, updated: []int64{0}, cpu: []int64{0}, busy: []int64{0}, own: []int64{0}}
	for i, n := range processors {
		t := int64(i+1) * millisecond
		k.published, k.updated = append(k.published, t), append(k.updated, t)
		k.cpu = append(k.cpu, k.cpu[i]+int64(n*millisecond))
		k.busy, k.own = append(k.busy, 0), append(k.own, 0)
	}
	return &occupancy{m: &measurement{cores: 2}, line: k}
}

// ran is for how many ms a row ran in each tick from the second reading on.
func (o *occupancy) ran(row uint32) []float64 {
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

// Short times are of the tick that the program saw; the numbers of ticks are those
// of readings, of which the first was number 7.
func TestSumsAreOfTheirTick(t *testing.T) {
	o := ticking(1, 1)
	for _, r := range []probe.Occupied{{Row: 1, Tick: 8, RanNS: 3e5}, {Row: 1, Tick: 9, RanNS: 1e5}, {Row: 1, Tick: 9, RanNS: 2e5}, {Row: 2, Tick: 9, RanNS: 4e5}, {Row: 2, Tick: 3, RanNS: 4e5}} {
		o.add(r)
	}
	o.settle(false)
	expect(t, "row 1", o.ran(1), 0.3, 0.3)
	expect(t, "row 2", o.ran(2), 0, 0.4)
}

// A long time is cut where ticks end, and waits for their readings.
func TestSpansAreCut(t *testing.T) {
	o := ticking(1, 1, 1)
	o.add(probe.Occupied{Row: 1, Tick: 9, StartNS: millisecond / 2, EndNS: 2.25 * millisecond, RanNS: 1.75 * millisecond})
	o.add(probe.Occupied{Row: 2, Tick: 10, StartNS: 2.5 * millisecond, EndNS: 9 * millisecond, RanNS: 6.5 * millisecond})
	o.settle(false)
	expect(t, "row 1", o.ran(1), 0.5, 1, 0.25)
	expect(t, "row 2, which waits,", o.ran(2), 0, 0, 0)
	if len(o.early) != 1 {
		t.Errorf("%d records wait, want the one that ends later", len(o.early))
	}
}

// A thread that had the processor for a part of the time had it when the program
// as a whole did: the other thread's time is known.
func TestSpansOfThreadsThatLostTheProcessor(t *testing.T) {
	o := ticking(1, 2, 1, 2)
	o.add(probe.Occupied{Row: 1, Tick: 11, StartNS: 0, EndNS: 4 * millisecond, RanNS: 4 * millisecond})
	o.add(probe.Occupied{Row: 2, Tick: 11, StartNS: 0, EndNS: 4 * millisecond, RanNS: 2 * millisecond})
	o.settle(false)
	o.fit(len(o.line.published))
	expect(t, "the one that ran throughout", o.ran(1), 1, 1, 1, 1)
	expect(t, "the one that did not", o.ran(2), 0, 1, 0, 1)
}

// Where nothing tells when it ran, it ran evenly; and never for longer than was
// counted.
func TestSpansOfWhichNothingIsKnown(t *testing.T) {
	o := ticking(0, 0)
	o.add(probe.Occupied{Row: 1, Tick: 9, StartNS: 0, EndNS: 2 * millisecond, RanNS: millisecond})
	o.settle(false)
	o.fit(len(o.line.published))
	expect(t, "row 1", o.ran(1), 0.5, 0.5)
}

// The kernel counts other processes' time in hundredths of a second: on a busy
// machine they had what the program left over.
func TestOthersGetWhatIsLeft(t *testing.T) {
	k := &ticking(2, 1, 2, 1).line
	(*k).busy = []int64{0, 0, 0, 0, 8 * millisecond}
	got := (*k).others(0, 5, 2)
	for i, want := range []float64{0, 0, 1, 0, 1} {
		if math.Abs(got[i]*1e3-want) > 1e-6 {
			t.Fatalf("other processes had %v s, want 1 ms in the second and fourth tick", got)
		}
	}
}

// A counter that stands still while the program runs says nothing, also if another
// moves; one that does while nothing runs may be right.
func TestFrozen(t *testing.T) {
	for _, test := range []struct {
		name       string
		processors float64
		moves      [2]bool
		want       string
	}{
		{"moving", 1, [2]bool{true, true}, ""},
		{"frozen", 1, [2]bool{false, false}, "frozen counter: cpu did not move for 101 ms"},
		{"one of two is frozen", 1, [2]bool{false, true}, "frozen counter: cpu did not move for 101 ms"},
		{"the other is", 1, [2]bool{true, false}, "frozen counter: dram did not move for 101 ms"},
		{"frozen, but nothing runs", 0, [2]bool{false, false}, ""},
	} {
		list := make([]float64, 200)
		for i := range list {
			list[i] = test.processors
		}
		k := ticking(list...).line
		k.domains = len(test.moves)
		for i := range k.published {
			for _, moves := range test.moves {
				joules := 0.0
				if moves {
					joules = float64(i)
				}
				k.joules = append(k.joules, joules)
			}
		}
		m := &measurement{info: meter.Info{Counter: true, Resolution: time.Millisecond, Domains: []spell.Domain{spell.CPU, spell.DRAM}}}
		got := ""
		if err := m.frozen(k); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		name                  string
		sum                   float64
		lengths, limits, want []float64
	}{
		{"evenly", 2, []float64{1, 1, 2}, []float64{9, 9, 9}, []float64{0.5, 0.5, 1}},
		{"up to the limit", 2, []float64{1, 1, 1}, []float64{0.2, 9, 9}, []float64{0.2, 0.9, 0.9}},
		{"no more than there is room", 9, []float64{1, 1}, []float64{1, 2}, []float64{1, 2}},
		{"nothing", 0, []float64{1}, []float64{1}, []float64{0}},
	} {
		for i, got := range spread(test.sum, test.lengths, test.limits) {
			if math.Abs(got-test.want[i]) > 1e-9 {
				t.Errorf("%s: part %d is %g, want %v", test.name, i, got, test.want)
			}
		}
	}
}

// Where records were lost, what ran is not known, and those ticks tell nothing.
func TestTicksWithLostRecords(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.looked = 2
	o.lost(true)
	o.lost(false)
	for tick, want := range map[int]bool{1: true, 2: false, 4: false, 7: true} {
		if got := o.whole(tick); got != want {
			t.Errorf("tick %d is whole: %v", tick, got)
		}
	}
}

// Records of two processors for one row are one entry.
func TestMerged(t *testing.T) {
	got := merged([]power.Entry{{Row: 2, Seconds: 1}, {Row: 1, Seconds: 2}, {Row: 2, Seconds: 3}})
	if diff := cmp.Diff([]power.Entry{{Row: 1, Seconds: 2}, {Row: 2, Seconds: 4}}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// The CPU time of tasks is exact, and leaves one process out.
func TestTaskTimes(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if threadNS() == 0 {
		t.Skip("the CPU time of a thread is not known here")
	}
	before, without := othersNow(), othersNow(os.Getpid())
	n := 0
	for begun := threadNS(); threadNS()-begun < 200e6; n++ {
	}
	others := without.since(othersNow(os.Getpid())) // in an interval that lies within that of all
	own := before.since(othersNow())
	if own-others < 0.1 {
		t.Errorf("after %d turns all tasks ran for %g s more, those of others for %g s", n, own, others)
	}
}

// What ran in ticks that are gone is not given to those that are left.
func TestSpansOverWhatIsHandedOver(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.add(probe.Occupied{Row: 1, Tick: 11, StartNS: 0, EndNS: 4 * millisecond, RanNS: 2 * millisecond})
	o.settle(false)
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
