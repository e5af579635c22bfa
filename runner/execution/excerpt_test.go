package execution

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An excerpt contains only the output that is about the test.
func TestExcerpt(t *testing.T) {
	const failures = `noise of TestPasses
--- FAIL: TestA (0.01s)
    a_test.go:7: wrong
        in two lines
noise of TestSilent--- FAIL: TestSilent (0.00s)
noise of TestAB
--- FAIL: TestAB (0.00s)
    --- FAIL: TestAB/sub (0.00s)
        b_test.go:8: below
            in two lines
    --- FAIL: TestAB/other (0.00s)
        b_test.go:9: beside
FAIL
`
	const panics = `--- FAIL: TestA (0.00s)
    a_test.go:7: wrong
--- FAIL: TestP (0.00s)
    a_test.go:8: before
    --- FAIL: TestP/sub (0.00s)
panic: oh [recovered, repanicked]

goroutine 7 [running]:
`
	const background = `--- FAIL: TestA (0.00s)
    a_test.go:7: wrong
panic: oh

goroutine 7 [running]:
`
	for _, test := range []struct{ name, output, test, want string }{
		{"the report of a failure", failures, "TestA", "a_test.go:7: wrong\n        in two lines"},
		{"a failure without a report", failures, "TestSilent", ""},
		{"a report that contains the reports of subtests", failures, "TestAB", `--- FAIL: TestAB/sub (0.00s)
        b_test.go:8: below
            in two lines
    --- FAIL: TestAB/other (0.00s)
        b_test.go:9: beside`},
		{"the report of a subtest", failures, "TestAB/sub", "b_test.go:8: below\n            in two lines"},
		{"a failure whose report was cut off", failures, "TestCut", ""},
		{"a failure beside a panic", panics, "TestA", "a_test.go:7: wrong"},
		{"a report followed by the panic", panics, "TestP", "a_test.go:8: before\n    --- FAIL: TestP/sub (0.00s)\npanic: oh [recovered, repanicked]\n\ngoroutine 7 [running]:"},
		{"a failure before the panic of another test", background, "TestA", "a_test.go:7: wrong"},
		{"a panic of another goroutine", background, "TestB", "panic: oh\n\ngoroutine 7 [running]:"},
		{"the last output of a program that exits", "some\nlast words\n", "TestA", "some\nlast words"},
	} {
		if diff := cmp.Diff(test.want, Excerpt(test.output, test.test)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
