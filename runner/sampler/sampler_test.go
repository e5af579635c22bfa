package sampler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/calibration"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// If the first argument is parent, the test binary starts a sampler and waits to be
// killed.
const parent = "parent-of-a-sampler"

func TestMain(m *testing.M) {
	if Called() {
		os.Exit(Main())
	}
	if len(os.Args) > 2 && os.Args[1] == parent {
		s, err := opened(os.Args[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.cmd.Process.Pid)
		select {}
	}
	os.Exit(m.Run())
}

// machine starts a simulated machine whose counters advance while the test runs. They wrap
// after a second, and then not again for hours.
func machine(t *testing.T) *powercapsim.Sim {
	t.Helper()
	sim, err := powercapsim.New(powercapsim.Params{Dir: t.TempDir(), Zones: []powercapsim.Zone{
		{Name: "package-0", Watts: 20, StartUJ: powercapsim.DefaultRangeUJ - 20_000_000},
		{Name: "dram", Parent: "package-0", Watts: 4, StartUJ: powercapsim.DefaultRangeUJ - 4_000_000},
		{Name: "psys", Watts: 50, StartUJ: powercapsim.DefaultRangeUJ - 50_000_000},
	}})
	if err != nil {
		t.Fatal(err)
	}
	sim.Start(context.Background())
	t.Cleanup(func() { sim.Stop() })
	return sim
}

// start opens the sampler for a simulated machine.
func start(t *testing.T, sim *powercapsim.Sim) *Sampler {
	t.Helper()
	s, err := opened(sim.Root())
	if err != nil {
		t.Fatalf("%v; updates were up to %v late", err, sim.Lateness().Max)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// opened opens the sampler. If the simulator has to wait for a processor for a tenth of a
// second, its counter looks frozen: then the sampler is opened again.
func opened(root string) (s *Sampler, err error) {
	for range 5 {
		s, err = Open("rapl", meter.Options{PowercapRoot: root})
		if err == nil || !strings.Contains(err.Error(), "frozen counter") {
			break
		}
	}
	return s, err
}

// collect takes readings until done returns true, or until the time limit of go test.
func collect(t *testing.T, s *Sampler, done func([]Reading) bool) []Reading {
	t.Helper()
	var list []Reading
	for ; !done(list); time.Sleep(5 * time.Millisecond) {
		more, err := s.Take()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	return list
}

// Between two readings, the counters gain the energy that was used between the times of
// these readings, even if they wrap.
func TestReadingsMatchTheirTimes(t *testing.T) {
	sim := machine(t)
	s := start(t, sim)
	if got := s.Info(); got.Name != "rapl" || got.Source != record.Measured || len(got.Domains) != 2 || !got.Counter {
		t.Errorf("the meter is %+v", got)
	}
	list := collect(t, s, func(l []Reading) bool { return len(l) > 1 && l[len(l)-1].UpdatedNS-l[0].UpdatedNS > 2e9 })
	for i, r := range list[1:] {
		before := list[i]
		if r.Number != before.Number+1 || r.PublishedNS <= before.PublishedNS || r.UpdatedNS > r.PublishedNS || r.Joules[0] < before.Joules[0] || r.Faulty {
			t.Fatalf("readings are not in order: %+v, %+v, %v", before, r, s.Fault())
		}
	}
	first, last := list[0], list[len(list)-1]
	old := lateness(sim) // by how much a reading can be older than it says
	seconds := float64(last.UpdatedNS-first.UpdatedNS) / 1e9
	uncertain := float64(first.UncertainNS+last.UncertainNS)/1e9 + old.Seconds()
	if len(last.Joules) != 2 || len(last.Separate) != 1 {
		t.Fatalf("%d domains and %d counters beside them, want 2 and psys", len(last.Joules), len(last.Separate))
	}
	before, after := slices.Concat(first.Joules, first.Separate), slices.Concat(last.Joules, last.Separate)
	for d, watts := range []float64{20, 4, 50} {
		got := after[d] - before[d]
		if want := watts * seconds; math.Abs(got-want) > want*0.01+watts*uncertain {
			t.Errorf("value %d: %.2f J in %.3f s, want %.2f J; updates were up to %v late", d, got, seconds, want, old)
		}
	}
	if last.OwnNS <= first.OwnNS {
		t.Errorf("the CPU time of the sampler does not grow: %d ns, then %d ns", first.OwnNS, last.OwnNS)
	}
}

// lateness is the largest lateness of any update, including the one that is due.
func lateness(sim *powercapsim.Sim) time.Duration {
	for before := sim.Lateness().Updates; sim.Lateness().Updates < before+2; {
		time.Sleep(time.Millisecond)
	}
	return sim.Lateness().Max
}

// Readings have the CPU time of the watched process. A program sees in the shared memory
// that readings are taken.
func TestWatch(t *testing.T) {
	s := start(t, machine(t))
	if err := s.Watch(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	for {
		list := collect(t, s, func(l []Reading) bool { return len(l) > 0 })
		if r := list[len(list)-1]; r.PID == os.Getpid() && r.CPUNS > 0 {
			break
		}
	}
	word := make([]byte, 8)
	if _, err := s.File().ReadAt(word, 0); err != nil || word[0]|word[1] == 0 {
		t.Errorf("the shared memory begins with %x, %v", word, err)
	}
}

// A sampler that was told a period leaves at least that between its readings, of a counter but for the
// distance of two updates, and of a meter that computes.
func TestEvery(t *testing.T) {
	const period = 32 * time.Millisecond
	computing, err := Open("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { computing.Close() })
	for _, s := range []*Sampler{start(t, machine(t)), computing} {
		if err := s.Every(period); err != nil {
			t.Fatal(err)
		}
		collect(t, s, func(l []Reading) bool { // hangs if readings stay nearer to each other
			n := len(l)
			return n > 3 && l[n-1].UpdatedNS-l[n-4].UpdatedNS > 3*(period-period/4).Nanoseconds() && apart(l[n-4:]) > (period/2).Nanoseconds()
		})
		for i := range 5 {
			if l := collect(t, s, func(l []Reading) bool { return len(l) > 1 }); apart(l) < (period / 2).Nanoseconds() {
				t.Errorf("%s, later %d: readings are %d ns apart, want %v", s.Info().Name, i, apart(l), period)
			}
		}
	}
}

// apart is the shortest time between readings.
func apart(list []Reading) int64 {
	shortest := int64(math.MaxInt64)
	for i, r := range list[1:] {
		shortest = min(shortest, r.UpdatedNS-list[i].UpdatedNS)
	}
	return shortest
}

// While a counter cannot be read, readings are faulty and the fault is known. The sampler
// continues when the counter can be read again.
func TestSamplerContinuesAfterFaults(t *testing.T) {
	sim := machine(t)
	s := start(t, sim)
	collect(t, s, func(l []Reading) bool { return len(l) > 5 })
	path := sim.Root() + "/intel-rapl:0/energy_uj"
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Fault("package-0", powercapsim.Garbage); err != nil {
		t.Fatal(err)
	}
	said := func(l []Reading) bool { // the text travels through the pipe, and may come after the reading
		return len(l) > 0 && l[len(l)-1].Faulty && strings.Contains(s.Fault().Error(), "is not a number")
	}
	collect(t, s, said)
	if fault := s.Fault(); !strings.Contains(fault.Error(), path) {
		t.Errorf("the fault is %v, want the path in it", fault)
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	collect(t, s, func(l []Reading) bool { return len(l) > 0 && !l[len(l)-1].Faulty })
	if s.Ended() {
		t.Error("the fault ended the sampler")
	}
}

// Errors in the sampler's process arrive as the errors of package meters.
func TestOpenErrors(t *testing.T) {
	var failed *meters.OpenError
	if _, err := Open("rapl", meter.Options{PowercapRoot: t.TempDir()}); !errors.As(err, &failed) || failed.Name != "rapl" {
		t.Errorf("without a counter: %v", err)
	}
	if _, err := Open("solar", meter.Options{}); !errors.Is(err, meters.ErrUnknown) || !strings.Contains(err.Error(), `"solar"`) {
		t.Errorf("an unknown meter: %v", err)
	}
	s, err := Open("auto", meter.Options{PowercapRoot: t.TempDir(), SysRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Reasons()) == 0 || s.Reasons()[0].Name != "rapl" {
		t.Errorf("reasons are %v, want the reason of rapl first", s.Reasons())
	}
}

// If a user starts the sampler by hand, it says what starts it.
func TestStartedByHand(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Args[0] = Name
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "which starts it") {
		t.Errorf("%v, %s", err, out)
	}
}

// The sampler gets the calibration of this machine from the process that starts it: one with a privilege
// opens no file of its user.
func TestCalibrationReachesTheModel(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	t.Setenv("HOME", t.TempDir())
	machine, err := calibration.This(meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &calibration.Calibration{
		Format: "spell-lsp/calibration/v1", Date: time.Now(), Counter: "rapl", Machine: machine,
		Fit: calibration.Fit{IdleW: 3, BusyW: 7, Error: 0.01},
	}
	if _, err := calibration.Usual().Keep(c, false); err != nil {
		t.Fatal(err)
	}
	s, err := Open("model", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info := s.Info()
	if text := strings.Join(wording.Texts(info.Notes), " "); info.Source != record.Estimated || info.PerCPUSecond[0] != 7 || info.IdleW[0] != 3 || !strings.Contains(text, "tier E0") {
		t.Errorf("%+v: %s", info, text)
	}
	for _, r := range Doctor(meter.Options{}) {
		if r.Name == "model" && !strings.Contains(r.Why, "tier E0: 3 W idle and 7 W for each busy one of") {
			t.Errorf("the doctor says of the model: %s", r.Why)
		}
	}
}
