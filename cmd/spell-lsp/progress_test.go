package main

import (
	"testing"
	"time"

	"spell-lsp/runner"
)

// Who waits sees which round runs, how long one takes, how long it still takes, and what an
// interruption would leave.
func TestProgressText(t *testing.T) {
	const s, m = time.Second, time.Minute
	third := runner.Step{Package: "m/a", Packages: 1, Round: 3, Of: 30, AtMost: true, Kept: 2, Each: 77 * s, Least: 4*m + 3*s, Most: 4*m - 2*s}
	for _, test := range []struct {
		step runner.Step
		want string
	}{
		{runner.Step{Doing: "building the tests of m", Fraction: -1}, "building the tests of m"},
		{runner.Step{WarmUp: true, Round: 1, Of: 1, Packages: 1}, "warm-up; Ctrl-C keeps nothing yet"},
		{runner.Step{WarmUp: true, Round: 2, Of: 3, Packages: 1, Each: 900 * time.Millisecond, Least: 2 * s, Most: 30 * s}, "warm-up 2 of 3, about 1 s each, 2 s to 30 s left; Ctrl-C keeps nothing yet"},
		{runner.Step{WarmUp: true, Reach: "m.F", Round: 1, Of: 1, Packages: 2, Package: "m/b"}, "finding the tests that reach m.F; Ctrl-C keeps nothing yet; now m/b"},
		{runner.Step{Round: 1, Of: 10, Packages: 1}, "round 1 of 10; Ctrl-C keeps nothing yet"},
		{third, "round 3 of at most 30, about 77 s each, 4 min left; Ctrl-C keeps what is measured"},
		{runner.Step{Package: "m/b", Packages: 2, Round: 2, Of: 30, AtMost: true, Kept: 1, Each: 77 * s, Least: 154 * s, Most: 38 * m}, "round 2 of at most 30, about 77 s each, 3 min to 38 min left; Ctrl-C keeps what is measured; now m/b"},
	} {
		if got := stepText(test.step, interruptText(test.step)); got != test.want {
			t.Errorf("%+v:\n%s, want\n%s", test.step, got, test.want)
		}
	}
	if got, want := stepText(third, ""), "round 3 of at most 30, about 77 s each, 4 min left"; got != want {
		t.Errorf("in an editor, which keeps nothing: %s, want %s", got, want)
	}
}

// A line that wraps could not be cleared, so it is cut where the terminal ends.
func TestProgressFits(t *testing.T) {
	for _, test := range []struct {
		width int
		want  string
	}{{0, "round 3 µ"}, {10, "round 3 µ"}, {9, "round 3…"}, {5, "rou…"}, {1, "round 3 µ"}} {
		if got := fitting("round 3 µ", test.width); got != test.want {
			t.Errorf("in %d columns: %q, want %q", test.width, got, test.want)
		}
	}
}
