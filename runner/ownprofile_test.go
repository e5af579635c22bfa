package runner

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/recordtest"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// twoTests are a module with two tests, each of which has a function of its own.
var twoTests = map[string]string{
	"m.go": `package m

var sink uint64

//go:noinline
func First() { spin(100_000_000) }

//go:noinline
func Second() { spin(200_000_000) }

func spin(n int) {
	for range n {
		sink = sink*6364136223846793005 + 1442695040888963407
	}
}
`,
	"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestFirst(t *testing.T)  { First() }\nfunc TestSecond(t *testing.T) { Second() }\n",
}

// Tests that the kernel may not sample are measured by their own profiler: calls are counted, parts add up, and the run says whose the samples were.
func TestTestsSampleThemselves(t *testing.T) {
	refuseSampling(t)
	root := simulate(t, powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 30}}})
	p := Params{Dir: module(t, twoTests), Meter: "rapl", Mode: ModeSample, Rounds: 1, Counts: true}
	p.Meters.PowercapRoot = root
	run, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Check(t, run)
	hasNote(t, run, note.OwnProfileCode, "in a container")
	calls := make(map[string]float64)
	for _, c := range run.Matrix.Cells {
		if c.N > 0 { // a window may end late on a busy machine, so that the next test has some of the time
			calls[strings.TrimPrefix(run.Tests[c.Test].Name+" "+run.Components[c.Component].ID, "example.com/m.")] = c.N
		}
	}
	want := map[string]float64{
		"TestFirst example.com/m.First": 1, "TestFirst example.com/m.spin": 1, "TestSecond example.com/m.Second": 1, "TestSecond example.com/m.spin": 1,
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
	if i := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == "example.com/m.spin" && c.TimeMS > 0 }); i < 0 {
		t.Errorf("components are %+v, want spin with some time", run.Components)
	}
	for _, test := range run.Tests {
		if test.Outcome != record.Pass {
			t.Errorf("%s: %s", test.Name, test.Outcome)
		}
	}
}

// A test that starts the CPU profiler itself fails where the profiler measures it: the run says why.
func TestProfilerIsTaken(t *testing.T) {
	refuseSampling(t)
	dir := module(t, map[string]string{"m_test.go": `package m

import (
	"io"
	"runtime/pprof"
	"testing"
)

func TestProfile(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	pprof.StopCPUProfile()
}

func TestOther(*testing.T) {}
`, "m.go": "package m\n\nfunc F() {}\n"})
	run, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Mode: ModeSample, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	hasNote(t, run, note.ProfilerTakenCode, "example.com/m")
}

// So are programs: one that ends by os.Exit, starts itself again, and has a variable that the user's
// flags for the linker set.
func TestProgramSamplesItself(t *testing.T) {
	refuseSampling(t)
	t.Setenv("GOFLAGS", "'-ldflags=-X main.version=1.5 -s'")
	files := maps.Clone(twoTests)
	files["cmd/work/main.go"] = `package main

import (
	"fmt"
	"os"
	"os/exec"

	"example.com/m"
)

var version string

func main() {
	if len(os.Args) == 1 {
		out, err := exec.Command(os.Args[0], "again").CombinedOutput()
		fmt.Printf("version %s, %s, %v, %d variables of the profile", version, out, err, len(os.Getenv("SPELL_LSP_PROFILE")))
	}
	m.First()
	m.Second()
	os.Exit(0)
}
`
	s, err := scenario.Parse("work", settings.Scenario{Exec: "./cmd/work"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	run, err := Measure(t.Context(), Params{Dir: module(t, files), Meter: "model", Mode: ModeSample, Rounds: 1, Counts: true, Stdout: &out, Scenarios: []scenario.Scenario{s}})
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Check(t, run)
	hasNote(t, run, note.OwnProfileCode, "in a container")
	if want := "version 1.5, , <nil>, 0 variables of the profile"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("it printed %q, want %q", out.String(), want)
	}
	if i := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == "example.com/m.spin" }); i < 0 || run.Components[i].EnergyJ["cpu"] <= 0 {
		t.Errorf("components are %+v, want spin with energy", run.Components)
	}
	if calls := callsOf(run)["example.com/m/cmd/work.work"]; calls["example.com/m.spin"] != 4 {
		t.Errorf("calls are %v, want two of spin in each of the two processes", calls)
	}
}

// A service without a handler for the signal that stops it ends at once, and the runtime has written its trace
// up to a second before: what was measured is in it all the same. A name of the program may be that of a
// package which the profiler needs.
func TestServiceSamplesItself(t *testing.T) {
	refuseSampling(t)
	files := maps.Clone(twoTests)
	files["cmd/serve/main.go"] = `package main

import (
	"fmt"

	"example.com/m"
)

func trace() { m.First() }

func main() {
	fmt.Println("ready")
	for {
		trace()
	}
}
`
	s, err := scenario.Parse("serve", settings.Scenario{Exec: "./cmd/serve", Ready: "ready", For: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Measure(t.Context(), Params{Dir: module(t, files), Meter: "model", Mode: ModeSample, Rounds: 1, Scenarios: []scenario.Scenario{s}})
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Check(t, run)
	if len(run.Components) == 0 || run.Components[0].ID != "example.com/m.spin" {
		t.Errorf("components are %+v, want spin first", run.Components)
	}
	for _, n := range run.Notes {
		if n.Code == note.SamplesMissedCode {
			t.Errorf("of its CPU time some is in no sample: %v", n.Args)
		}
	}
}
