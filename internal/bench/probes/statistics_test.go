package main

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Why: one disturbed run must not move a result.
func TestMeansAndRatios(t *testing.T) {
	if got := geometricMean([]float64{2, 0.5, 8}); math.Abs(got-2) > 1e-12 {
		t.Errorf("geometric mean is %g, want 2", got)
	}
	c := comparison{cpu: [kinds][]time.Duration{asIs: {10, 20, 10}, withProbes: {12, 12, 30}}}
	if got, want := c.ratios(withProbes), (spread{1.2, 0.6, 3}); got != want {
		t.Errorf("ratios are %v, want %v", got, want)
	}
}

// Why: a program's values are mixed with lines of package testing.
func TestValuesAreReadFromLines(t *testing.T) {
	got := values("\x16=== RUN   TestCost\ntimed 1.5\n(*Box).Pointer 7\n--- PASS: TestCost (0.00s)\nPASS\nsum x\n")
	if diff := cmp.Diff(map[string]float64{"timed": 1.5, "(*Box).Pointer": 7}, got); diff != "" {
		t.Error(diff)
	}
}
