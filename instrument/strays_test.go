package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

// strayBench is the archive, built, whose tests leave goroutines.
func strayBench(t *testing.T) *bench {
	t.Helper()
	b := prepare(t, Params{Dir: unpack(t, "testdata/strays.txtar")})
	if b.Fallback != "" {
		t.Fatal(b.Fallback)
	}
	return b
}

// See the archive: goroutines that nobody stops call the functions that later tests
// call, and none of their calls is counted there.
func TestStraysAreNotCountedForLaterTests(t *testing.T) {
	b := strayBench(t)
	for range 3 {
		probed, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers}, "-test.bench=.", "-test.benchtime=20x")
		checkCounts(t, probed.Output, b.Build, log)
		checkStrayRows(t, b, log)
		checkStatements(t, b, log)
	}
}

// checkStrayRows looks for what only strays run, and for their time.
func checkStrayRows(t *testing.T, b *bench, log *probe.Log) {
	t.Helper()
	left := map[string]string{"Astray": "TestLeaves", "ByAStray": "TestLeavesAnother"}
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row < 1 || row > len(b.Components) {
				continue
			}
			name := strings.TrimPrefix(b.Components[row-1].ID, "example.com/strays.")
			if test, only := left[name]; only && w.Test != test && w.Test != "TestSubs" && (c.N != 0 || c.SelfNS != 0 || c.Samples != 0) {
				t.Errorf("%s has %+v of %s, which only goroutines of %s call", w.Test, c, name, test)
			}
			if name == "leaf" && w.Test == "ExampleWorks" && c.N != 1013 {
				t.Errorf("%d calls of leaf were counted in the example, it made 1013", c.N)
			}
		}
		strays := w.Counts[probe.StraysRow(len(b.Components))]
		var sum float64
		for _, ns := range w.StraysNS {
			sum += ns
		}
		switch w.Test {
		case "TestBefore":
			if strays.SelfNS != 0 || sum != 0 {
				t.Errorf("strays ran for %d ns in %s, before there were any", strays.SelfNS, w.Test)
			}
		case "TestAfter", "TestAfterBoth", "TestUsesPool":
			if strays.SelfNS == 0 || sum == 0 {
				t.Errorf("strays ran for %d ns in %s, %.0f ns of them from a known statement: it waited until they had done something", strays.SelfNS, w.Test, sum)
			}
		}
	}
}

// checkStatements compares the go statements in the log with the archive.
func checkStatements(t *testing.T, b *bench, log *probe.Log) {
	t.Helper()
	const in = "example.com/strays."
	want := map[probe.Stray]bool{
		{Test: "TestLeaves", In: in + "Leave", File: "strays.go", Line: lineOf(t, b, "strays.go", "go Forever()"), Starts: in + "Forever", Goroutines: 2}:                                                true,
		{Test: "TestLeavesAnother", In: in + "TestLeavesAnother.func1", File: "strays_test.go", Line: lineOf(t, b, "strays_test.go", "go StartsForever()"), Starts: in + "StartsForever", Goroutines: 1}: true,
		{Test: "TestSubs", In: in + "Leave", File: "strays.go", Line: lineOf(t, b, "strays.go", "go Forever()"), Starts: in + "Forever", Goroutines: 2}:                                                  true,
		{Test: "BenchmarkRuns", In: in + "BenchmarkRuns.func1", File: "strays_test.go", Line: lineOf(t, b, "strays_test.go", "go Polls()"), Starts: in + "Polls", Goroutines: 1}:                         true,
	}
	got := make(map[probe.Stray]bool)
	for _, s := range log.Strays {
		s.File = filepath.Base(s.File)
		switch s.Starts {
		case in + "Forever", in + "StartsForever", in + "Polls":
			got[s] = true
		default: // it was about to end, or to wait, when its test was over
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go statements in the log (-want +got):\n%s", diff)
	}
}

// lineOf is the line of a file on which a text first stands.
func lineOf(t *testing.T, b *bench, file, text string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(data), text)
	if !found {
		t.Fatalf("%s has no %q", file, text)
	}
	return 1 + strings.Count(before, "\n")
}

// Also where each subtest has a row of its own, a goroutine of the test works for the
// subtest that runs, and one of a subtest that is over is a stray.
func TestStraysOfSubtests(t *testing.T) {
	b := strayBench(t)
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Subtests: true}, "-test.run=TestSubs$")
	n := make(map[string]uint64)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row > 0 && row <= len(b.Components) && w.Test == "TestSubs/after" && c.N > 0 {
				n[strings.TrimPrefix(b.Components[row-1].ID, "example.com/strays.")] += c.N
			}
		}
	}
	want := map[string]uint64{"Served": 1, "Works": 1, "leaf": 1014, "Timed": 1014, "(*Pool).Do": 1, "(*Pool).Start": 1}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("calls in the second subtest (-want +got):\n%s", diff)
	}
	if i := slices.IndexFunc(log.Strays, func(s probe.Stray) bool { return s.Test == "TestSubs/leaves" }); i < 0 || log.Strays[i].Goroutines != 2 {
		t.Errorf("strays are %+v: want two of the first subtest", log.Strays)
	}
}

// What a program had counted when it was ended is not lost.
func TestStraysOfProgramsThatEndEarly(t *testing.T) {
	b := strayBench(t)
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers}, "-test.run=TestLeaves$|TestExits", "exit")
	last := log.Windows[len(log.Windows)-1]
	if !log.Open || last.Test != "TestExits" {
		t.Fatalf("the last test is %+v: want TestExits, open", last)
	}
	if c := last.Counts[probe.StraysRow(len(b.Components))]; c.SelfNS == 0 || len(last.StraysNS) == 0 {
		t.Errorf("strays ran for %d ns in the test that ended the program, by statement for %v ns: it waited for them", c.SelfNS, last.StraysNS)
	}
	for row, c := range last.Counts {
		if row > 0 && row <= len(b.Components) && c.N != 0 {
			t.Errorf("%d calls of %s were counted in a test that made none", c.N, b.Components[row-1].ID)
		}
	}
}
