package runner

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Chosen tests are selected by a pattern of their names, followed by the user's pattern of subtests.
// If the user's pattern cannot be split, or the new one is too long for an argument, all tests run.
func TestChosenArgs(t *testing.T) {
	long := strings.Repeat("X", 1000)
	var many []string
	for range 200 {
		many = append(many, "Test"+long)
	}
	for _, test := range []struct {
		why              string
		tops             []string
		run, bench, want string
	}{
		{"by name", []string{"TestA", "ExampleB", "FuzzC"}, "", "", "-test.run=^(TestA|ExampleB|FuzzC)$ -test.bench="},
		{"the user's pattern of names is replaced", []string{"TestA"}, "A|B", "", "-test.run=^(TestA)$ -test.bench="},
		{"the user's subtests stay", []string{"TestA"}, "Test/sub", "", "-test.run=^(TestA)$/sub -test.bench="},
		{"benchmarks", []string{"BenchmarkA", "TestB"}, "", ".", "-test.run=^(TestB)$ -test.bench=^(BenchmarkA)$"},
		{"benchmarks alone", []string{"BenchmarkA"}, "", "./x", "-test.run=^$ -test.bench=^(BenchmarkA)$/x"},
		{"no benchmark", []string{"TestB"}, "", ".", "-test.run=^(TestB)$ -test.bench="},
		{"subtests of alternatives", []string{"TestA"}, "TestA/x|TestB/y", "", ""},
		{"benchmarks of alternatives", []string{"BenchmarkA"}, "", "A/(x|y)", ""},
		{"too long", many, "", "", ""},
	} {
		if got := strings.Join(chosenArgs(test.tops, test.run, test.bench), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// counting returns an observation of a test in which component 3 has the given counts.
func counting(name string, c probe.Count) *observation {
	o := observed(name, record.Pass, 1)
	o.intervals = []*attribution.Interval{{Counts: map[int]probe.Count{1: {N: 5}, 4: c}}}
	return o
}

// A test reaches a function if it calls the function or runs one of its literals. If a test has
// subtests, only those count that reach the function.
func TestChoiceOfTests(t *testing.T) {
	m := &measurement{}
	tests := []*observation{
		counting("TestCalls", probe.Count{N: 1}),
		counting("TestOther", probe.Count{}),
		counting("TestLiteral", probe.Count{Literals: 1, SelfNS: 9}),
		counting("TestHotLiteral", probe.Count{Samples: 1}),
		counting("TestTable", probe.Count{}),
		counting("TestTable/reaches", probe.Count{N: 2}),
		counting("TestTable/does_not", probe.Count{}),
	}
	c := m.newChoice(tests, 3)
	if got, want := strings.Join(c.args, " "), "-test.run=^(TestCalls|TestHotLiteral|TestLiteral|TestTable)$ -test.bench="; got != want {
		t.Errorf("the chosen tests have the arguments %s, want %s", got, want)
	}
	r := &round{tests: slices.Clone(tests)}
	if c.keep(r); len(r.tests) != 6 {
		t.Errorf("%d tests are kept, want all except TestOther", len(r.tests))
	}
	c.keepRows(r)
	var names []string
	for _, o := range r.tests {
		names = append(names, o.name)
	}
	if diff := cmp.Diff([]string{"TestCalls", "TestLiteral", "TestHotLiteral", "TestTable/reaches"}, names); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if c := m.newChoice(tests, 2); c != nil {
		t.Errorf("no test reaches component 2, but %v are chosen", c.rows)
	}
	if c := m.newChoice(tests, 0); c.args != nil {
		t.Errorf("all tests reach component 0, but the choice has the arguments %s", c.args)
	}
}

// names returns the sorted names of a run's tests.
func names(run *record.Run) (list []string) {
	for _, test := range run.Tests {
		list = append(list, strings.TrimPrefix(test.Name, "example.com/m."))
	}
	slices.Sort(list)
	return list
}

// reaching is a module in which only some tests execute Deep.
var reaching = map[string]string{
	"m.go": `package m

var log []string

func Deep() { log = append(log, "deep") }

func Above() { Deep() }

func Shallow() int { return len(log) }

func Nobody() {}
`,
	"m_test.go": `package m

import (
	"fmt"
	"testing"
)

func TestAbove(t *testing.T) { Above() }

func TestShallow(t *testing.T) { Shallow() }

func TestTable(t *testing.T) {
	t.Run("deep", func(*testing.T) { Deep() })
	t.Run("shallow", func(*testing.T) { Shallow() })
}

func ExampleAbove() {
	Above()
	fmt.Println("done")
	// Output: done
}

func FuzzDeep(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(*testing.T, int) { Deep() })
}

func BenchmarkDeep(b *testing.B) {
	for b.Loop() {
		Deep()
	}
}

func BenchmarkShallow(b *testing.B) {
	for b.Loop() {
		Shallow()
	}
}
`,
}

// With Params.Reach, only the tests that execute the function are measured: tests, examples, fuzz
// targets, benchmarks or subtests, whether or not the user asks for a warm-up.
func TestReach(t *testing.T) {
	dir := module(t, reaching)
	built := make(map[string]prepared)
	for _, test := range []struct {
		why      string
		p        Params
		want     []string
		warmedUp string
	}{
		{"the function by the end of its name", Params{Reach: "Deep", Warmup: 1}, []string{"ExampleAbove", "FuzzDeep", "TestAbove", "TestTable"}, "4 of the 5"},
		{"without a warm-up", Params{Reach: "example.com/m.Deep"}, []string{"ExampleAbove", "FuzzDeep", "TestAbove", "TestTable"}, "4 of the 5"},
		{"among the tests that the user selects", Params{Reach: "Deep", Run: "Table|Shallow"}, []string{"TestTable"}, "1 of the 2"},
		{"benchmarks", Params{Reach: "Deep", Run: "^$", Bench: "."}, []string{"BenchmarkDeep"}, "1 of the 2"},
		{"subtests", Params{Reach: "Deep", Run: "Table", Subtests: true, Warmup: 2}, []string{"TestTable/deep"}, "1 of the 3"},
		{"all selected tests", Params{Reach: "Shallow", Run: "Shallow"}, []string{"TestShallow"}, "1 of the 1"},
	} {
		reach, found := built[test.p.Reach]
		if !found {
			reach = prepare(t, Params{Dir: dir, Meter: "none", Reach: test.p.Reach, Rounds: 1})
			built[test.p.Reach] = reach
		}
		run, err := reach.measure(t, func(m *measurement) {
			m.Run, m.Bench, m.Warmup, m.setUp.Subtests = test.p.Run, test.p.Bench, max(m.Warmup, test.p.Warmup), test.p.Subtests
		})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if diff := cmp.Diff(test.want, names(run)); diff != "" {
			t.Errorf("%s: tests (-want +got):\n%s", test.why, diff)
		}
		if said := strings.Join(wording.Texts(run.Notes), "\n"); !strings.Contains(said, "Only tests that execute example.com/m."+filepath.Base(strings.TrimPrefix(test.p.Reach, "example.com/m."))+" count: "+test.warmedUp) {
			t.Errorf("%s: warnings are %q, want one with %q", test.why, said, test.warmedUp)
		}
		if run.Settings["reach"] == nil || run.Rounds != 1 {
			t.Errorf("%s: %d rounds, settings %v", test.why, run.Rounds, run.Settings)
		}
		for _, d := range run.Dropped {
			if d.Note.Code != note.MeterFailedCode { // it fails while a machine stands still
				t.Errorf("%s: a round was dropped: %+v", test.why, d)
			}
		}
	}
}

// If no test executes the function, the error names it.
func TestUnreached(t *testing.T) {
	dir, elsewhere := module(t, reaching), module(t, map[string]string{
		"m.go":                        "package m\n\nfunc Deep() {}\n",
		"elsewhere/elsewhere_test.go": "package elsewhere\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n",
	})
	deep := prepare(t, Params{Dir: dir, Meter: "none", Reach: "Deep", Rounds: 1})
	for why, test := range map[string]struct {
		p    Params
		want string
	}{
		"no test calls it":            {Params{Reach: "Nobody"}, "no test reaches the function example.com/m.Nobody: none of those that were run (5) executes it"},
		"no selected test calls it":   {Params{Reach: "Deep", Run: "Shallow"}, "none of those that were run (1)"},
		"no such function":            {Params{Reach: "Dep"}, `no function "Dep" is measured; did you mean example.com/m.Deep?`},
		"no test was run":             {Params{Reach: "Deep", Run: "Nothing"}, "no test's name matches"},
		"no test program contains it": {Params{Reach: "Deep", Dir: elsewhere}, "no test reaches the function example.com/m.Deep: no package that is measured has it in its tests"},
	} {
		if test.p.Dir == "" {
			test.p.Dir = dir
		}
		test.p.Meter, test.p.Rounds = "none", 1
		var run *record.Run
		var err error
		if test.p.Reach == "Deep" && test.p.Dir == dir {
			run, err = deep.measure(t, func(m *measurement) { m.Run = test.p.Run })
		} else {
			run, err = Measure(t.Context(), test.p)
		}
		if err == nil || run != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", why, err, test.want)
		}
		if unreached := strings.HasPrefix(test.want, "no test reaches") || strings.HasPrefix(test.want, "none of those"); errors.Is(err, ErrUnreached) != unreached {
			t.Errorf("%s: the error %v is ErrUnreached: %t", why, err, !unreached)
		}
	}
}

// A test that depends on another one fails if it runs alone. Then the others run as well, but are
// not in the record.
func TestReachedTestThatDependsOnAnother(t *testing.T) {
	run, err := Measure(t.Context(), Params{Meter: "none", Rounds: 3, Reach: "Use", Dir: module(t, map[string]string{
		"m.go": "package m\n\nvar ready bool\n\nfunc Open() { ready = true }\n\nfunc Use() bool { return ready }\n",
		"m_test.go": `package m

import "testing"

func TestOpen(t *testing.T) { Open() }

func TestUse(t *testing.T) {
	if !Use() {
		t.Fatal("it was not opened")
	}
}
`,
	})})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Tests) != 1 || run.Tests[0].Outcome != record.Pass || run.Tests[0].Rounds != 3 || run.DroppedRounds != 0 {
		t.Errorf("tests are %+v, %d rounds were dropped: want TestUse, which passes in 3 rounds", run.Tests, run.DroppedRounds)
	}
	if len(run.Components) != 1 || run.Components[0].ID != "example.com/m.Use" || run.Components[0].N != 1 {
		t.Errorf("components are %+v, want Use with one call", run.Components)
	}
	if said := strings.Join(wording.Texts(run.Notes), "\n"); !strings.Contains(said, "that reach example.com/m.Use depend on others (TestUse: fail, at first pass)") {
		t.Errorf("warnings are %q", said)
	}
}

// A test that panics keeps the tests after it from running. The run warns of that, although the test
// that panics is not measured itself.
func TestReachBesideATestThatPanics(t *testing.T) {
	run, err := Measure(t.Context(), Params{Meter: "none", Rounds: 1, Reach: "Use", Dir: module(t, map[string]string{
		"m.go":      "package m\n\nfunc Use() {}\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestUse(*testing.T) { Use() }\n\nfunc TestPanics(*testing.T) { panic(1) }\n\nfunc TestHidden(*testing.T) { Use() }\n",
	})})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(run); !slices.Equal(got, []string{"TestUse"}) {
		t.Errorf("tests are %v, want TestUse", got)
	}
	if said := strings.Join(wording.Texts(run.Notes), "\n"); !strings.Contains(said, "example.com/m.TestPanics did not end") {
		t.Errorf("warnings are %q, want one that tests after TestPanics did not run", said)
	}
}

// With Params.Reach, too, short tests are repeated for a counter, and the record has the exact counts
// of one execution.
func TestReachRepeatsShortTests(t *testing.T) {
	lasting(t, map[string]float64{"TestAbove": 20, "TestTable": 20})
	run, err := prepare(t, Params{Dir: module(t, reaching), Meter: "none", Rounds: 1, Reach: "Deep", Run: "Test"}).measure(t, func(m *measurement) {
		m.info.Counter = true // without a domain
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range run.Tests {
		if test.Repeats != 17 {
			t.Errorf("%s was executed %v times in a round, want 16 times more than once, as it takes 20 ms", test.Name, test.Repeats)
		}
	}
	for _, c := range run.Components {
		if c.ID == "example.com/m.Deep" && c.N != 2 {
			t.Errorf("Deep has %v calls, want one in each of TestAbove and TestTable", c.N)
		}
	}
	if got := names(run); !slices.Equal(got, []string{"TestAbove", "TestTable"}) {
		t.Errorf("tests are %v", got)
	}
}
