package runner

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/wording"
)

// ending is a module whose tests end in every way.
var ending = map[string]string{
	"m.go": `package m

//go:noinline
func Work(n int) (sum int) {
	for i := range n * 1_000_000 {
		sum += i ^ sum
	}
	return sum
}
`,
	"m_test.go": `package m

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	fmt.Print("no newline")
	Work(5)
	os.Exit(m.Run())
}

func TestPass(t *testing.T) {
	fmt.Print("no newline")
	t.Run("sub", func(t *testing.T) { Work(60) })
	t.Run("parallel", func(t *testing.T) { t.Parallel(); Work(60) })
}

func TestFail(t *testing.T) { Work(60); fmt.Print("own words"); t.Error("wrong") }
func TestSkip(t *testing.T) { t.Skip("not here") }
func TestOne(t *testing.T)  { t.Parallel(); Work(60) }
func TestTwo(t *testing.T)  { t.Parallel(); Work(60) }
func FuzzSeeds(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { Work(1) }) }

func ExampleWork() {
	Work(60)
	fmt.Println("worked")
	// Output: worked
}
`,
	"boom/boom_test.go": `package boom

import "testing"

func TestBefore(t *testing.T) {}
func TestPanic(t *testing.T)  { t.Log("said before"); panic("boom") }
func TestAfter(t *testing.T)  {}
`,
	"exit/exit_test.go": `package exit

import (
	"os"
	"testing"
)

func TestExit(t *testing.T) { os.Exit(3) }
`,
	"never/never_test.go": `package never

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(0) }
func TestNever(t *testing.T) {}
`,
}

// Without probes tests end as they do with go test, and have the outcomes and excerpts that they
// have with probes.
func TestOutcomesWithoutProbes(t *testing.T) {
	run, err := Measure(t.Context(), Params{Dir: module(t, ending), Meter: "model", Mode: ModeSample, Subtests: true, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := validity.Run(run); err != nil {
		t.Error(err)
	}
	got, excerpts := make(map[string]string), make(map[string]string)
	for _, test := range run.Tests {
		name := strings.TrimPrefix(test.Name, "example.com/")
		got[name] = string(test.Outcome)
		excerpts[name] = test.Output
	}
	want := map[string]string{
		"m.TestPass": "pass", "m.TestPass/sub": "pass", "m.TestPass/parallel": "pass", "m.TestFail": "fail", "m.TestSkip": "skip",
		"m.TestOne": "pass", "m.TestTwo": "pass", "m.FuzzSeeds": "pass", "m.FuzzSeeds/seed#0": "pass", "m.ExampleWork": "pass",
		"m/boom.TestBefore": "pass", "m/boom.TestPanic": "crash", "m/exit.TestExit": "crash",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes, - is wanted:\n%s", diff)
	}
	if want := "m_test.go:21: wrong"; excerpts["m.TestFail"] != want {
		t.Errorf("the excerpt of TestFail is %q, want %q", excerpts["m.TestFail"], want)
	}
	if text := excerpts["m/boom.TestPanic"]; !strings.Contains(text, "said before") || !strings.Contains(text, "panic: boom") {
		t.Errorf("the excerpt of TestPanic is %q", text)
	}
	hasNote(t, run, note.ProgramEndedEarlyCode, "example.com/m/never")
	if len(run.Components) != 1 || run.Components[0].ID != "example.com/m.Work" || run.Components[0].N != 0 || run.Components[0].TimeMS <= 0 {
		t.Errorf("components are %+v, want Work, whose calls were not counted", run.Components)
	}
	if run.Mode != "sample" {
		t.Errorf("mode is %q", run.Mode)
	}
}

// hasNote fails if a run has no note of that code whose text contains some words.
func hasNote(t *testing.T, run *record.Run, code note.Code, words string) {
	t.Helper()
	var all []string
	for _, n := range run.Notes {
		text := wording.Text(n)
		if n.Code == code && strings.Contains(text, words) {
			return
		}
		all = append(all, string(n.Code)+": "+text)
	}
	t.Errorf("no note %s with %q in:\n%s", code, words, strings.Join(all, "\n"))
}

// threeToOne is a module with two functions that do work in the ratio 3:1, in an irregular order.
var threeToOne = map[string]string{
	"m.go": `package m

var sink uint64

//go:noinline
func Three(n int) { spin(3 * n) }

//go:noinline
func One(n int) { spin(n) }

func spin(n int) {
	for range n * 1000 {
		sink = sink*6364136223846793005 + 1442695040888963407
	}
}
`,
	"m_test.go": `package m

import (
	"math/rand/v2"
	"testing"
)

func TestBoth(t *testing.T) {
	for range 4000 {
		n := 1 + rand.IntN(60)
		Three(n)
		One(n)
	}
}
`,
}

// Samples find how the time is divided within what chance allows: the number of samples of one
// function is binomial. On a simulated machine, components and parts add up to the counter.
func TestSharesOfSamples(t *testing.T) {
	root := simulate(t, powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 30}}})
	p := Params{Dir: module(t, threeToOne), Meter: "rapl", Mode: ModeSample, Rounds: 2}
	p.Meters.PowercapRoot = root
	m, err := newMeasurement(p)
	if err != nil {
		t.Fatal(err)
	}
	defer m.end()
	if err := m.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	run, err := m.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	samples, ns, ms := make(map[string]float64), 0.0, make(map[string]float64)
	for _, r := range m.kept {
		for _, v := range r.tests[0].intervals {
			for row, c := range v.Counts {
				if row > 0 && row <= len(m.build.Components) {
					samples[m.build.Components[row-1].ID] += float64(c.Samples)
					ns += float64(c.SelfNS)
				}
			}
		}
	}
	for _, c := range run.Components {
		ms[c.ID] = c.CumTimeMS
	}
	three, one := ms["example.com/m.Three"], ms["example.com/m.One"]
	n := samples["example.com/m.spin"] + samples["example.com/m.Three"] + samples["example.com/m.One"]
	// A sample that a stopped virtual processor delays stands for more time than the others.
	const deviations = 5
	late := max(0, ns/(n*float64(samplePeriod))-1)
	if share, bound := three/(three+one), deviations*math.Sqrt(0.75*0.25/n)+late; n < 100 || math.Abs(share-0.75) > bound {
		t.Errorf("Three has %g of the time by %g samples, want 0.75 within %g", share, n, bound)
	}
	recordtest.Check(t, run)
	if slices.ContainsFunc(run.Components, func(c record.Component) bool { return c.N != 0 || c.Phi["n"] != 0 || c.EPIJ != 0 }) {
		t.Errorf("calls were counted: %+v", run.Components)
	}
}

