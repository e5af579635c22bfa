package execution

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

// following is what was made of an output: the log in words, and what was passed on.
type following struct {
	windows, ends string
	reached       probe.Stage
	open          bool
	passed        string
}

// follow gives testEvents an output in pieces of a size. The clock counts the instants at which
// windows begin or end.
func follow(output string, size int, subtests, well bool) following {
	var passed bytes.Buffer
	now := int64(0)
	e := &testEvents{cut: func() int64 { now++; return now }, subtests: subtests, said: reports{to: &passed}}
	for rest := []byte(output); len(rest) > 0; {
		n := min(size, len(rest))
		e.Write(rest[:n])
		rest = rest[n:]
	}
	log := e.finish(well, now+1)
	f := following{reached: log.Reached, open: log.Open, passed: passed.String()}
	for _, w := range log.Windows {
		f.windows += fmt.Sprintf("%s %d-%d\n", w.Test, w.Start, w.End)
	}
	for _, end := range log.Ends {
		f.ends += end.Test + " " + end.Outcome + "\n"
	}
	return f
}

// What a test program prints with -test.v=test2json says which test ran from when to when, and how
// it ended. What is passed on reads as the program's output without -test.v. The outputs are those
// of Go 1.26; ~ stands for the mark.
func TestEventsOfATestProgram(t *testing.T) {
	for name, test := range map[string]struct {
		output           string
		subtests, failed bool
		want             following
	}{
		"a test": {
			output: "~=== RUN   TestA\n~--- PASS: TestA (0.00s)\n~=== NAME  \n~PASS\n",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"marks stand in the middle of lines, as a test prints no newline": {
			output: "before~=== RUN   TestA\nno newline~--- PASS: TestA (0.00s)\n~=== NAME  \nafter~PASS\nend",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: "beforeno newlineafterPASS\nend"},
		},
		"subtests without rows of their own": {
			output: "~=== RUN   TestA\n~=== RUN   TestA/s\n~--- SKIP: TestA/s (0.00s)\n~=== NAME  TestA\n~--- PASS: TestA (0.00s)\n~PASS\n",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"subtests with rows of their own; their parent goes on after them": {
			output:   "~=== RUN   TestA\n~=== RUN   TestA/s\n~=== RUN   TestA/s/t\n~--- PASS: TestA/s/t (0.00s)\n~--- SKIP: TestA/s (0.00s)\n~=== NAME  TestA\n~--- PASS: TestA (0.00s)\n~PASS\n",
			subtests: true,
			want: following{
				windows: "TestA 1-2\nTestA/s 2-3\nTestA/s/t 3-4\nTestA/s 4-5\nTestA 5-6\n",
				ends:    "TestA/s/t pass\nTestA/s skip\nTestA pass\n", reached: probe.Ran, passed: "PASS\n",
			},
		},
		"parallel tests wait for their turn": {
			output: "~=== RUN   TestA\n~=== PAUSE TestA\n~=== NAME  \n~=== RUN   TestB\n~=== PAUSE TestB\n~=== NAME  \n~=== CONT  TestB\n~--- PASS: TestB (0.00s)\n~=== CONT  TestA\n~--- PASS: TestA (0.00s)\n~PASS\n",
			want:   following{windows: "TestA 1-2\nTestB 3-4\nTestB 5-6\nTestA 7-8\n", ends: "TestB pass\nTestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"parallel subtests run when the function of their parent has ended": {
			output:   "~=== RUN   TestA\n~=== RUN   TestA/s\n~=== PAUSE TestA/s\n~=== NAME  TestA\n~=== CONT  TestA/s\n~--- PASS: TestA/s (0.00s)\n~--- PASS: TestA (0.00s)\n~PASS\n",
			subtests: true,
			want:     following{windows: "TestA 1-2\nTestA/s 2-3\nTestA 3-4\nTestA/s 4-5\nTestA 5-6\n", ends: "TestA/s pass\nTestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"a goroutine of the parent that logs while a subtest runs does not end that": {
			output:   "~=== RUN   TestA\n~=== RUN   TestA/s\n~=== NAME  TestA\n    a_test.go:4: x\n~--- PASS: TestA/s (0.00s)\n~--- PASS: TestA (0.00s)\n~PASS\n",
			subtests: true,
			want:     following{windows: "TestA 1-2\nTestA/s 2-3\nTestA 3-4\n", ends: "TestA/s pass\nTestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"examples, and the seeds of a fuzz test": {
			output:   "~=== RUN   ExampleY\n~--- PASS: ExampleY (0.00s)\n~=== RUN   FuzzX\n~=== RUN   FuzzX/seed#0\n~--- PASS: FuzzX/seed#0 (0.00s)\n~=== NAME  FuzzX\n~--- PASS: FuzzX (0.00s)\n~PASS\n",
			subtests: true,
			want:     following{windows: "ExampleY 1-2\nFuzzX 3-4\nFuzzX/seed#0 4-5\nFuzzX 5-6\n", ends: "ExampleY pass\nFuzzX/seed#0 pass\nFuzzX pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"repetitions (-test.count)": {
			output: strings.Repeat("~=== RUN   TestA\n~--- PASS: TestA (0.00s)\n~=== NAME  \n", 2) + "~PASS\n",
			want:   following{windows: "TestA 1-2\nTestA 3-4\n", ends: "TestA pass\nTestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
		"what failed tests log stands under their failures": {
			output: "~=== RUN   TestA\nnoise    a_test.go:4: bad\n        in two lines\nmore noise\n~=== RUN   TestA/s\n    a_test.go:5: worse\n~--- FAIL: TestA/s (0.00s)\n~=== NAME  TestA\n    a_test.go:6: end\n~--- FAIL: TestA (0.01s)\n~=== NAME  \n~=== RUN   TestB\n    b_test.go:1: unseen\n~--- PASS: TestB (0.01s)\n~FAIL\n",
			failed: true,
			want: following{
				windows: "TestA 1-2\nTestB 3-4\n", ends: "TestA fail\nTestB pass\n", reached: probe.Ran,
				passed: "noisemore noise\n--- FAIL: TestA/s (0.00s)\n    a_test.go:5: worse\n" +
					"--- FAIL: TestA (0.01s)\n    a_test.go:4: bad\n        in two lines\n    --- FAIL: TestA/s (0.00s)\n        a_test.go:5: worse\n    a_test.go:6: end\nFAIL\n",
			},
		},
		"a test that panics did not end, although its failure is reported": {
			output: "~=== RUN   TestA\n~--- PASS: TestA (0.00s)\n~=== RUN   TestZ\n~=== RUN   TestZ/in\n~--- FAIL: TestZ/in (0.00s)\n~--- FAIL: TestZ (0.00s)\npanic: boom [recovered, repanicked]\n\ngoroutine 21 [running]:\n",
			failed: true,
			want: following{
				windows: "TestA 1-2\nTestZ 3-5\n", ends: "TestA pass\n", reached: probe.Running, open: true,
				passed: "--- FAIL: TestZ/in (0.00s)\n--- FAIL: TestZ (0.00s)\n    --- FAIL: TestZ/in (0.00s)\npanic: boom [recovered, repanicked]\n\ngoroutine 21 [running]:\n",
			},
		},
		"a subtest that panics was running, and its parent was not": {
			output:   "~=== RUN   TestZ\n~=== RUN   TestZ/in\n~--- FAIL: TestZ/in (0.00s)\n~--- FAIL: TestZ (0.00s)\npanic: boom [recovered, repanicked]\n",
			subtests: true, failed: true,
			want: following{
				windows: "TestZ 1-2\nTestZ/in 2-5\n", reached: probe.Running, open: true,
				passed: "--- FAIL: TestZ/in (0.00s)\n--- FAIL: TestZ (0.00s)\n    --- FAIL: TestZ/in (0.00s)\npanic: boom [recovered, repanicked]\n",
			},
		},
		"a failed test has ended, although a goroutine panics then": {
			output: "~=== RUN   TestZ\n~--- FAIL: TestZ (0.00s)\npanic: elsewhere\n\ngoroutine 9 [running]:\n",
			failed: true,
			want:   following{windows: "TestZ 1-2\n", ends: "TestZ fail\n", reached: probe.Running, passed: "--- FAIL: TestZ (0.00s)\npanic: elsewhere\n\ngoroutine 9 [running]:\n"},
		},
		"a test that calls os.Exit runs until the end": {
			output: "~=== RUN   TestA\nbye",
			failed: true,
			want:   following{windows: "TestA 1-2\n", reached: probe.Running, open: true, passed: "bye"},
		},
		"a test that calls os.Exit(0) outside of the reach of package testing did not pass": {
			output: "~=== RUN   TestA\n",
			want:   following{windows: "TestA 1-2\n", reached: probe.Running, open: true},
		},
		"no test": {
			output: "testing: warning: no tests to run\n~PASS\n",
			want:   following{reached: probe.Ran, passed: "testing: warning: no tests to run\nPASS\n"},
		},
		"the program ends before any test": {output: "early", want: following{reached: probe.Running, passed: "early"}},
		"a test prints the mark": {
			output: "~=== RUN   TestA\n~ a~b\n~--- PASS: TestA\n~--- PASS: TestA (0.00s)\n~PASS\n~",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: "~ a~b\n~--- PASS: TestA\nPASS\n~"},
		},
		"lines of a megabyte": {
			output: "~=== RUN   TestA\n" + strings.Repeat("x", 1<<20) + "\n~" + strings.Repeat("y", 1<<20) + "\n~--- PASS: TestA (0.00s)\n~PASS\n",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: strings.Repeat("x", 1<<20) + "\n~" + strings.Repeat("y", 1<<20) + "\nPASS\n"},
		},
		"attributes of tests": {
			output: "~=== RUN   TestA\n~=== ATTR  TestA key value\n~--- PASS: TestA (0.00s)\n~PASS\n",
			want:   following{windows: "TestA 1-2\n", ends: "TestA pass\n", reached: probe.Ran, passed: "PASS\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			mark := strings.NewReplacer("~", string(rune(eventMark)))
			test.want.passed = mark.Replace(test.want.passed)
			for _, size := range []int{1, 7, 32 << 10, 4 << 20} {
				got := follow(mark.Replace(test.output), size, test.subtests, !test.failed)
				if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(following{})); diff != "" {
					t.Errorf("read in pieces of %d bytes, - is wanted:\n%.2000s", size, diff)
				}
			}
		})
	}
}

// The excerpt of a failure is what it is with probes, where the program runs without -test.v.
func TestExcerptOfEvents(t *testing.T) {
	const mark = "\x16"
	got := follow(mark+"=== RUN   TestA\n    a_test.go:4: bad\n"+mark+"=== RUN   TestA/s\n    a_test.go:5: worse\n"+mark+"--- FAIL: TestA/s (0.00s)\n"+mark+"--- FAIL: TestA (0.01s)\n"+
		mark+"=== RUN   TestB\nown words\n"+mark+"--- PASS: TestB (0.00s)\n"+mark+"FAIL\n", 64, true, false)
	for test, want := range map[string]string{
		"TestA":   "a_test.go:4: bad\n    --- FAIL: TestA/s (0.00s)\n        a_test.go:5: worse",
		"TestA/s": "a_test.go:5: worse",
		"TestB":   "",
	} {
		if excerpt := Excerpt(got.passed, test); excerpt != want {
			t.Errorf("the excerpt of %s is %q, want %q", test, excerpt, want)
		}
	}
}

// Whatever a program prints, and in whatever pieces, windows follow each other, belong to a test
// that began, and nothing of the program's own words is lost.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"\x16=== RUN   TestA\n\x16=== RUN   TestA/s\n\x16--- FAIL: TestA/s (0.00s)\n\x16--- FAIL: TestA (0.00s)\npanic: x [recovered]\n",
		"\x16=== RUN   TestA\n\x16=== PAUSE TestA\n\x16=== CONT  TestB\n\x16PASS\n", "\x16\x16\n", "\x16--- PASS: TestA (0.00s)\n", "\x16=== CONT  \n", "\x16--- FAIL: /x (0.00s)\npanic:  [recovered",
	} {
		f.Add(seed, 3, true, false)
		f.Add(seed, 1000, false, true)
	}
	f.Fuzz(func(t *testing.T, output string, size int, subtests, well bool) {
		size = max(1, size)
		var passed bytes.Buffer
		now := int64(0)
		e := &testEvents{cut: func() int64 { now++; return now }, subtests: subtests, said: reports{to: &passed}}
		for rest := []byte(output); len(rest) > 0; {
			n := min(size, len(rest))
			if written, err := e.Write(rest[:n]); written != n || err != nil {
				t.Fatalf("wrote %d of %d bytes: %v", written, n, err)
			}
			rest = rest[n:]
		}
		log := e.finish(well, now+1)
		last := int64(0)
		for _, w := range log.Windows {
			if w.Test == "" || w.Start < last || w.End < w.Start {
				t.Errorf("window %+v after %d", w, last)
			}
			last = w.End
		}
		if log.Open && len(log.Windows) == 0 {
			t.Error("a window is open, and there is none")
		}
		if whole := follow(output, len(output)+1, subtests, well); whole.passed != passed.String() {
			t.Errorf("in pieces %q, as a whole %q", passed.String(), whole.passed)
		}
		if !strings.ContainsRune(output, eventMark) && passed.String() != output {
			t.Errorf("passed on %q", passed.String())
		}
	})
}
