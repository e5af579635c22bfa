package attribution

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
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

// Why: where a counter beside the domains could not be read, it may have lost energy. A window that reaches into that time has none
// of it, and must not show what is left; windows before and after it, the other counters, and the domains are as they were.
func TestWindowsOfACounterThatWasNotRead(t *testing.T) {
	m := &Machine{Domains: []spell.Domain{spell.CPU}, Separate: []string{"psys", "package-1"}}
	k := NewTimeline(m)
	missing := math.NaN()
	for i, psys := range []float64{0, 10, 20, missing, 40, 50, 60} {
		at := int64(i) * 100
		k.Add(Reading{Number: uint64(i + 1), PublishedNS: at, UpdatedNS: at, Joules: []float64{float64(i)}, Separate: []float64{psys, 2 * float64(i)}})
	}
	for _, tt := range []struct {
		why      string
		from, to int64
		psys     float64
	}{
		{"before it", 0, 150, 15},
		{"up to a moment in it", 50, 250, missing},
		{"across it", 100, 500, missing},
		{"from a moment after the reading that failed", 350, 500, missing},
		{"after it", 400, 550, 15},
	} {
		v := k.Interval(m, probe.Window{Start: tt.from, End: tt.to}, ProbeCost{})
		length := float64(tt.to-tt.from) / 100
		if diff := cmp.Diff([]float64{length, tt.psys, 2 * length}, append(v.Joules, v.Separate...), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s: joules of cpu, psys and package-1 (-want +got):\n%s", tt.why, diff)
		}
	}
}
