package coverage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/coverage"
)

// What a program writes before its first test is no test's; what a child process writes at its end
// is of the test that runs then. Each process numbers its functions by itself.
func TestCallsOfTests(t *testing.T) {
	log, err := coverage.Read(strings.NewReader(`program 10
function 0 3 9 "m/a.go"
calls 0 7
test "TestA"
child 11
function 0 8 20 "m/b.go"
calls 0 2
exit
program 10
calls 0 1
end fail "TestA"
program 10
calls 0 4
test ""
program 10
calls 0 100
test "TestA"
program 10
calls 0 1
end pass "TestA"
program 10
exit
`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := coverage.Place{File: "m/a.go", Line: 3, Column: 9}, coverage.Place{File: "m/b.go", Line: 8, Column: 20}
	if diff := cmp.Diff(map[string]coverage.Calls{"TestA": {a: 6, b: 2}}, log.Tests); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
	if log.Outcomes["TestA"] != "fail" || !log.Exited {
		t.Errorf("outcomes are %v, exited %v: TestA failed once", log.Outcomes, log.Exited)
	}
}

// Moments divide the calls of a program that is asked for them.
func TestCallsBetweenMoments(t *testing.T) {
	log, err := coverage.Read(strings.NewReader("program 10\nfunction 0 1 1 \"m/a.go\"\ncalls 0 1\nmoment\nprogram 10\ncalls 0 2\nmoment\nprogram 10\ncalls 0 4\nexit\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := coverage.Place{File: "m/a.go", Line: 1, Column: 1}
	if diff := cmp.Diff([]coverage.Calls{{a: 1}, {a: 2}, {a: 4}}, log.Moments); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
}

// A line that is none is named with its number.
func TestDamagedCounts(t *testing.T) {
	for _, line := range []string{"program x", "calls 0 -1", "calls x 1", "function 0 1", "test TestA", "end pass TestA", "nonsense"} {
		_, err := coverage.Read(strings.NewReader("program 10\n" + line + "\n"))
		if err == nil || !strings.Contains(err.Error(), "line 2: "+`"`+line+`"`) {
			t.Errorf("%s: the error is %v", line, err)
		}
	}
}
