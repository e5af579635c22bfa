package rapl

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/childtest"
	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Counters with different small ranges wrap hundreds of times, at different moments,
// under changing power. The total is the simulated energy.
func TestWraps(t *testing.T) {
	sim := newSimulation(t,
		powercapsim.Zone{Name: "package-0", RangeUJ: 5_000_000, StartUJ: 4_999_000, Joules: powercapsim.Square(20, 150, 70*time.Millisecond)},
		powercapsim.Zone{Name: "dram", Parent: "package-0", RangeUJ: 700_000, Watts: 9},
		powercapsim.Zone{Name: "core", Parent: "package-0", RangeUJ: 5_000_000, Watts: 11},
		powercapsim.Zone{Name: "package-1", RangeUJ: 3_000_001, Watts: 60},
		powercapsim.Zone{Name: "psys", RangeUJ: 5_000_000, Watts: 200},
	)
	m := sim.open(t)
	opened := sim.now
	sim.run(t, m, 10_000)
	from, to := sim.sim.Truth(opened), sim.sim.Truth(sim.now)
	used := func(zone string) float64 { return to[zone] - from[zone] }
	reads(t, m, used("package-0")+used("package-1"), used("package-0/dram"), used("package-0"), used("package-1"), used("psys"))
	if wraps := used("package-0") / 5; wraps < 100 {
		t.Errorf("package-0 wrapped %.0f times, want at least 100", wraps)
	}
}

func TestInfo(t *testing.T) {
	sim := newSimulation(t, powercapsim.DefaultZones()...)
	got := sim.open(t).Info()
	want := meter.Info{
		Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.DRAM},
		Resolution: time.Millisecond, Counter: true, WholeMachine: true, Root: realPath(t, sim.sim.Root()),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// Why: psys has the joules of packages and memory in it, and what is counted for one of several packages
// is in cpu already. Added to a domain, they would count twice; so they are read beside the domains. A machine
// with one package has nothing more to say of it, and a psys that cannot be read leaves the rest as it is.
func TestSeparateCounters(t *testing.T) {
	package0 := powercapsim.Zone{Name: "package-0", Watts: 50}
	dram0 := powercapsim.Zone{Name: "dram", Parent: "package-0", Watts: 3}
	for _, tt := range []struct {
		why       string
		zones     []powercapsim.Zone
		broken    string // ID of a zone
		cpu, dram float64
		separate  map[string]float64
		warnings  []string
	}{
		{why: "one package without psys", zones: []powercapsim.Zone{package0, dram0}, cpu: 50, dram: 3},
		{
			why: "a laptop's psys", zones: []powercapsim.Zone{{Name: "psys", Watts: 90}, package0, dram0},
			cpu: 50, dram: 3, separate: map[string]float64{"platform psys": 90},
		},
		{
			why: "two packages, of which the second has the counter of the machine; memory of dies is that of their package",
			zones: []powercapsim.Zone{
				{Name: "package-10", Watts: 30}, {Name: "dram", Parent: "package-10", Watts: 2},
				{Name: "package-2-die-0", Watts: 50, StartUJ: 5_000_000_000}, {Name: "dram", Parent: "package-2-die-0", Watts: 3},
				{Name: "package-2-die-1", Watts: 20}, {Name: "dram", Parent: "package-2-die-1", Watts: 1},
				{Name: "psys-10", Watts: 150},
			},
			cpu: 100, dram: 6,
			separate: map[string]float64{"package package-2": 70, "package package-10": 30, "memory dram-2": 4, "memory dram-10": 2, "platform psys-10": 150},
		},
		{
			why: "a psys that cannot be read", zones: []powercapsim.Zone{package0, dram0, {Name: "psys", Watts: 90}}, broken: "psys",
			cpu: 50, dram: 3, warnings: []string{"the counter psys is not shown: /"},
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			sim := newSimulation(t, tt.zones...)
			if tt.broken != "" {
				if err := sim.sim.Fault(tt.broken, powercapsim.Folder); err != nil {
					t.Fatal(err)
				}
			}
			m := sim.open(t)
			checkWarnings(t, m.Info().Notes, tt.warnings)
			sim.run(t, m, 1000)
			joules := make([]float64, m.Info().Values())
			if err := m.Read(meter.Usage{}, joules); err != nil {
				t.Fatal(err)
			}
			reads(t, m, tt.cpu, tt.dram)
			var got map[string]float64
			for i, s := range m.Info().Separate {
				if got == nil {
					got = map[string]float64{}
				}
				got[string(s.Kind)+" "+s.Name] = math.Round(joules[2+i]*1000) / 1000
			}
			if diff := cmp.Diff(tt.separate, got); diff != "" {
				t.Errorf("counters that are read separately, in joules of a second (-want +got):\n%s", diff)
			}
		})
	}
}

