package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Why: a missed difference hides a change of behaviour, and a false one makes people
// search in vain. Tests may print lines that look like verdicts, a verdict may follow
// an unfinished line, and a name may contain an address, which differs between
// builds.
func TestOutcomesAreReadFromTheProgramsOutput(t *testing.T) {
	const mark = "\x16"
	e := &execution{status: "exit status 1", output: mark + "=== RUN   TestA\n" +
		"--- FAIL: TestPrinted (0.00s)\n" +
		mark + "=== RUN   TestA/sub\nno newline" + mark + "    --- SKIP: TestA/sub (0.00s)\n" +
		mark + "--- PASS: TestA (0.00s)\n" +
		mark + "=== RUN   TestA/of_0x8c99b0\n" + mark + "    --- PASS: TestA/of_0x8c99b0 (0.00s)\n" +
		mark + "=== RUN   TestTwice\n" + mark + "--- PASS: TestTwice (0.00s)\n" +
		mark + "=== RUN   TestTwice\n" + mark + "--- FAIL: TestTwice (0.00s)\n" +
		mark + "=== RUN   TestEndsTheProgram\npanic: oh\n"}
	got := make(outcomes)
	got.add("a/b", e)
	want := outcomes{
		"a/b": "exit status 1", "a/b TestA": "PASS", "a/b TestA/sub": "SKIP", "a/b TestA/of_0x?": "PASS",
		"a/b TestTwice": "FAIL+PASS", "a/b TestEndsTheProgram": "unfinished",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Why: the outcome of tests that depend on the clock varies even without probes.
func TestOnlyTestsThatEndAlikeAreCompared(t *testing.T) {
	same := alike([]outcomes{
		{"p": "ok", "p A": "PASS", "p Flaky": "PASS", "p Once": "PASS", "p Gone": "PASS"},
		{"p": "ok", "p A": "PASS", "p Flaky": "FAIL", "p Gone": "PASS"},
	})
	got := same.differences(outcomes{"p": "exit status 1", "p A": "FAIL", "p Flaky": "FAIL"}, withProbes)
	want := []string{"p: ok, with probes exit status 1", "p A: PASS, with probes FAIL", "p Gone: PASS, with probes did not run"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
