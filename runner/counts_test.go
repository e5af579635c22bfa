package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/scenario"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/settings"
)

// calling is a module whose tests call functions of every kind a number of times that is known, also
// from several goroutines at once and from a child process.
var calling = map[string]string{
	"m.go": `package m

import "sync"

type T[E any] struct{ list []E }

func (t *T[E]) Push(e E) { t.list = append(t.list, e) }

var Literal = func(n int) int { return n + 1 }

func Empty() {}; func SameLine(n int) int { return n }

func Labelled(n int) int {
again:
	if n--; n > 0 {
		goto again
	}
	return n
}

func Recursive(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + Recursive(n-1)
}

func Outer(n int) (sum int) {
	for range n {
		func() { sum++ }()
	}
	return sum
}

func Shared() {}

func AtOnce(goroutines, n int) {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range n {
				Shared()
			}
		})
	}
	all.Wait()
}
`,
	"m_test.go": `package m

import (
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		for range 11 {
			Empty()
		}
		os.Exit(3)
	}
	Empty()
	os.Exit(m.Run())
}

func TestKinds(t *testing.T) {
	var ints T[int]
	var texts T[string]
	for range 3 {
		ints.Push(1)
		texts.Push("")
		Literal(1)
	}
	Empty()
	SameLine(1)
	SameLine(1)
	Labelled(100)
	Recursive(9)
	Outer(5)
}

func TestAtOnce(t *testing.T) { AtOnce(8, 100_000) }

func TestSubtests(t *testing.T) {
	Empty()
	t.Run("one", func(t *testing.T) { t.Parallel(); Recursive(1) })
	t.Run("two", func(t *testing.T) { t.Parallel(); Recursive(2) })
}

func TestChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD=1")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 || len(out) > 0 {
		t.Errorf("the child ended with %v: %s", cmd.ProcessState, out)
	}
}

func ExampleEmpty() {
	Empty()
	// Output:
}
`,
}

// callsOf are the calls of a run, by test and component.
func callsOf(r *record.Run) map[string]map[string]float64 {
	all := make(map[string]map[string]float64)
	for _, c := range r.Matrix.Cells {
		test, name := r.Tests[c.Test].Name, r.Components[c.Component].ID
		if c.N == 0 {
			continue
		}
		if all[test] == nil {
			all[test] = make(map[string]float64)
		}
		all[test][name] = c.N
	}
	return all
}

// Without probes calls are exact, too, and the same as those that probes count.
func TestCallsWithoutProbes(t *testing.T) {
	dir := module(t, calling)
	runs := make(map[string]map[string]map[string]float64)
	for _, mode := range []string{ModeSample, ModeInstrument} {
		run, err := Measure(t.Context(), Params{Dir: dir, Meter: "model", Mode: mode, Counts: true, Subtests: true, Rounds: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := validity.Run(run); err != nil {
			t.Error(err)
		}
		if runs[mode] = callsOf(run); mode == ModeSample {
			hasNote(t, run, note.CallsByCoverageCode, "")
		}
	}
	const m = "example.com/m."
	want := map[string]map[string]float64{
		m + "TestKinds":        {m + "(*T).Push": 6, m + "init.func1": 3, m + "Empty": 1, m + "SameLine": 2, m + "Labelled": 1, m + "Recursive": 10, m + "Outer": 1},
		m + "TestAtOnce":       {m + "AtOnce": 1, m + "Shared": 800_000},
		m + "TestSubtests":     {m + "Empty": 1},
		m + "TestSubtests/one": {m + "Recursive": 2},
		m + "TestSubtests/two": {m + "Recursive": 3},
		m + "TestChild":        {m + "Empty": 11},
		m + "ExampleEmpty":     {m + "Empty": 1},
	}
	for mode, got := range runs {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls in mode %s, - is wanted:\n%s", mode, diff)
		}
	}
}

// A test that fails only where calls are counted has none, and is named; a package that does not
// build so is, too. Both are measured.
func TestCallsThatCannotBeCounted(t *testing.T) {
	run, err := Measure(t.Context(), Params{Meter: "none", Mode: ModeSample, Counts: true, Rounds: 1, Dir: module(t, map[string]string{
		"m.go": "package m\n\nfunc F() {}\n",
		"m_test.go": `package m

import (
	"os"
	"testing"
)

func TestGood(t *testing.T) { F() }

func TestBad(t *testing.T) {
	F()
	if os.Getenv("GOCOVERDIR") != "" {
		t.Error("calls are counted")
	}
}
`,
		"bad/bad.go":      "package bad\n\nvar _cover_atomic_ = 1\n\nfunc F() int { return _cover_atomic_ }\n",
		"bad/bad_test.go": "package bad\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n",
	})})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Tests) != 3 || run.Tests[0].Outcome != record.Pass || run.Tests[1].Outcome != record.Pass || run.Tests[2].Outcome != record.Pass {
		t.Errorf("tests are %+v, want three that passed", run.Tests)
	}
	const m = "example.com/m."
	if diff := cmp.Diff(map[string]map[string]float64{m + "TestGood": {m + "F": 1}}, callsOf(run)); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
	hasNote(t, run, note.CallsOfTestsLostCode, "example.com/m.TestBad")
	hasNote(t, run, note.CallsNotCountedCode, "_cover_atomic_")
}

// The calls of a service are those from when it was ready to when its time was over.
func TestCallsOfAService(t *testing.T) {
	dir := module(t, map[string]string{"main.go": `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func before() {}

func during() {}

func after() {}

func main() {
	for range 5 {
		before()
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1, syscall.SIGTERM)
	fmt.Println("serves in", os.Getpid())
	<-told
	for range 3 {
		during()
	}
	if err := os.WriteFile("served", nil, 0o600); err != nil {
		panic(err)
	}
	<-told
	after()
}
`})
	s, err := scenario.Parse("serve", settings.Scenario{
		Exec: ".", Ready: "serves in (.*)", Load: `sh -c 'kill -USR1 $1; until [ -e served ]; do sleep 0.01; done; rm served'`,
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Mode: ModeSample, Counts: true, Rounds: 1, Scenarios: []scenario.Scenario{s}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]map[string]float64{"example.com/m.serve": {"example.com/m.during": 3}}, callsOf(run)); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
}
