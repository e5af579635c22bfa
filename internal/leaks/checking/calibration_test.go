package checking

import (
	"testing"

	"spell-lsp/internal/leaks/seeding"
)

// The strength is raised and lowered in proportion to what the leak costs, until it costs
// about 18 %.
func TestAdjust(t *testing.T) {
	kind := seeding.Kind{Max: 1000}
	for _, c := range []struct {
		name     string
		strength int
		cost     float64
		same     bool
		next     int
		reason   Reason
	}{
		{"accepted", 7, 0.15, true, 7, ""},
		{"half of what is wanted", 10, 0.09, true, 20, ""},
		{"twice what is wanted", 10, 0.36, true, 5, ""},
		{"nothing, but for noise", 10, -0.01, true, 200, ""},
		{"at most the greatest", 400, 0.001, true, 1000, ""},
		{"too little at the greatest", 1000, 0.05, true, 0, TooCheap},
		{"just enough at the greatest", 1000, 0.11, true, 1000, ""},
		{"too much at the least", 1, 0.5, true, 0, TooDear},
		{"just enough at the least", 1, 0.27, true, 1, ""},
		{"a step is too small", 3, 0.12, true, 4, ""},
		{"the steps are too coarse", 2, 0.26, true, 1, ""},
		{"other outcome", 100, 0, false, 5, ""},
		{"other outcome at the least", 1, 0, false, 0, Fails},
	} {
		next, reason := adjust(kind, c.strength, c.cost, c.same)
		if next != c.next || reason != c.reason {
			t.Errorf("%s: %d, %q, want %d, %q", c.name, next, reason, c.next, c.reason)
		}
	}
}
