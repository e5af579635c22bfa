package attribution

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTimelineIsInterpolated(t *testing.T) {
	times := []int64{100, 200, 400}
	k := Timeline{published: times, updated: times, cpu: []int64{0, 50, 150}, own: []int64{0, 1, 2}, joules: []float64{1, 10, 2, 30, 4, 30}, domains: 2}
	for at, want := range map[int64][]float64{
		0: {0, 1, 10}, 100: {0, 1, 10}, 150: {25, 1.5, 20}, 200: {50, 2, 30}, 300: {100, 3, 30}, 400: {150, 4, 30}, 999: {150, 4, 30},
	} {
		m := k.at(at)
		if diff := cmp.Diff(want, append([]float64{m.cpu}, m.joules...)); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", at, diff)
		}
	}
	if m := (&Timeline{domains: 1}).at(5); m.cpu != 0 || m.joules[0] != 0 {
		t.Errorf("a timeline without readings has %g ns and %g J, want 0", m.cpu, m.joules[0])
	}
}
