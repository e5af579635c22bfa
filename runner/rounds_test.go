package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

func observed(name string, outcome record.Outcome, ms float64) *observation {
	return &observation{pkg: "p", name: name, outcome: outcome, executions: 1, timeMS: ms, joules: []float64{ms}}
}

// Tests that are too short for the meter are repeated, tests of similar length in one process. Long
// tests, benchmarks and failing tests are not repeated.
func TestPlannedRepetitions(t *testing.T) {
	r := &round{tests: []*observation{
		observed("TestLong", record.Pass, 400), observed("TestShort", record.Pass, 20), observed("TestAlso", record.Pass, 15),
		observed("TestTwice", record.Pass, 200), observed("TestFails", record.Fail, 1), observed("BenchmarkX", record.Pass, 1), observed("ExampleX", record.Pass, 1),
		observed("TestOnce", record.Pass, 20), observed("TestSub/a", record.Pass, 100), observed("TestSub", record.Pass, 10),
	}}
	got := plannedRepetitions(r, &firstOutcomes{once: []string{"TestOnce"}})
	want := []repetition{{1, []string{"TestTwice"}, 200}, {2, []string{"TestSub"}, 220}, {16, []string{"TestShort"}, 320}, {32, []string{"TestAlso"}, 480}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(repetition{})); diff != "" {
		t.Errorf("repetitions (-want +got):\n%s", diff)
	}
}

