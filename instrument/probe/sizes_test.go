package probe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withSizes makes a file of a program with two components and two tests, whose second component notes
// sizes. Slots have beside the calls, as ns, words of sums.
func withSizes(t *testing.T, scale float64, slots map[slot][]uint64) *File {
	t.Helper()
	const log = "test 6 0 \"TestA\"\nstop 9 0\ntest 10 0 \"TestB\"\nstop 12 0\n"
	f := written(t, left{log: log, scale: scale})
	f.setup.Sized = []int{1}
	at := layout{2 + specials}.sizes()
	for s, sums := range slots {
		write(t, f, at+s.at*callWords*wordSize, words(uint64(s.caller)<<32|uint64(s.row), s.ns))
		write(t, f, at+(sizeSlots*callWords+s.at*sizeWords)*wordSize, words(sums...))
	}
	return f
}

// sizeKey is the lower half of a key.
func sizeKey(number, size, bucket uint32) uint32 { return number<<16 | size<<15 | bucket }

// The calls are known by test, row and size, in ns; the smallest sizes first.
func TestReadsSizes(t *testing.T) {
	f := withSizes(t, 0.5, map[slot][]uint64{
		{at: 9, caller: isRoot | 1, row: sizeKey(1, 0, 64), ns: 2}:              {2000, 1000, 64 + 71},
		{at: 1, caller: isRoot | 1, row: sizeKey(1, 0, 7), ns: 3}:               {100, 80, 21},
		{at: 2, caller: isRoot | 1, row: sizeKey(1, 1, 0), ns: 5}:               {2100, 1080, 0},
		{at: sizeSlots - 1, caller: isRoot | 2, row: sizeKey(1, 0, 271), ns: 1}: {8, 8, 1<<32 - 2},
	})
	log, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Sized{
		"TestA": {
			{Row: 2, Low: 7, High: 7, Mean: 7, N: 3, CumNS: 50, SelfNS: 40},
			{Row: 2, Low: 64, High: 71, Mean: 67.5, N: 2, CumNS: 1000, SelfNS: 500},
			{Row: 2, Size: 1, N: 5, CumNS: 1050, SelfNS: 540},
		},
		"TestB": {{Row: 2, Low: 15 << 28, High: 1<<32 - 1, Mean: 1<<32 - 2, N: 1, CumNS: 4, SelfNS: 4}},
	}
	if diff := cmp.Diff(want, log.Sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}

// What a program may have written is no call of a component or test that there is not, and none that took
// longer on its own than with callees, or has a size outside of its bucket.
func TestSizesOfADestroyedTable(t *testing.T) {
	log, err := withSizes(t, 1, map[slot][]uint64{
		{at: 1, caller: isRoot | 3, row: sizeKey(1, 0, 7), ns: 1}:            {1, 1, 7},
		{at: 2, caller: isRoot, row: sizeKey(1, 0, 7), ns: 1}:                {1, 1, 7},
		{at: 3, caller: 1, row: sizeKey(1, 0, 7), ns: 1}:                     {1, 1, 7},
		{at: 4, caller: isRoot | 1, row: sizeKey(0, 0, 7), ns: 1}:            {1, 1, 7},
		{at: 5, caller: isRoot | 1, row: sizeKey(2, 0, 7), ns: 1}:            {1, 1, 7},
		{at: 6, caller: isRoot | 1, row: sizeKey(1, 0, 7)}:                   {1, 1, 7},
		{at: 7, caller: isRoot | 1, row: sizeKey(1, 0, 8), ns: 1}:            {1, 2, 9},
		{at: 8, caller: isRoot | 2, row: sizeKey(1, 0, mostBucket+1), ns: 1}: {1, 1, 7},
	}).Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]Sized{"TestA": {{Row: 2, Low: 8, High: 8, Mean: 8, N: 1, CumNS: 1, SelfNS: 1}}}, log.Sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	for _, sums := range [][]uint64{{mostCounted + 1, 1, 7}, {1, mostCounted + 1, 7}} {
		if _, err := withSizes(t, 1, map[slot][]uint64{{at: 1, caller: isRoot | 1, row: sizeKey(1, 0, 7), ns: 1}: sums}).Read(); err == nil {
			t.Errorf("%v ns were read", sums)
		}
	}
}

// Between two moments of a program only the calls of that time count.
func TestSizesBetweenMoments(t *testing.T) {
	slots := func(n, cum, self, sum uint64) map[slot][]uint64 {
		return map[slot][]uint64{{at: 1, caller: isRoot | 1, row: sizeKey(1, 0, 64), ns: n}: {cum, self, sum}}
	}
	from, err := withSizes(t, 1, slots(2, 100, 50, 130)).Moment(1)
	if err != nil {
		t.Fatal(err)
	}
	f := withSizes(t, 1, slots(5, 400, 150, 330))
	to, err := f.Moment(9)
	if err != nil {
		t.Fatal(err)
	}
	log, err := f.ReadProgram("shop", from, to)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Sized{"shop": {{Row: 2, Low: 64, High: 71, Mean: 200. / 3, N: 3, CumNS: 300, SelfNS: 100}}}
	if diff := cmp.Diff(want, log.Sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}

// Buckets follow each other without a gap: single sizes, then eight in an octave.
func TestBuckets(t *testing.T) {
	next := uint64(0)
	for number := range uint32(mostBucket + 1) {
		low, high := bucket(number)
		if low != next || high < low || number >= exact && (high-low+1)*16 < low || number < exact && high > low {
			t.Errorf("bucket %d has the sizes from %d to %d, after %d", number, low, high, next)
		}
		next = high + 1
	}
	if next != 1<<32 {
		t.Errorf("buckets end at %d", next)
	}
}

// Functions that are worth it have sizes, calls that take long beside a probe, and a part of the program's
// time, and are not hot; the most time first.
func TestWorthSizing(t *testing.T) {
	const cost = 100 // ns a call
	counts := map[int]Count{
		0: {Timed: 1, CumNS: 1e9},
		1: {Timed: 100, CumNS: 100 * cost * worthSizing}, // long enough
		2: {Timed: 100, CumNS: 100*cost*worthSizing - 1}, // too short
		3: {Timed: 1, CumNS: 900_000},                    // much more
		4: {Timed: 1, CumNS: 900_000},                    // hot
		5: {Timed: 1, CumNS: 900_000},                    // without sizes
		6: {N: 10, CumNS: 900_000},                       // not timed
		7: {Timed: 1, CumNS: 9_999},                      // hardly any of the time
		8: {Timed: 1, CumNS: 900_000},                    // none of the components
	}
	log := Log{InnerNS: 40, OuterNS: 60, Hot: make([]Hot, 7), Windows: []Window{{Counts: counts}, {Counts: map[int]Count{3: {Timed: 1, CumNS: 1}}}}}
	log.Hot[3] = HotCalls
	n := []string{"n"}
	got := log.WorthSizing(1e6, [][]string{n, n, n, n, nil, n, n, n})
	if diff := cmp.Diff([]int{2, 0}, got); diff != "" {
		t.Errorf("worth it are (-want +got):\n%s", diff)
	}
}
