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
