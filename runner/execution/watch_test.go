package execution

import (
	"testing"

	"spell-lsp/runner/attribution"
)

// A damaged file says that nothing was lost. Losses that it had reported before are kept, or
// the run would not say that it is incomplete.
func TestLossesAreKept(t *testing.T) {
	w := watch{occupancy: attribution.NewOccupancy(new(attribution.Timeline))}
	for _, lost := range []uint64{2, 3, 0} {
		w.addLost(lost, lost == 0)
	}
	if w.lost != 3 {
		t.Errorf("%d lost records are known, want 3", w.lost)
	}
}

// Once the file was found damaged no records come any more. The power of functions must not be
// learnt from the ticks after that, in which nothing seems to run.
func TestTicksOfDamagedFiles(t *testing.T) {
	for damaged, want := range map[bool]int{false: 2, true: 0} {
		line := attribution.NewTimeline(&attribution.Machine{Cores: 1})
		w := watch{line: line, occupancy: attribution.NewOccupancy(line)}
		for i := range 3 {
			w.line.Add(attribution.Reading{Number: uint64(i), PublishedNS: int64(i) * 1e6, UpdatedNS: int64(i) * 1e6})
			w.addLost(0, damaged)
		}
		if whole := w.occupancy.Settle(true); len(whole) != want {
			t.Errorf("damaged: %t: %d ticks count as whole, want %d", damaged, len(whole), want)
		}
	}
}

// Why: where spell-lsp was held up when the program ended, the readings were there, and it blamed the
// meter all the same.
func TestReadingsThatWereThereAreTaken(t *testing.T) {
	const now = 5e9
	for _, test := range []struct {
		name    string
		heldUp  int64 // ns
		over    bool  // the meter has ended
		reaches int   // the call of take that finds a reading of now; 0 for none
		takes   int
	}{
		{"at once", 0, false, 1, 1},
		{"the third time", 0, false, 3, 3},
		{"held up, and the reading is there", 2 * maxGapNS, false, 1, 1},
		{"held up, and there is none", 2 * maxGapNS, false, 0, 1},
		{"the meter has ended, and the reading is there", 0, true, 1, 1},
		{"the meter has ended, and there is none", 0, true, 0, 1},
	} {
		takes, last := 0, int64(now-1)
		readUntil(now, func() int64 { return now + test.heldUp }, func() int64 { return last }, func() bool { return test.over }, func() {
			if takes++; takes == test.reaches {
				last = now
			}
		})
		if takes != test.takes {
			t.Errorf("%s: readings were taken %d times, want %d", test.name, takes, test.takes)
		}
	}
}
