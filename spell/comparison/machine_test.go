package comparison_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/comparison"
)

// If HEAD was measured while the machine was slower than for BASE, the program must not
// be reported as costlier. The reference workload shows the slowdown: a change that the
// slowdown may explain is undecided, a much larger one is decided.
func TestSlowerMachine(t *testing.T) {
	for _, tt := range []struct {
		why         string
		base, head  float64 // joules of F
		before, now float64 // ms of the reference workload; 0 = not timed
		want        comparison.Verdict
	}{
		{"a fifth more on a machine that was a seventh slower", 9, 10.8, 0.5, 0.57, comparison.Undecided},
		{"half more on a machine that was a seventh slower", 6, 9, 0.5, 0.57, comparison.Worse},
		{"a fifth less on a machine that was a seventh faster", 10.8, 9, 0.57, 0.5, comparison.Undecided},
		{"a fifth less although the machine was slower", 10.8, 9, 0.5, 0.57, comparison.Better},
		{"as much although the machine was a fifth faster", 9, 9, 0.6, 0.48, comparison.Undecided},
		{"as much on the same machine", 9, 9, 0.5, 0.505, comparison.Unchanged},
		{"a fifth more on the same machine", 9, 10.8, 0.5, 0.505, comparison.Worse},
		{"a fifth more, and one run does not tell", 9, 10.8, 0, 0.57, comparison.Worse},
	} {
		t.Run(tt.why, func(t *testing.T) {
			base := recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, tt.base, 0.01)}, recordtest.Part{ID: "m.G", Joules: recordtest.Around(3, 10, 10, 0.01)})
			head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, tt.head, 0.01)}, recordtest.Part{ID: "m.G", Joules: recordtest.Around(4, 10, 10, 0.01)})
			if tt.before > 0 {
				base.ReferenceMS = recordtest.Around(5, 10, tt.before, 0.01)
			}
			head.ReferenceMS = recordtest.Around(6, 10, tt.now, 0.01)
			c := compared(t, base, head, comparison.Options{})
			got := find(t, c, "m.F").EnergyJ
			if got.Verdict != tt.want {
				t.Errorf("verdict %s (%s), want %s", got.Verdict, got.Reason, tt.want)
			}
			if undecided := got.Verdict == comparison.Undecided; undecided != strings.HasPrefix(got.Reason, "the machine may ") || undecided && !strings.Contains(got.Reason, ": the reference workload took ") {
				t.Errorf("the reason is %q", got.Reason)
			}
			warned := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, "The speed of the machine changed") })
			if notable := tt.before > 0 && math.Abs(tt.now/tt.before-1) > 0.05; warned != notable {
				t.Errorf("the warnings are %q", c.Warnings)
			}
		})
	}
}