// An editor's unsaved text is what is built and sampled.
func TestUnsavedTextIsSampled(t *testing.T) {
	dir := module(t, threeToOne)
	text := strings.ReplaceAll(threeToOne["m.go"], "spin(", "unsaved(")
	run, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Mode: ModeSample, Rounds: 1, Buffers: map[string][]byte{filepath.Join(dir, "m.go"): []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(run.Components, func(c record.Component) bool { return c.ID == "example.com/m.unsaved" && c.TimeMS > 0 && c.Line == 11 }) {
		t.Errorf("components are %+v, want unsaved in line 11", run.Components)
	}
	if onDisk, err := os.ReadFile(filepath.Join(dir, "m.go")); err != nil || string(onDisk) != threeToOne["m.go"] {
		t.Errorf("the file was written: %s (%v)", onDisk, err)
	}
}

// A program that is too short for a sample is not said to have called nothing.
func TestTooShortForASample(t *testing.T) {
	run, err := Measure(t.Context(), Params{Meter: "none", Mode: ModeSample, Rounds: 1, Warmup: 0, Dir: module(t, map[string]string{
		"m.go": "package m\n\nfunc F() {}\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n",
	})})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Tests) != 1 || run.Tests[0].Outcome != record.Pass || len(run.Components) != 0 {
		t.Errorf("run is %+v, want a test that passed and no component", run)
	}
	hasNote(t, run, note.NoSampleCode, "")
	for _, n := range run.Notes {
		if n.Code == note.NoProbeCalledCode {
			t.Errorf("a run without probes says: %s", wording.Text(n))
		}
	}
}

// What the mode cannot do is refused before anything is built.
func TestRefusedBySampling(t *testing.T) {
	for want, p := range map[string]Params{
		`mode "nonsense"`: {Mode: "nonsense"}, "blocks of F need probes": {Mode: ModeSample, Block: "F"},
		"benchmarks need probes": {Mode: ModeSample, Bench: "."}, "found by probes": {Mode: ModeSample, Reach: "F"},
		"goroutines need probes": {Mode: ModeSample, Granularity: spell.KindGoroutine}, "labels need probes": {Mode: ModeSample, Granularity: spell.KindLabel},
	} {
		p.Dir = t.TempDir()
		if _, err := newMeasurement(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}
