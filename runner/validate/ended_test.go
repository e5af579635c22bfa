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
		ended := (*endedError)(nil)
		if !errors.As(incomplete(run), &ended) {
			t.Fatalf("%v: the run is complete", tt.cause)
		}
		if got, why := ended.verdict(); got != tt.want || why == "" {
			t.Errorf("%v: %q, %s; want %q", tt.cause, got, why, tt.want)
		}
	}
}

// Why: a workload that fails in all rounds leaves a run that is complete, of which nothing can be compared.
func TestWorkloadThatFails(t *testing.T) {
	run := &record.Run{Tests: []record.Test{{Name: "workloads.TestAloneMemory", Outcome: record.Pass}}}
	if err := incomplete(run); err != nil {
		t.Errorf("all passed: %v", err)
	}
	run.Tests = append(run.Tests, record.Test{Name: "workloads.TestAloneSystem", Outcome: record.Crash, Output: "no /dev/null"})
	ended := (*endedError)(nil)
	if !errors.As(incomplete(run), &ended) || ended.cause != "no /dev/null" {
		t.Errorf("%v", ended)
	} else if got, why := ended.verdict(); got != validation.Ended || why != "A workload failed: workloads.TestAloneSystem (crash). Nothing is compared." {
		t.Errorf("verdict %q: %s", got, why)
	}
}
