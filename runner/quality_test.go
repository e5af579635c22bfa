package runner

import (
	"slices"
	"testing"

	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// If the meter was read unevenly, the quality of the run is degraded, with a warning.
func TestUnevenReadingsDegradeTheRun(t *testing.T) {
	for gapMS, degraded := range map[float64]bool{1.1: false, 5: false, 10.1: true} {
		r := record.Meter{Notes: []note.Note{note.Text("of the meter")}}
		describe(&r, execution.Quality{GapP99MS: gapMS, UncertainMS: 0.05, SamplerLoad: 0.04})
		if got := r.Quality == record.Degraded; got != degraded || got != slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Code == note.ReadUnevenlyCode }) {
			t.Errorf("gaps of %g ms: quality %q, notes %v", gapMS, r.Quality, r.Notes)
		}
		if r.GapP99MS != gapMS || r.TimingMS != 0.05 || r.SamplerCPU != 0.04 {
			t.Errorf("the record says %+v", r)
		}
	}
}
