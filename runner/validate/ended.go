package validate

import (
	"errors"
	"fmt"
	"strings"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
	"spell-lsp/spell/wording"
)

// An endedError says that a measurement ended before its last round, or that a workload failed, though a round was complete.
type endedError struct {
	cause    string // as the notes of the run say it, or what the workload printed, in lines
	workload string // the test that failed, "" if none did
}

func (e *endedError) Error() string { return "a measurement ended early: " + e.cause }

// incomplete says why a run cannot be compared; nil if all workloads passed in all its rounds.
func incomplete(run *record.Run) error {
	if run.Partial {
		return &endedError{cause: lastNotes(run)}
	}
	for _, t := range run.Tests {
		if t.Outcome != record.Pass {
			return &endedError{cause: t.Output, workload: fmt.Sprintf("%s (%s)", t.Name, t.Outcome)}
		}
	}
	return nil
}

// lastNotes are the notes of a run that ended early: the cause is among them.
func lastNotes(run *record.Run) string { return strings.Join(wording.Texts(run.Notes), "\n") }

// verdict tells a failed counter from a workload or a link that failed. A partial run has its cause in words
// only; those of a meter's error begin as every one of them does.
func (e *endedError) verdict() (validation.Verdict, string) {
	if e.workload != "" {
		return validation.Ended, "A workload failed: " + e.workload + ". Nothing is compared."
	}
	if strings.Contains(e.cause, (&runner.MeterError{Err: errors.New("")}).Error()) {
		return validation.Frozen, "The counter stood still or could not be read before a measurement had all its rounds."
	}
	return validation.Ended, "A measurement ended before its last round, though the counter could be read: a program ended before it was done, or the link to the machine was lost. Nothing is compared; try again."
}