// Why: psys is connected to whatever the machine's maker chose. A fault of it made the reading of the processors fail too, and with it
// the round. It makes a value of its own missing, and nothing else.
func TestFaultOfPsys(t *testing.T) {
	sim := newSimulation(t, powercapsim.Zone{Name: "package-0", Watts: 50}, powercapsim.Zone{Name: "psys", Watts: 90})
	m := sim.open(t)
	for _, tt := range []struct {
		why   string
		fault powercapsim.Fault
		want  []float64
	}{
		{"no fault", "", []float64{0.5, 0.9}},
		{"a counter that steps back", powercapsim.StepBack, []float64{1, meter.Missing()}},
		{"the reading after it", "", []float64{1.5, 1.8}},
		{"a file that holds no number", powercapsim.Garbage, []float64{2, meter.Missing()}},
	} {
		if tt.fault != "" {
			if err := sim.sim.Fault("psys", tt.fault); err != nil {
				t.Fatal(err)
			}
		}
		sim.wait(10 * time.Millisecond)
		got := make([]float64, 2)
		err := m.Read(meter.Usage{}, got)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-3)); err != nil || diff != "" {
			t.Errorf("%s: %v, joules of cpu and psys (-want +got):\n%s", tt.why, err, diff)
		}
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A user who names a folder of counters can put anything into it. The meter therefore
// reports the real path of that folder, unless the path leads to the system's own.
func TestRootOfCounters(t *testing.T) {
	sim := newSimulation(t, powercapsim.DefaultZones()...)
	system := sim.sim.Root() // in its usual place below sys
	sys, links := filepath.Dir(filepath.Dir(system)), t.TempDir()
	link, other := filepath.Join(links, "link"), filepath.Join(links, "sys")
	if err := errors.Join(os.Symlink(system, link), os.Mkdir(other, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, sys, named, want string
	}{
		{"no folder is named", sys, "", ""},
		{"the folder of the system", sys, system + "/", ""},
		{"a link to the folder of the system", sys, link, ""},
		{"another folder", other, system, realPath(t, system)},
		{"a link to another folder", other, link, realPath(t, system)},
	} {
		m, err := Open(meter.Options{SysRoot: c.sys, PowercapRoot: c.named})
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if got := m.Info().Root; got != c.want {
			t.Errorf("%s: the root is %q, want %q", c.why, got, c.want)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A zone whose range is missing, 0 or not a number is read all the same; only an interval
// in which its counter steps back is discarded.
func TestUnknownRange(t *testing.T) {
	for _, text := range []string{"", "0\n", "unknown\n", "-1\n"} {
		t.Run(strings.TrimSpace("range "+text), func(t *testing.T) {
			sim := newSimulation(t, powercapsim.Zone{Name: "package-0", Watts: 20})
			path := filepath.Join(sim.sim.Root(), "intel-rapl:0", "max_energy_range_uj")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			m := sim.open(t)
			sim.run(t, m, 100)
			if err := sim.sim.Fault("package-0", powercapsim.StepBack); err != nil {
				t.Fatal(err)
			}
			sim.wait(time.Millisecond)
			if err := m.Read(meter.Usage{}, make([]float64, 1)); !errors.Is(err, meter.ErrDiscarded) {
				t.Errorf("a step back gives %v, want a discarded interval", err)
			}
			sim.run(t, m, 100)
			reads(t, m, 4) // 200 ms of 20 W, without the discarded interval
		})
	}
}

// If an interval of one zone is discarded, the other zones are counted all the same.
func TestDiscardedIntervalOfOneZone(t *testing.T) {
	sim := newSimulation(t, powercapsim.Zone{Name: "package-0", Watts: 20, StartUJ: 9_000_000}, powercapsim.Zone{Name: "package-1", Watts: 30})
	m := sim.open(t)
	if err := sim.sim.Fault("package-0", powercapsim.StepBack); err != nil {
		t.Fatal(err)
	}
	sim.wait(time.Millisecond)
	err := m.Read(meter.Usage{}, make([]float64, m.Info().Values()))
	if !errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), "intel-rapl:0") {
		t.Errorf("error %v, want a discarded interval of intel-rapl:0", err)
	}
	sim.run(t, m, 99)
	reads(t, m, 20*0.099+30*0.1)
}

// An interval in which a counter may have wrapped twice is discarded.
func TestLongGap(t *testing.T) {
	sim := newSimulation(t, powercapsim.Zone{Name: "package-0", Watts: 50, RangeUJ: 10_000_000})
	m := sim.open(t)
	sim.run(t, m, 100)
	sim.wait(450 * time.Millisecond)
	if err := m.Read(meter.Usage{}, make([]float64, 1)); !errors.Is(err, meter.ErrDiscarded) {
		t.Errorf("after 450 ms at 50 W with a range of 10 J: %v, want a discarded interval", err)
	}
	sim.run(t, m, 10)
}

// The meter opens only if energy_uj of every package holds a number: otherwise the error
// names the file. If only energy_uj of the memory does not, the memory is left out with a
// warning.
func TestOpenFaults(t *testing.T) {
	type openFault struct {
		fault powercapsim.Fault
		says  string
	}
	faults := []openFault{
		{powercapsim.Empty, "is empty"},
		{powercapsim.Garbage, "is not a number"},
		{powercapsim.Missing, "no such file"},
		{powercapsim.Folder, "is not a regular file"},
	}
	if runtime.GOOS == "linux" {
		faults = append(faults, openFault{powercapsim.EIO, "input/output error"}, openFault{powercapsim.EINVAL, "invalid argument"})
	}
	for _, tt := range faults {
		t.Run(string(tt.fault), func(t *testing.T) {
			sim := newSimulation(t, powercapsim.DefaultZones()...)
			if err := sim.sim.Fault("package-0/dram", tt.fault); err != nil {
				t.Fatal(err)
			}
			info := sim.open(t).Info()
			if diff := cmp.Diff([]spell.Domain{spell.CPU}, info.Domains); diff != "" {
				t.Errorf("domains while the memory cannot be read (-want +got):\n%s", diff)
			}
			checkWarnings(t, info.Notes, []string{"the memory's energy is not measured"})
			if said := wording.Text(info.Notes[0]); !strings.Contains(said, "intel-rapl:0:1") || !strings.Contains(said, tt.says) {
				t.Errorf("warning %q does not name the file and say %q", said, tt.says)
			}
			if err := sim.sim.Fault("package-0", tt.fault); err != nil {
				t.Fatal(err)
			}
			_, err := Open(meter.Options{PowercapRoot: sim.sim.Root()})
			if err == nil || !strings.Contains(err.Error(), "intel-rapl:0/energy_uj") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v does not name the file and say %q", err, tt.says)
			}
		})
	}
}

// While a counter cannot be read, readings fail. The first reading after that includes
// the energy of the failed intervals.
func TestFaultsWhileOpen(t *testing.T) {
	for _, fault := range []powercapsim.Fault{powercapsim.Empty, powercapsim.Garbage} {
		sim := newSimulation(t, powercapsim.Zone{Name: "package-0", Watts: 20})
		m := sim.open(t)
		sim.run(t, m, 10)
		if err := sim.sim.Fault("package-0", fault); err != nil {
			t.Fatal(err)
		}
		joules := []float64{-1}
		err := m.Read(meter.Usage{}, joules)
		if err == nil || errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), "intel-rapl:0/energy_uj") {
			t.Errorf("%s: error %v, want a failed reading and its file", fault, err)
		}
		if joules[0] != -1 {
			t.Errorf("%s: the failed reading returned %v J", fault, joules[0])
		}
		write(t, sim.sim.Root(), "intel-rapl:0/energy_uj", "500000\n")
		if err := m.Read(meter.Usage{}, joules); err != nil || joules[0] < 0.499 || joules[0] > 0.5 {
			t.Errorf("after %s: %v J, %v; want 0.5 J, all energy since the meter was opened", fault, joules[0], err)
		}
	}
}

