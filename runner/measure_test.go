package runner

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/childbuild"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// If the first argument is simulator, the test binary is a simulated machine.
const simulator = "powercap-simulator"

// ownMeters are meters of tests alone.
var ownMeters []meter.Driver

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main(ownMeters...))
	}
	if childbuild.Called() {
		os.Exit(childbuild.Main())
	}
	if len(os.Args) > 1 && os.Args[1] == simulator {
		os.Exit(powercapsim.Main(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == burner {
		burnMain()
	}
	if len(os.Args) > 1 && os.Args[1] == peer {
		peerMain()
	}
	// Programs that tests start: with the race detector each would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// simulate starts a simulated machine in a process of its own. root is the folder of its
// counters.
func simulate(t *testing.T, params powercapsim.Params) (root string) {
	t.Helper()
	root, _ = simulateLate(t, params)
	return root
}

// simulateLate does the same, and tells by how much the counters were behind so far, at most.
func simulateLate(t *testing.T, params powercapsim.Params) (root string, late func() time.Duration) {
	t.Helper()
	params.Dir = t.TempDir()
	return simulateIn(t, params)
}

// simulateIn is simulateLate in the folder of params.
func simulateIn(t *testing.T, params powercapsim.Params) (root string, late func() time.Duration) {
	t.Helper()
	params.Seed, params.RealTime = 1, true
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	c := childtest.Start(t, exec.CommandContext(t.Context(), os.Args[0], simulator, string(text)))
	var latest atomic.Int64
	go func() {
		for lines := bufio.NewScanner(c.Out); lines.Scan(); { // the simulator would block if its output were not read
			var line powercapsim.Line
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				latest.Store(int64(line.Late))
			}
		}
	}()
	return powercapsim.Root(params.Dir), func() time.Duration { return time.Duration(latest.Load()) }
}

// A prepared measurement has built its programs. Tests run its rounds in several ways
// without building again.
type prepared struct{ *measurement }

func prepare(t *testing.T, p Params) prepared {
	t.Helper()
	m, err := newMeasurement(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.end)
	if err := m.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return prepared{m}
}

// measure runs the rounds of a copy of the measurement, after a change to that copy.
func (p prepared) measure(t *testing.T, change func(*measurement)) (*record.Run, error) {
	t.Helper()
	m := *p.measurement
	m.first, m.faults, m.notes = make(map[string]*firstOutcomes), make(map[string]int), slices.Clone(m.notes)
	m.setUp.Hot = make([]probe.Hot, len(m.setUp.Hot))
	change(&m)
	return m.measure(t.Context())
}

// module writes a module with the given files, and go.mod if it is not among them. The module
// is to be measured, so make check skips the test.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures")
	}
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// near fails if got differs from want by more than a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want)+1e-9 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// spinning is a module with a test that runs Burn for 0.7 s and sleeps for 0.3 s, and a test that
// only sleeps.
var spinning = map[string]string{
	"burn.go": `package m

import "time"

func Burn(d time.Duration) (n int) {
	for start := time.Now(); time.Since(start) < d; n++ {
	}
	return n
}
`,
	"burn_test.go": `package m

import (
	"testing"
	"time"
)

func TestBurn(t *testing.T) { Burn(700 * time.Millisecond); time.Sleep(300 * time.Millisecond) }
func TestIdle(t *testing.T) { time.Sleep(500 * time.Millisecond) }
`,
}

// The only test of energy in real time. The energy of a test is what the counter gained while the
// test ran, and components and parts add up to it. That of the whole machine is beside it. A lost wrap or a wrong unit makes an error of a
// third of a second or more; a simulator that has to wait for a processor makes one of as long as it
// says that it waited. Replays in package attribution check the exact energy.
func TestEnergyOfASimulatedMachine(t *testing.T) {
	const (
		cpuW, dramW, psysW = 30.0, 4.0, 90.0
		toleratedS         = 0.15
	)
	root, late := simulateLate(t, powercapsim.Params{Zones: []powercapsim.Zone{
		{Name: "package-0", Watts: cpuW, RangeUJ: 10_000_000},
		{Name: "dram", Parent: "package-0", Watts: dramW, RangeUJ: 2_000_000},
		{Name: "psys", Watts: psysW, RangeUJ: 30_000_000},
	}})
	p := Params{Dir: module(t, spinning), Rounds: 2, Warmup: 1, Meter: "rapl"}
	p.Meters.PowercapRoot = root
	run, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if run.Meter.Source != record.Measured || len(run.Meter.Domains) != 2 || len(run.Tests) != 2 {
		t.Errorf("meter is %+v, want a measured one of cpu and dram; %d tests", run.Meter, len(run.Tests))
	}
	for _, test := range run.Tests {
		for domain, watts := range map[spell.Domain]float64{spell.CPU: cpuW, spell.DRAM: dramW} {
			if off := test.EnergyJ[domain]/watts - test.TimeMS/1e3; math.Abs(off) > toleratedS+late().Seconds() {
				t.Errorf("the %s energy of %s is wrong by the energy of %g s; counters were up to %v behind", domain, test.Name, off, late())
			}
		}
		if off := test.SeparateJ["psys"]/psysW - test.TimeMS/1e3; math.Abs(off) > toleratedS+late().Seconds() || len(test.EnergyJ) != 2 || len(test.SeparateJ) != 1 {
			t.Errorf("the energy of the machine during %s is wrong by that of %g s; domains %v, beside them %v", test.Name, off, test.EnergyJ, test.SeparateJ)
		}
	}
	if worst := run.Imbalance(); worst > 0.005 {
		t.Errorf("components and parts differ from the counter by %g", worst)
	}
}

// The record of a run has its components, tests, rounds and times. Progress and the measured files
// are reported while it is made.
func TestRecordOfARun(t *testing.T) {
	var said []Step
	var found []string
	dir := module(t, spinning)
	started := time.Now()
	run, err := Measure(t.Context(), Params{
		Dir: dir, Meter: "model", Rounds: 2, Settings: map[string]any{"rounds": 2},
		Progress: func(s Step) { said = append(said, s) },
		Found:    func(files []string) { found = files }, // without a lock: Measure waits for this call
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Components) != 1 || run.Components[0].ID != "example.com/m.Burn" || run.Components[0].N != 1 {
		t.Fatalf("components are %+v, want Burn with one call a round", run.Components)
	}
	burn := run.Components[0]
	if burn.File != "burn.go" || burn.Line != 5 || burn.EndLine != 9 || burn.Rank != 1 || burn.Zone != spell.Red {
		t.Errorf("component is %+v, want burn.go:5-9, first and red", burn)
	}
	if test := run.Tests[0]; burn.TimeMS <= 0 || burn.TimeMS > test.TimeMS { // on a busy machine Burn gets only a part of the time
		t.Errorf("Burn ran %g ms in a test of %g ms", burn.TimeMS, test.TimeMS)
	}
	if run.Rounds != 2 || run.Partial || run.Mode != "instrument" || run.Meter.Source == record.Measured || run.Started.Before(started.Add(-time.Second)) {
		t.Errorf("run is %+v, want 2 instrumented rounds of now", run)
	}
	if ms := run.ReferenceMS; len(ms) != 2 || slices.Min(ms) <= 0 {
		t.Errorf("the reference workload took %v ms, want a time in each of 2 rounds", ms)
	}
	if !slices.ContainsFunc(said, func(s Step) bool { return strings.HasPrefix(s.Doing, "building") }) {
		t.Errorf("progress is %+v, want building", said)
	}
	last := said[len(said)-1]
	if last.Round != 2 || last.Of != 2 || last.Kept != 1 || last.Package != "example.com/m" || last.Each <= 0 || last.Least != last.Most {
		t.Errorf("the last progress is %+v, want round 2 of 2", last)
	}
	if want := []string{filepath.Join(realPath(dir), "burn.go")}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// An editor's unsaved text is measured instead of the file, which stays as it is.
func TestUnsavedTextIsMeasured(t *testing.T) {
	dir := module(t, spinning)
	name := filepath.Join(dir, "burn.go")
	text := strings.Replace(spinning["burn.go"], "func Burn(", "func Unsaved() {}\n\nfunc Burn(", 1)
	text = strings.Replace(text, "(n int) {", "(n int) { Unsaved()", 1)
	run, err := Measure(t.Context(), Params{Dir: dir, Rounds: 1, Run: "TestBurn", Buffers: map[string][]byte{name: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Components) != 2 || len(run.Tests) != 1 {
		t.Errorf("measured %d components and %d tests, want Burn and Unsaved in one test", len(run.Components), len(run.Tests))
	}
	if onDisk, err := os.ReadFile(name); err != nil || string(onDisk) != spinning["burn.go"] {
		t.Errorf("the file was written: %s (%v)", onDisk, err)
	}
}
