package main

import (
	"errors"
	"testing"
)

// A measurement with steal time is repeated, and the repetition with the least steal
// time is kept; an error ends the repetitions.
func TestLeastStolen(t *testing.T) {
	for _, test := range []struct {
		name        string
		parts       []float64
		kept, again int
	}{
		{"undisturbed", []float64{0}, 0, 0},
		{"hardly disturbed", []float64{most}, 0, 0},
		{"once", []float64{0.5, 0.001}, 1, 1},
		{"always", []float64{0.5, 0.3, 0.4, 0.6}, 1, 3},
	} {
		n := -1
		kept, again, err := leastStolen(func() (int, float64, error) { n++; return n, test.parts[n], nil })
		if err != nil || kept != test.kept || again != test.again {
			t.Errorf("%s: kept %d, %d thrown away, %v; want %d and %d", test.name, kept, again, err, test.kept, test.again)
		}
	}
	if _, _, err := leastStolen(func() (int, float64, error) { return 0, 0, errDone }); !errors.Is(err, errDone) {
		t.Errorf("error %v, want %v", err, errDone)
	}
}

// Steal time is never negative, and never more than the processors' time.
func TestStolenTimeIsRead(t *testing.T) {
	s := begin()
	if part := s.part(); part < 0 || stolen() < 0 {
		t.Errorf("part %g of the time, %v in all", part, stolen())
	}
}