// If there is no counter, the error says where one was expected and what was found.
func TestNoCounter(t *testing.T) {
	tests := []struct {
		why  string
		root string
		says string
	}{
		{"no class folder", filepath.Join(t.TempDir(), "none"), "there is no "},
		{"an empty class folder", tree(t), "holds no RAPL zone"},
		{"only other control types", tree(t, "zone dtpm:0 soc 1 10"), "holds no RAPL zone"},
		{"zones, but no package", tree(t, "zone intel-rapl:0 psys 1 10", "zone intel-rapl:1 core 1 10"), "no package zone, only intel-rapl:0 (psys), intel-rapl:1 (core)"},
		{"zones whose folders are hidden, as in a container", tree(t, "link intel-rapl:0 ../../devices/intel-rapl:0"), "intel-rapl:0 is not counted"},
	}
	for _, tt := range tests {
		_, err := Open(meter.Options{PowercapRoot: tt.root})
		var none *NoCounterError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want no counter and %q", tt.why, err, tt.says)
		}
	}
}

func TestReadChecksItsArguments(t *testing.T) {
	sim := newSimulation(t, powercapsim.DefaultZones()...)
	m := sim.open(t)
	if err := m.Read(meter.Usage{}, make([]float64, 1)); err == nil {
		t.Error("Read accepts a slice for one of two domains")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Read(meter.Usage{}, make([]float64, 2)); err == nil {
		t.Error("a closed meter can be read")
	}
}

// A simulator runs in real time, in a process of its own, and its counters wrap after a
// second. The total is within 0.5 % of the simulated energy, plus the energy of the time
// by which updates of the counters were late.
func TestSimulatorProcess(t *testing.T) {
	dir := t.TempDir()
	truth := startSimulator(t, powercapsim.Params{Dir: dir, Seed: 1, Period: powercapsim.IceLakeSP, Zones: []powercapsim.Zone{
		{Name: "package-0", Watts: 80, StartUJ: powercapsim.DefaultRangeUJ - 80_000_000},
		{Name: "dram", Parent: "package-0", Watts: 12, StartUJ: powercapsim.DefaultRangeUJ - 12_000_000},
	}})
	m, err := Open(meter.Options{PowercapRoot: powercapsim.Root(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	before, from := afterUpdate(t, m)
	for powercapsim.Now()-from < 2*time.Second.Nanoseconds() {
		time.Sleep(time.Millisecond)
		if err := m.Read(meter.Usage{}, make([]float64, 2)); err != nil {
			t.Fatal(err)
		}
	}
	after, to := afterUpdate(t, m)
	used, late := truth(from, to)
	for i, want := range []float64{used["package-0"], used["package-0/dram"]} {
		got := after[i] - before[i]
		if tolerated := want * (0.005 + float64(late)/float64(to-from)); math.Abs(got-want) > tolerated {
			t.Errorf("%s: read %.3f J, used %.3f J with counters up to %v late", m.Info().Domains[i], got, want, late)
		}
	}
}

// afterUpdate returns the first reading of m after an update of its counters, and the
// time of that reading. It skips an update if this process had to wait for a processor
// meanwhile: it is not known when such an update was.
func afterUpdate(t *testing.T, m meter.Meter) (joules []float64, at int64) {
	t.Helper()
	joules = make([]float64, 2)
	if err := m.Read(meter.Usage{}, joules); err != nil {
		t.Fatal(err)
	}
	begun := powercapsim.Now()
	for before := begun; ; before = at {
		last := slices.Clone(joules)
		if err := m.Read(meter.Usage{}, joules); err != nil {
			t.Fatal(err)
		}
		at = powercapsim.Now()
		switch {
		case joules[0] != last[0] && joules[1] != last[1] && at-before < time.Millisecond.Nanoseconds():
			return joules, at
		case at-begun > 2*time.Minute.Nanoseconds():
			t.Fatal("the counters did not advance for 2 minutes")
		}
	}
}

// startSimulator starts the test binary as a simulator. The returned function stops it,
// and returns the energy of each zone between two moments and the largest delay of an
// update.
func startSimulator(t *testing.T, p powercapsim.Params) func(from, to int64) (map[string]float64, time.Duration) {
	t.Helper()
	params, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	c := childtest.Start(t, again(t, "simulate", string(params))) // the tree is complete
	var first, last powercapsim.Line
	if err := json.Unmarshal([]byte(c.First), &first); err != nil {
		t.Fatal(err)
	}
	out := json.NewDecoder(c.Out)
	return func(from, to int64) (map[string]float64, time.Duration) {
		if err := c.In.Close(); err != nil {
			t.Fatal(err)
		}
		for out.More() {
			if err := out.Decode(&last); err != nil {
				t.Fatal(err)
			}
		}
		used := map[string]float64{}
		for zone := range last.Joules { // constant power: a straight line
			watts := (last.Joules[zone] - first.Joules[zone]) / float64(last.Time-first.Time)
			used[zone] = watts * float64(to-from)
		}
		return used, last.Late
	}
}

func BenchmarkRead(b *testing.B) {
	sim, err := powercapsim.New(powercapsim.Params{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	m, err := Open(meter.Options{PowercapRoot: sim.Root()})
	if err != nil {
		b.Fatal(err)
	}
	joules := make([]float64, 2)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Read(meter.Usage{}, joules); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(m.Close(), sim.Stop()); err != nil {
		b.Fatal(err)
	}
}

// Reading allocates nothing: the sampler reads a thousand times a second.
func TestReadAllocatesNothing(t *testing.T) {
	m := newSimulation(t, powercapsim.DefaultZones()...).open(t)
	joules := make([]float64, 2)
	if n := testing.AllocsPerRun(100, func() {
		if err := m.Read(meter.Usage{}, joules); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a reading allocates %v times", n)
	}
}

// Why: a virtual machine's own counters are filled by its host, whatever their driver says. Those of
// a folder that the user named may be of any machine.
func TestCountersOfAVirtualMachine(t *testing.T) {
	for _, tt := range []struct {
		cpuinfo   string
		elsewhere bool
		source    record.Source
	}{
		{"flags : fpu\n", false, record.Measured},
		{"flags : fpu hypervisor\n", false, record.Estimated},
		{"flags : fpu hypervisor\n", true, record.Measured},
	} {
		dir, proc := t.TempDir(), t.TempDir()
		sim, err := powercapsim.New(powercapsim.Params{Dir: dir, Zones: powercapsim.DefaultZones(), Clock: func() int64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sim.Stop(), os.WriteFile(filepath.Join(proc, "cpuinfo"), []byte(tt.cpuinfo), 0o600)); err != nil {
			t.Fatal(err)
		}
		o := meter.Options{ProcRoot: proc, SysRoot: dir}
		if tt.elsewhere {
			o = meter.Options{ProcRoot: proc, SysRoot: proc, PowercapRoot: sim.Root()}
		}
		m, err := open(o, openFile, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		info := m.Info()
		if share := slices.Equal(info.Whole, []bool{true, true}) && slices.Equal(info.IdleW, []float64{0, 0}) && info.Resolution == meter.SharePeriod; info.Source != tt.source || share != (tt.source == record.Estimated) {
			t.Errorf("%q, elsewhere %t: %+v", tt.cpuinfo, tt.elsewhere, info)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
