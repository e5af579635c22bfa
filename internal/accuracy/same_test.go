package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// The p-values are exact; without ties they are those of the published tables: 2 of
// the 20 ways to choose 3 of 6 are as extreme as complete separation.
func TestMannWhitney(t *testing.T) {
	for _, tt := range []struct {
		why  string
		x, y []float64
		want float64
	}{
		{"separated", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1},
		{"one out of order", []float64{1, 2, 4}, []float64{3, 5, 6}, 0.2},
		{"separated, six each", []float64{1, 2, 3, 4, 5, 6}, []float64{17, 8, 9, 10, 11, 12}, 2. / 924},
		{"all the same", []float64{7, 7, 7}, []float64{7, 7, 7}, 1},
		{"ties", []float64{1, 1, 2}, []float64{2, 3, 3}, 0.2},
		{"sizes differ", []float64{1}, []float64{2, 3, 4}, 0.5},
	} {
		if got := mannWhitney(tt.x, tt.y); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: p is %g, want %g", tt.why, got, tt.want)
		}
		if got, mirrored := mannWhitney(tt.x, tt.y), mannWhitney(tt.y, tt.x); math.Abs(got-mirrored) > 1e-12 {
			t.Errorf("%s: p is %g, and %g with the samples exchanged", tt.why, got, mirrored)
		}
	}
}

// Components that differ between two measurements of a program, or are in another zone, are named.
func TestDifferencesOfAPair(t *testing.T) {
	run := func(zone spell.Zone, hot, cool []float64) *record.Run {
		energy := func(values []float64) map[spell.Domain][]float64 {
			return map[spell.Domain][]float64{spell.CPU: values}
		}
		return &record.Run{Components: []record.Component{{ID: "Hot", Zone: zone, RoundEnergyJ: energy(hot)}, {ID: "Cool", RoundEnergyJ: energy(cool)}}}
	}
	low, high := []float64{1, 2, 3, 4, 5, 6}, []float64{11, 12, 13, 14, 15, 16}
	s := &same{Pairs: 2}
	for i, other := range [][]float64{low, high} {
		if err := s.compare(i, run(spell.Red, low, low), run([]spell.Zone{spell.Yellow, spell.Red}[i], low, other)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(&same{Pairs: 2, Compared: 4, Different: []string{"pair 2: Cool"}, Zones: []string{"pair 1: Hot"}}, s); diff != "" {
		t.Error(diff)
	}
	if err := s.compare(0, run(spell.Red, low, low), run(spell.Red, low, nil)); err == nil {
		t.Error("a record without values of rounds is no error")
	}
}
