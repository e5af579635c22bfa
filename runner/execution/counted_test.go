package execution

import (
	"maps"
	"testing"

	"spell-lsp/instrument/coverage"
)

// A service may end as its load does: what is asked of it then has no answer, and the measured time
// goes on to its exit, if it came that far.
func TestCallsOfAProgramThatHasEnded(t *testing.T) {
	a, err := newAsked(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	from, err := a.moment(1)
	if err != nil {
		t.Fatal(err)
	}
	a.began()
	to, err := a.moment(2)
	if err != nil {
		t.Fatalf("asking a program that has ended: %v", err)
	}
	f, g := coverage.Place{File: "m/f.go"}, coverage.Place{File: "m/g.go"}
	log := &coverage.Log{Moments: []coverage.Calls{{f: 2}, {f: 1, g: 4}}, Exited: true}
	calls, err := a.between(log, from, to)
	if want := (coverage.Calls{f: 3, g: 4}); err != nil || !maps.Equal(calls, want) {
		t.Errorf("calls are %v, %v: want %v", calls, err, want)
	}
	log.Exited = false
	if calls, err := a.between(log, from, to); err == nil {
		t.Errorf("calls are %v of a program that was killed: want an error", calls)
	}
	log.Exited = true
	if calls, err := a.between(log, to, nil); err != nil || len(calls) > 0 {
		t.Errorf("calls are %v, %v after its end: want none", calls, err)
	}
}