// Repetitions must not make a round last for minutes, nor their counts fill the memory.
func TestRepetitionsAreLimited(t *testing.T) {
	r := &round{}
	for i := range 1000 {
		r.tests = append(r.tests, observed(fmt.Sprint("Test", i), record.Pass, 1))
	}
	r.tests = append(r.tests, observed("TestFails", record.Fail, 1))
	for _, again := range plannedRepetitions(r, &firstOutcomes{}) {
		if took := again.copies * len(again.tests); took > repeatMS {
			t.Errorf("%d tests of 1 ms are repeated %d times", len(again.tests), again.copies)
		}
	}
	counts := make(map[int]probe.Count)
	for row := range 10_000 {
		counts[row] = probe.Count{}
	}
	wide := observed("TestWide", record.Pass, 1)
	wide.intervals = []*attribution.Interval{{Counts: counts}}
	for _, again := range plannedRepetitions(&round{tests: []*observation{wide}}, &firstOutcomes{}) {
		if again.copies*len(counts) > maxCells {
			t.Errorf("a test of %d functions is repeated %d times: its counts take too much memory", len(counts), again.copies)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{"", "^(TestA|TestB\\.x)$"}, {"Test", "^(TestA|TestB\\.x)$"}, {"TestA/sub/x", "^(TestA|TestB\\.x)$/sub/x"},
	} {
		if got := choose([]string{"TestA", "TestB.x"}, test.pattern); got != test.want {
			t.Errorf("with --run %q: %s, want %s", test.pattern, got, test.want)
		}
	}
}

// Each repetition counts as much as the first execution. A test that fails when repeated keeps its
// first result, and is not repeated again.
func TestMergeOfRepetitions(t *testing.T) {
	again := func(name string, ends int, ms float64) *observation {
		o := observed(name, record.Pass, ms)
		o.ends = ends
		return o
	}
	hangs := again("TestB", 2, 20)
	hangs.outcome, hangs.running = record.Timeout, true
	r := &round{tests: []*observation{observed("TestA", record.Pass, 10), observed("TestB", record.Pass, 10), observed("TestC", record.Pass, 10), observed("TestD", record.Pass, 10)}}
	h := &firstOutcomes{}
	fails := again("TestD", 3, 30)
	fails.outcome = record.Fail
	r.merge(&round{tests: []*observation{again("TestA", 3, 33), hangs, again("TestC", 1, 10), fails}}, repetition{3, []string{"TestA", "TestB", "TestC", "TestD"}, 120}, h)
	if a := r.tests[0]; a.executions != 4 || a.timeMS != 43.0/4 || a.joules[0] != 43.0/4 {
		t.Errorf("TestA is %+v, want the mean of 4 executions", a)
	}
	if b := r.tests[1]; b.executions != 1 || b.timeMS != 10 {
		t.Errorf("TestB hung after 2 of 3 repetitions: it is %+v, want the first execution", b)
	}
	if c := r.tests[2]; c.executions != 1 {
		t.Errorf("TestC was not repeated 3 times: it is %+v, want the first execution", c)
	}
	if diff := cmp.Diff([]string{"TestB", "TestD"}, h.once); diff != "" {
		t.Errorf("tests that are not repeated (-want +got):\n%s", diff)
	}
}

// The first execution is in the order of the source, later ones are shuffled. A test whose outcome
// differs from the first execution is named.
func TestFirstOutcomes(t *testing.T) {
	h := &firstOutcomes{outcomes: make(map[string]record.Outcome)}
	if args := h.order(1, 1); args != nil {
		t.Errorf("the first execution has the arguments %v, want none", args)
	}
	first := &round{tests: []*observation{observed("TestA", record.Pass, 1), observed("TestB", record.Fail, 1)}}
	h.learn(first)
	if args := h.order(5, 2); len(args) != 1 || args[0] != "-test.shuffle=7" {
		t.Errorf("the second round has the arguments %v, want -test.shuffle=7", args)
	}
	for _, test := range []struct{ a, b, want string }{
		{"TestA pass", "TestB fail", ""},
		{"TestB fail", "TestA pass", ""},
		{"TestA fail", "TestB fail", "TestA: fail, at first pass"},
		{"TestA pass", "TestC pass", "TestC did not run before"},
		{"TestA pass", "TestA pass", "TestB did not run"},
	} {
		r := &round{}
		for _, text := range []string{test.a, test.b} {
			name, outcome, _ := strings.Cut(text, " ")
			r.tests = append(r.tests, observed(name, record.Outcome(outcome), 1))
		}
		if got := h.differs(r); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

// The costliest rounds are dropped, as many as asked for, but one is kept.
func TestDropCostliest(t *testing.T) {
	m := &series{}
	for i, ms := range []float64{10, 30, 20, 15} {
		m.kept = append(m.kept, &round{number: i + 1, tests: []*observation{observed("TestA", record.Pass, ms)}})
	}
	m.dropCostliest(2)
	if len(m.kept) != 2 || m.kept[0].number != 1 || m.kept[1].number != 4 {
		t.Errorf("%d rounds are kept, want rounds 1 and 4", len(m.kept))
	}
	want := []record.Dropped{{Round: 2, Note: note.Costliest(2)}, {Round: 3, Note: note.Costliest(2)}}
	if diff := cmp.Diff(want, m.dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if m.dropCostliest(9); len(m.kept) != 1 {
		t.Errorf("%d of 2 rounds are kept, want 1", len(m.kept))
	}
}

// A round whose readings failed is dropped with the fault as its reason. Readings that were lost,
// because they were collected too late, have a reason of their own.
func TestReasonOfMeterFaults(t *testing.T) {
	for _, test := range []struct {
		err  error
		want note.Note
	}{
		{errors.New("it was not read for 2 s"), note.MeterFailed("it was not read for 2 s")},
		{fmt.Errorf("collecting: %w", sampler.ErrBehind), note.ReadingsLost()},
	} {
		if diff := cmp.Diff(test.want, noteOf(&MeterError{Err: test.err})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.err, diff)
		}
	}
}

// A trend of the cost of rounds is noted.
func TestDrift(t *testing.T) {
	for _, test := range []struct {
		name  string
		costs []float64
		said  bool
	}{
		{"steady", []float64{10, 11, 10, 11, 10, 11, 10, 11, 10, 11}, false},
		{"warming up", []float64{10, 10.2, 10.1, 10.5, 10.8, 11, 10.9, 11.2, 11.5, 11.6}, true},
		{"cooling down", []float64{12, 11.8, 11.9, 11.5, 11.2, 11, 11.1, 10.8, 10.5, 10.4}, true},
		{"a tiny trend", []float64{10, 10.001, 10.002, 10.003, 10.004, 10.005, 10.006, 10.007, 10.008, 10.009}, false},
		{"too few rounds", []float64{10, 11, 12}, false},
	} {
		m := &series{}
		for _, c := range test.costs {
			m.kept = append(m.kept, &round{tests: []*observation{observed("TestA", record.Pass, c)}})
		}
		if got, is := m.drift(); is != test.said || is != (got.Code == note.DriftCode) {
			t.Errorf("%s: drift is noted: %t, %v", test.name, is, got)
		}
	}
}
