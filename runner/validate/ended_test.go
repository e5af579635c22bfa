package validate

import (
	"errors"
	"testing"

	"spell-lsp/runner"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
)

// Why: whoever lost the link to a machine must not look for a fault of its counter, and the other way round.
func TestMeasurementThatEndedEarly(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  validation.Verdict
	}{
		{errors.New("lost the connection to lab"), validation.Ended},
		{errors.New("the tests of spell-lsp.invalid/workloads ended with exit status 2"), validation.Ended},
		{&runner.MeterError{Err: errors.New("frozen counter: cpu did not move for 300 ms while the program ran")}, validation.Frozen},
	} {
		run := &record.Run{Partial: true, Notes: []note.Note{note.EndedEarly(tt.cause.Error())}}
		if got, why := (&endedError{lastNotes(run)}).verdict(); got != tt.want || why == "" {
			t.Errorf("%v: %q, %s; want %q", tt.cause, got, why, tt.want)
		}
	}
}
