package execution

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

// withLibrary samples a program of three components whose library has rows from 4 on.
func withLibrary(t *testing.T, callers, most int, stacks ...seenStack) (*sampling, map[int]probe.Count) {
	t.Helper()
	before := made
	t.Cleanup(func() { made = before })
	made.Components, made.Library = 3+most, &Library{Callers: callers, First: 4, Most: most}
	s := sampled(stacks)
	log := window(0, 100)
	s.cut(100)
	s.count(log)
	return s, log.Windows[0].Counts
}

// A function outside of the workspace has its own time; its callers have it with what they called.
func TestLibraryExact(t *testing.T) {
	s, counts := withLibrary(t, 0, 10,
		seenStack{functions: "runtime.memmove strings.Map m.B m.A", at: 1, ns: 5},
		seenStack{functions: "strings.Map.func1 strings.Map m.C", at: 2, ns: 7},
		seenStack{functions: "m.A", at: 3, ns: 1},
	)
	if diff := cmp.Diff([]Outsider{{Path: []string{"runtime.memmove"}}, {Path: []string{"strings.Map"}}}, s.Library.Seen()); diff != "" {
		t.Errorf("functions, - is wanted:\n%s", diff)
	}
	want := map[int]string{1: "1/6 in 1", 2: "0/5 in 0", 3: "0/7 in 0", 4: "5/5 in 1", 5: "7/12 in 1"}
	if diff := cmp.Diff(want, times(counts)); diff != "" {
		t.Errorf("times, - is wanted:\n%s", diff)
	}
}

// With callers, a function is told apart under each of them, up to the workspace's.
func TestLibraryUnderCallers(t *testing.T) {
	stacks := []seenStack{
		{functions: "runtime.memmove strings.Map m.B m.A", at: 1, ns: 5},
		{functions: "runtime.memmove strings.Map m.C", at: 2, ns: 7},
		{functions: "runtime.memmove bytes.Map bytes.Map m.C", at: 3, ns: 1},
	}
	for callers, want := range map[int][]Outsider{
		1: {
			{Path: []string{"runtime.memmove", "strings.Map"}}, {Path: []string{"strings.Map"}, Caller: 2}, {Path: []string{"strings.Map"}, Caller: 3},
			{Path: []string{"runtime.memmove", "bytes.Map"}}, {Path: []string{"bytes.Map"}, Caller: 3},
		},
		2: {
			{Path: []string{"runtime.memmove", "strings.Map"}, Caller: 2}, {Path: []string{"strings.Map"}, Caller: 2},
			{Path: []string{"runtime.memmove", "strings.Map"}, Caller: 3}, {Path: []string{"strings.Map"}, Caller: 3},
			{Path: []string{"runtime.memmove", "bytes.Map"}, Caller: 3}, {Path: []string{"bytes.Map"}, Caller: 3},
		},
	} {
		s, _ := withLibrary(t, callers, 10, stacks...)
		if diff := cmp.Diff(want, s.Library.Seen()); diff != "" {
			t.Errorf("%d callers, - is wanted:\n%s", callers, diff)
		}
	}
}

// Where there are no more rows, time is the caller's, and it is said.
func TestLibraryFull(t *testing.T) {
	s, counts := withLibrary(t, 0, 1, seenStack{functions: "strings.Map m.A", at: 1, ns: 5}, seenStack{functions: "runtime.memmove strings.Map m.A", at: 2, ns: 7})
	if diff := cmp.Diff(map[int]string{1: "0/12 in 0", 4: "12/12 in 2"}, times(counts)); diff != "" || !s.Library.Full() {
		t.Errorf("full is %v; times, - is wanted:\n%s", s.Library.Full(), diff)
	}
}
