package main

import (
	"testing"
	"time"
)

// patience ends tests that hang. What happens soon takes as long as it takes: no test
// holds a slow machine against the code.
const patience = 5 * time.Minute

// measures leaves a test that measures out of make check.
func measures(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures")
	}
}

// eventually waits until the condition holds, for what gives no other sign: the state
// of other processes.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}
