package runner

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
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

// Why: whoever reads that a machine has counters of cores must learn that they were not believed, and of which one to be suspicious.
func TestNotesOfCountersOfCores(t *testing.T) {
	for _, tt := range []struct {
		why       string
		coreWatts float64
		want      note.Note
	}{
		{"a counter of a core", 4, note.CoresUsed(1, 1)},
		{"one that stands still", 0, note.CoreFrozen(3)},
		{"one that shows more than the package's", 20, note.CoresExceed(4, 2)},
	} {
		const ms = 1_000_000
		machine := attribution.Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 1, CoreCPUs: [][]int{{3}}}
		model, line := attribution.NewModel(machine, 1, true), attribution.NewTimeline(&machine)
		model.SetRest(attribution.Rest{IdleW: []float64{0}})
		o := attribution.NewOccupancy(line)
		for i := range 201 {
			at, seconds := int64(i)*ms, float64(i)/1e3
			line.Add(attribution.Reading{Number: uint64(i + 1), PublishedNS: at, UpdatedNS: at, CPUNS: at, BusyNS: at, Joules: []float64{10 * seconds}, CoreJ: []float64{tt.coreWatts * seconds}})
			o.Add(probe.Occupied{Row: 2, Tick: uint32(i + 1), RanNS: ms, OnCPU: 4})
		}
		model.Add(line, o.Settle(true))
		h := &sharing{powers: model.Powers(), ranNS: map[int]float64{0: 1}}
		if diff := cmp.Diff(tt.want, h.coresUsed(), cmpopts.EquateApprox(1e-6, 0)); diff != "" {
			t.Errorf("%s: note (-want +got):\n%s", tt.why, diff)
		}
	}
}
