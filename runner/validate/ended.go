package validate

import (
	"errors"
	"strings"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
	"spell-lsp/spell/wording"
)

// An endedError says that a measurement ended before its last round, though a round was complete.
type endedError struct{ cause string } // as the notes of the run say it, in lines

func (e *endedError) Error() string { return "a measurement ended early: " + e.cause }

// lastNotes are the notes of a run that ended early: the cause is among them.
func lastNotes(run *record.Run) string { return strings.Join(wording.Texts(run.Notes), "\n") }

// verdict tells a failed counter from a workload or a link that failed. A partial run has its cause in words
// only; those of a meter's error begin as every one of them does.
func (e *endedError) verdict() (validation.Verdict, string) {
	if strings.Contains(e.cause, (&runner.MeterError{Err: errors.New("")}).Error()) {
		return validation.Frozen, "The counter stood still or could not be read before a measurement had all its rounds."
	}
	return validation.Ended, "A measurement ended before its last round, though the counter could be read: a workload failed, or the link to the machine was lost. Nothing is compared; try again."
}
