package runner

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Why: a psys that nothing is connected to shows 0 J for ever, and would look measured; one that moves once a second is none of
// these. What could not be read in one round is the mean of the others, and said once.
func TestCountersBesideTheDomains(t *testing.T) {
	missing := math.NaN()
	for _, tt := range []struct {
		why      string
		domain   float64
		rounds   [][]float64 // psys of two tests, by round
		names    []string
		separate []map[string]float64
		notes    []note.Note
	}{
		{
			"a counter that moves", 1, [][]float64{{4, 8}, {6, 10}}, []string{"psys"},
			[]map[string]float64{{"psys": 5}, {"psys": 9}}, nil,
		},
		{
			"one that moves once a second", 1, [][]float64{{0, 0}, {0, 10}}, []string{"psys"},
			[]map[string]float64{{"psys": 0}, {"psys": 5}}, nil,
		},
		{"one that nothing is connected to", 1, [][]float64{{0, 0}, {0, 0}}, nil, []map[string]float64{nil, nil}, []note.Note{note.SeparateFrozen("psys")}},
		{
			"one that did not move as nothing else did", 0, [][]float64{{0, 0}, {0, 0}}, []string{"psys"},
			[]map[string]float64{{"psys": 0}, {"psys": 0}}, nil,
		},
		{
			"one that could not be read in one round", 1, [][]float64{{4, missing}, {6, 10}}, []string{"psys"},
			[]map[string]float64{{"psys": 5}, {"psys": 10}}, []note.Note{note.SeparateMissed("psys", 1, 2)},
		},
		{
			"one that could not be read in any", 1, [][]float64{{missing, missing}, {missing, missing}}, []string{"psys"},
			[]map[string]float64{nil, nil}, []note.Note{note.SeparateMissed("psys", 2, 2)},
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			f := &findings{}
			for _, joules := range tt.rounds {
				var tests []sharedTest
				for i, name := range []string{"A", "B"} {
					tests = append(tests, sharedTest{observation: &observation{pkg: "p", name: name, joules: []float64{tt.domain}, separate: []float64{joules[i]}}})
				}
				f.rounds = append(f.rounds, tests)
			}
			f.tests = average(f.rounds)
			r := &record.Run{Tests: make([]record.Test, 2)}
			f.addSeparate(r, []string{"psys"})
			if diff := cmp.Diff(tt.names, r.Meter.Separate); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.separate, []map[string]float64{r.Tests[0].SeparateJ, r.Tests[1].SeparateJ}); diff != "" {
				t.Errorf("joules by test (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, r.Meter.Notes); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
