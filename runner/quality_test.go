package runner

import (
	"slices"
	"testing"
	"time"

	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// If the meter was read unevenly, the quality of the run is degraded, with a warning.
func TestUnevenReadingsDegradeTheRun(t *testing.T) {
	for _, test := range []struct {
		gapMS    float64
		period   time.Duration
		degraded bool
	}{{1.1, time.Millisecond, false}, {5, time.Millisecond, false}, {10.1, time.Millisecond, true}, {17, 16 * time.Millisecond, false}, {40, 16 * time.Millisecond, true}} {
		gapMS, degraded := test.gapMS, test.degraded
		r := record.Meter{Notes: []note.Note{note.Text("of the meter")}}
		describe(&r, execution.Quality{GapP99MS: gapMS, UncertainMS: 0.05, SamplerLoad: 0.04}, test.period)
		if got := r.Quality == record.Degraded; got != degraded || got != slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Code == note.ReadUnevenlyCode }) {
			t.Errorf("gaps of %g ms: quality %q, notes %v", gapMS, r.Quality, r.Notes)
		}
		if r.GapP99MS != gapMS || r.TimingMS != 0.05 || r.SamplerCPU != 0.04 {
			t.Errorf("the record says %+v", r)
		}
	}
}
