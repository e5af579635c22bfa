package main

import (
	"fmt"
	"testing"

	"spell-lsp/spell/validation"
)

// Why: a script decides by the exit code whether joules of a machine can be relied on, are wrong, or are
// not known.
func TestExitCodesOfValidation(t *testing.T) {
	for verdict, want := range map[validation.Verdict]int{
		validation.Beyond: 1, validation.Undecided: 1, validation.Contradictory: 1, validation.Changed: 1,
		validation.Busy: 3, validation.NoCounter: 3, validation.Shared: 3, validation.Frozen: 3, validation.Blind: 3,
		validation.Slow: 3, validation.Ended: 3,
	} {
		if got := exitCode(fmt.Errorf("doctor: %w", validationError{verdict})); got != want {
			t.Errorf("%s: exit code %d, want %d", verdict, got, want)
		}
	}
}
