package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meters"
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
	if len(os.Args) > 1 && os.Args[1] == burner {
		burnMain()
	}
	os.Exit(m.Run())
}

// simulate starts a process that is a machine of constant power, with counters
// at the root of the tree that it returns. Stop ends it, and gives the longest by which
// its counters were ever behind: nobody can know them better.
func simulate(t *testing.T, params powercapsim.Params) (root string, stop func() (late time.Duration)) {
	t.Helper()
	params.Dir, params.Seed, params.RealTime = t.TempDir(), 1, true
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
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatal("the simulator said nothing")
	}
	said := make(chan time.Duration, 1)
	go func() { // it writes the truth on and on
		var line powercapsim.Line
		for lines.Scan() {
			_ = json.Unmarshal(lines.Bytes(), &line) // the last one may be cut off
		}
		said <- line.Late
	}()
	stop = sync.OnceValue(func() time.Duration {
		stdin.Close()
		late := <-said
		cmd.Wait()
		return late
	})
	t.Cleanup(func() { stop() })
	return powercapsim.Root(params.Dir), stop
}

// measureSimulated measures on a machine of constant power, and says by how much its
// counters were ever behind. What is behind for long cannot be told from a counter that
// does not work: where that ends a measurement, it is measured on another machine.
func measureSimulated(t *testing.T, p Params, zones ...powercapsim.Zone) (run *record.Run, late time.Duration) {
	t.Helper()
	return measureOn(t, p, powercapsim.Params{Zones: zones})
}

// measureOn is measureSimulated on a machine that may do more.
func measureOn(t *testing.T, p Params, machine powercapsim.Params) (run *record.Run, late time.Duration) {
	t.Helper()
	for range 5 {
		root, stop := simulate(t, machine)
		p.Meter, p.Meters.PowercapRoot = "rapl", root
		run, err := Measure(t.Context(), p)
		late = stop()
		var unread *MeterError
		var broken *meters.OpenError
		switch {
		case err == nil:
			return run, late
		case late < 20*time.Millisecond || !errors.As(err, &unread) && !errors.As(err, &broken):
			t.Fatal(err)
		}
		t.Logf("counters that were up to %v late: %v", late, err)
	}
	t.Skip("the simulator was too late, five times, to measure anything")
	return nil, late
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

// near fails where a value is off by more than a part of what it should be.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if math.Abs(got-want) > part*math.Abs(want)+1e-9 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
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
// any number of wraps, and the parts must add up to it. It is measured again where the
// simulator, on a busy machine, was as late as the energy is off. Where that never ends
// it cannot be told; a wrap that is lost, a fifth of a second and more, still can.
func TestEnergyOfASimulatedMachine(t *testing.T) {
	const tolerated = 2500 * time.Microsecond // in the shorter of the two tests
	wrong := 0
	for range 5 {
		off, late := energyOff(t)
		t.Logf("the energy is off by that of %v, the counters were up to %v late", off, late)
		switch {
		case off <= tolerated:
			return
		case off > late+tolerated:
			wrong++ // or the sampler had to wait, which the simulator does not know
		}
		if wrong == 2 {
			t.Fatalf("the energy of a test is off by that of %v", off)
		}
	}
	t.Skip("the simulator was too late, five times, to tell whether the energy is right")
}

// energyOff gives for how much of its time the energy of a test is off.
func energyOff(t *testing.T) (off, late time.Duration) {
	const cpuW, dramW = 30.0, 4.0
	run, late := measureSimulated(t, Params{Dir: module(t, spinning), Rounds: 3, Warmup: 1},
		powercapsim.Zone{Name: "package-0", Watts: cpuW, RangeUJ: 20_000_000},
		powercapsim.Zone{Name: "dram", Parent: "package-0", Watts: dramW, RangeUJ: 8_000_000})
	if run.Meter.Source != record.Measured || len(run.Meter.Domains) != 2 || len(run.Tests) != 2 {
		t.Errorf("meter is %+v, want a measured one of cpu and dram; %d tests", run.Meter, len(run.Tests))
	}
	for _, test := range run.Tests {
		for domain, watts := range map[spell.Domain]float64{spell.CPU: cpuW, spell.DRAM: dramW} {
			wrong := math.Abs(test.EnergyJ[domain]/watts - test.TimeMS/1e3)
			off = max(off, time.Duration(wrong*float64(time.Second)))
		}
	}
	if worst := run.Imbalance(); worst > 0.005 {
		t.Errorf("parts and counter differ by %g", worst)
	}
	return off, late
}

// A machine whose power does not depend on what runs has nothing above idle:
// no component may be charged for it.
func TestIdlePowerIsNobodys(t *testing.T) {
	const watts = 30
	for range 5 {
		run, late := measureSimulated(t, Params{Dir: module(t, spinning), Rounds: 1},
			powercapsim.Zone{Name: "package-0", Watts: watts, RangeUJ: 1_000_000_000})
		if late > 100*time.Millisecond {
			t.Logf("counters that were up to %v late", late)
			continue
		}
		for _, c := range run.Components {
			if c.EnergyJ.Total() > watts*(0.05+2*late.Seconds()) { // the counter may be late at rest and in the test
				t.Errorf("%s is charged %g J of a machine that only idled", c.ID, c.EnergyJ.Total())
			}
		}
		return
	}
	t.Skip("the simulator was too late, five times, to tell what is above idle")
}

func TestRunRecordsWhatHappened(t *testing.T) {
	var said, found []string
	dir := module(t, spinning)
	started := time.Now()
	run, err := Measure(t.Context(), Params{
		Dir: dir, Meter: "model", Rounds: 2, Settings: map[string]any{"rounds": 2},
		Progress: func(message string, _ float64) { said = append(said, message) },
		Found:    func(files []string) { found = files }, // a data race unless it is waited for
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
	if burn.TimeMS < 150 || burn.TimeMS > 1000 { // on a busy machine it gets a part of the time only
		t.Errorf("Burn ran %g ms, want about 700", burn.TimeMS)
	}
	if run.Rounds != 2 || run.Partial || run.Mode != "instrument" || run.Meter.Source == record.Measured || run.Started.Before(started.Add(-time.Second)) {
		t.Errorf("run is %+v", run)
	}
	if ms := run.ReferenceMS; len(ms) != 2 || slices.Min(ms) < 0.05 || slices.Max(ms) > 50 {
		t.Errorf("the yardstick took %v ms, want some 0.5 in each of 2 rounds", ms)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "building") || !strings.Contains(all, "round 2 of 2: example.com/m") {
		t.Errorf("progress was\n%s", all)
	}
	if want := []string{filepath.Join(realPath(dir), "burn.go")}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
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
