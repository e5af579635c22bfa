package record_test

import (
	"slices"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Why: a function that ran for 6.3 ms in each of ten rounds has 15 samples, one every 4 ms, and its
// time differs by half from run to run.
func TestTooShort(t *testing.T) {
	run := func(change func(r *record.Run)) []bool {
		r := &record.Run{
			Mode: "instrument", Rounds: 10, Tests: []record.Test{{}, {Repeats: 2}}, Components: make([]record.Component, 4),
			Matrix: record.MatrixOf([]spell.Domain{spell.CPU},
				record.Cell{T: 0, C: 0, TimeMS: 6.3}, record.Cell{T: 0, C: 1, TimeMS: 6.4},
				record.Cell{T: 1, C: 2, TimeMS: 3.2}),
		}
		change(r)
		return r.TooShort()
	}
	for _, test := range []struct {
		name   string
		change func(r *record.Run)
		want   []bool
	}{
		{"probes", func(*record.Run) {}, []bool{true, false, false, true}},
		{"samples every 2 ms", func(r *record.Run) { r.Mode, r.PeriodMS = "sample", 2 }, []bool{false, false, false, true}},
		{"in two tests", func(r *record.Run) { r.Matrix.Add(record.Cell{T: 1, C: 0, TimeMS: 0.1}) }, []bool{false, false, false, true}},
		{"the values of a file", func(r *record.Run) { r.Meter.Name = "matrix" }, []bool{false, false, false, false}},
	} {
		if got := run(test.change); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
