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
	"testing"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/rapl/powercapsim"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// simulator, as the first argument, makes the test binary a simulated machine.
const simulator = "powercap-simulator"

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if len(os.Args) > 1 && os.Args[1] == simulator {
		os.Exit(powercapsim.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// simulate starts a process that is a machine of constant power, with counters
// that wrap every few tenths of a second, and returns the root of its tree.
func simulate(t *testing.T, zones []powercapsim.Zone) string {
	t.Helper()
	params := powercapsim.Params{Dir: t.TempDir(), Zones: zones, Seed: 1}
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], simulator, string(text))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatal("the simulator said nothing")
	}
	go func() { // it writes the truth on and on
		for lines.Scan() {
		}
	}()
	return powercapsim.Root(params.Dir)
}

// module writes a module of the given files and go.mod.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// spinning has a test that runs Burn for 0.7 s and waits for 0.3 s.
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

// The energy of a test must be what the counter counted while it ran, through
// any number of wraps, and the parts must add up to it.
func TestEnergyOfASimulatedMachine(t *testing.T) {
	const cpuW, dramW = 30.0, 4.0
	root := simulate(t, []powercapsim.Zone{
		{Name: "package-0", Watts: cpuW, RangeUJ: 20_000_000},
		{Name: "dram", Parent: "package-0", Watts: dramW, RangeUJ: 4_000_000},
	})
	run, err := Measure(t.Context(), Params{
		Dir: module(t, spinning), Meter: "rapl", Meters: meter.Options{PowercapRoot: root}, Rounds: 3, Warmup: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Meter.Source != record.Measured || len(run.Meter.Domains) != 2 {
		t.Errorf("meter is %+v, want a measured one of cpu and dram", run.Meter)
	}
	for _, test := range run.Tests {
		for domain, watts := range map[spell.Domain]float64{spell.CPU: cpuW, spell.DRAM: dramW} {
			got, want := test.EnergyJ[domain], watts*test.TimeMS/1e3
			if math.Abs(got-want) > 0.005*want {
				t.Errorf("%s: %g J of %s, the simulator used %g J in its %g ms", test.Name, got, domain, want, test.TimeMS)
			}
		}
	}
	if worst := run.Imbalance(); worst > 0.005 {
		t.Errorf("parts and counter differ by %g", worst)
	}
}

// A machine whose power does not depend on what runs has nothing above idle:
// no component may be charged for it.
func TestIdlePowerIsNobodys(t *testing.T) {
	root := simulate(t, []powercapsim.Zone{{Name: "package-0", Watts: 30, RangeUJ: 1_000_000_000}})
	run, err := Measure(t.Context(), Params{
		Dir: module(t, spinning), Meter: "rapl", Meters: meter.Options{PowercapRoot: root}, Rounds: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Components {
		if c.EnergyJ.Total() > 0.05*30 {
			t.Errorf("%s is charged %g J of a machine that only idled", c.ID, c.EnergyJ.Total())
		}
	}
}

func TestRunRecordsWhatHappened(t *testing.T) {
	var said []string
	started := time.Now()
	run, err := Measure(t.Context(), Params{
		Dir: module(t, spinning), Meter: "model", Rounds: 2, Settings: map[string]any{"rounds": 2},
		Progress: func(message string, _ float64) { said = append(said, message) },
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
	if burn.TimeMS < 300 || burn.TimeMS > 1000 {
		t.Errorf("Burn ran %g ms, want about 700", burn.TimeMS)
	}
	if run.Rounds != 2 || run.Partial || run.Mode != "instrument" || run.Meter.Source == record.Measured || run.Started.Before(started.Add(-time.Second)) {
		t.Errorf("run is %+v", run)
	}
	if ms := run.YardstickMS; len(ms) != 2 || slices.Min(ms) < 0.05 || slices.Max(ms) > 50 {
		t.Errorf("the yardstick took %v ms, want some 0.5 in each of 2 rounds", ms)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "building") || !strings.Contains(all, "round 2 of 2: example.com/m") {
		t.Errorf("progress was\n%s", all)
	}
}

// An editor's unsaved text is measured as it stands; the file is not.
func TestBuffersStandForFiles(t *testing.T) {
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
