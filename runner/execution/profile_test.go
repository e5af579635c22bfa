package execution

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/stacks/frames"
	"spell-lsp/spell/record"
)

// If the Go runtime is not known, the call tree comes from the CPU profile.
func TestCallTreeOfACPUProfile(t *testing.T) {
	index := probe.NewIndex(probe.NamedRows{Components: []string{"p.F", "p.G", "p.H"}, Packages: []string{"p"}})
	sample := func(ms int64, names ...string) *profile.Sample { // the innermost first
		s := &profile.Sample{Value: []int64{1, ms * 1e6}}
		for _, name := range names {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return s
	}
	inlined := sample(2, "p.H", "p.TestA")
	inlined.Location[0].Line = append(inlined.Location[0].Line, profile.Line{Function: &profile.Function{Name: "p.F"}})
	p := &profile.Profile{Sample: []*profile.Sample{
		sample(1, "p.H", "p.G", "sort.Sort", "p.G", "p.F.func1", "p.TestA", "testing.tRunner"),
		inlined,
		sample(4, "sort.Sort", "p.F", "p.TestA"),
		sample(8, "p.helps", "p.F", "p.TestA"),          // the time belongs to test code
		sample(16, "runtime.gcBgMarkWorker", "p.F"),     // the time belongs to the runtime
		sample(32, append(deepStack(63), "p.TestA")...), // cut off: a profile has no deeper stacks
		sample(64),
	}}
	want := []record.CallNode{
		{Parent: -1, Component: 1, TimeMS: 4},
		{Parent: 0, Component: 2},
		{Parent: 1, Component: 3, TimeMS: 1},
		{Parent: 0, Component: 3, TimeMS: 2},
		{Parent: -1, Component: 2, TimeMS: 32, Cut: true},
	}
	timed := func(int) bool { return true }
	if diff := cmp.Diff(want, attribution.NewProfile(profiled(p, index), 3, timed).Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A stack of as many frames as the profiler keeps may go on, unless it ends where goroutines begin.
func TestCutStack(t *testing.T) {
	for _, test := range []struct {
		frames    int
		outermost string
		want      bool
	}{
		{profileFrames - 1, "p.TestA", false}, {profileFrames, "p.TestA", true}, {profileFrames, "runtime.goexit", false},
	} {
		stack := make([]frames.Frame, test.frames)
		stack[test.frames-1].Function = test.outermost
		if got := isCut(stack); got != test.want {
			t.Errorf("%d frames that end with %s: cut is %t", test.frames, test.outermost, got)
		}
	}
	if isCut(nil) {
		t.Error("a stack without frames is cut")
	}
}

func deepStack(n int) []string { return slices.Repeat([]string{"p.G"}, n) }
