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
		w.addLost(lost)
	}
	if w.lost != 3 {
		t.Errorf("%d lost records are known, want 3", w.lost)
	}
}
