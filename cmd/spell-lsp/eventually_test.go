package main

import (
	"testing"
	"time"
)

// patience ends tests that hang. What happens soon takes as long as it takes: no test
// holds a slow machine against the code.
const patience = 5 * time.Minute

// long leaves a test that measures, or starts many processes, out of make check.
func long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long")
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
