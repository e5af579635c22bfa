package meters

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/model"
	"spell-lsp/runner/rapl"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// machine makes the files of a machine with the given processor and zones. Without zones it
// has no powercap class. Its counters advance when the opener sleeps, and at no other time.
func machine(t *testing.T, cpuinfo string, zones ...powercapsim.Zone) (meter.Options, opener) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cpuinfo"), []byte(cpuinfo), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"io":      "read_bytes: 0\nwrite_bytes: 0\ncancelled_write_bytes: 0\n",
		"net/dev": "Inter-| Receive | Transmit\n face |bytes |bytes\n",
	} {
		path := filepath.Join(dir, "self", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{now: time.Unix(0, 0)}
	op := b.opener()
	if len(zones) > 0 {
		sim, err := powercapsim.New(powercapsim.Params{Dir: dir, Zones: zones, Clock: func() int64 { return b.now.UnixNano() }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := sim.Stop(); err != nil {
				t.Error(err)
			}
		})
		op.sleep = func(d time.Duration) {
			b.now = b.now.Add(d)
			sim.Update()
		}
	}
	return meter.Options{PowercapRoot: powercapsim.Root(dir), ProcRoot: dir, SysRoot: dir}, op
}

// withoutGPU returns all drivers except the GPU's, which no option directs to simulated files.
func withoutGPU() []meter.Driver {
	return slices.DeleteFunc(Drivers(), func(d meter.Driver) bool { return d.Name == "gpu" })
}

const (
	virtual  = "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\nmodel name : Intel(R) Xeon(R) Processor @ 2.50GHz\nflags : fpu hypervisor\n"
	metal    = "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\nmodel name : Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz\nflags : fpu\n"
	nameless = "processor : 0\n"
)

// auto prefers a meter that measures to one that estimates, and gives the reasons why other
// meters do not work.
func TestAuto(t *testing.T) {
	tests := []struct {
		why     string
		cpuinfo string
		zones   []powercapsim.Zone
		meter   string
		source  record.Source
		reasons []string // a substring of each
	}{
		{"RAPL", metal, powercapsim.DefaultZones(), "rapl", record.Measured, nil},
		{"RAPL of a virtual machine", virtual, powercapsim.DefaultZones(), "rapl", record.Estimated, nil},
		{"no powercap", virtual, nil, "model", record.Estimated, []string{"meter rapl does not work here: no RAPL counter: there is no ", "meter perf does not work here: no energy event: there is no "}},
		{"no package", virtual, []powercapsim.Zone{{Name: "psys"}}, "model", record.Estimated, []string{"no package zone", "no energy event"}},
		{"no powercap, unknown processor", nameless, nil, "model", record.NoEnergy, []string{"there is no ", "there is no "}},
	}
	for _, tt := range tests {
		o, op := machine(t, tt.cpuinfo, tt.zones...)
		for _, name := range []string{Auto, ""} {
			m, reasons, err := open(withoutGPU(), op, name, o)
			if err != nil {
				t.Fatalf("%s: %v", tt.why, err)
			}
			if got := m.Info(); got.Name != tt.meter || got.Source != tt.source {
				t.Errorf("%s: %s, %s; want %s, %s", tt.why, got.Name, got.Source, tt.meter, tt.source)
			}
			if len(reasons) != len(tt.reasons) {
				t.Fatalf("%s: %d reasons, want %d: %v", tt.why, len(reasons), len(tt.reasons), reasons)
			}
			for i, want := range tt.reasons {
				if !strings.Contains(wording.Text(reasons[i].Note()), want) {
					t.Errorf("%s: reason %q does not say %q", tt.why, reasons[i], want)
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// If the meter that the user named cannot be opened, that is an error; no other meter takes
// its place.
func TestNamed(t *testing.T) {
	with, _ := machine(t, virtual, powercapsim.DefaultZones()...)
	without, _ := machine(t, virtual)
	m, reasons, err := Open("model", with)
	if err != nil || len(reasons) != 0 || m.Info().Name != "model" {
		t.Errorf("model: %v, %v, %v", m, reasons, err)
	}
	_, _, err = Open("rapl", without)
	var failed *OpenError
	var none *rapl.NoCounterError
	if !errors.As(err, &failed) || !errors.As(err, &none) || failed.Name != "rapl" {
		t.Errorf("rapl without powercap: %v", err)
	}
	_, _, err = Open("solar", with)
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `"solar"; there are auto, rapl, perf, gpu, hwmon, battery, model, disk, net, none`) {
		t.Errorf("an unknown meter: %v", err)
	}
}

// If every meter fails, the error of auto has all reasons, and each reason has its
// remedy.
func TestNothingWorks(t *testing.T) {
	drivers := []meter.Driver{broken("a", "plug it in"), broken("b", "")}
	_, reasons, err := open(drivers, realTime(), Auto, meter.Options{})
	if err == nil || !strings.Contains(err.Error(), "a is broken") || !strings.Contains(err.Error(), "b is broken") {
		t.Errorf("error %v does not give both reasons", err)
	}
	want := []Reason{{"a", "a is broken", "plug it in"}, {"b", "b is broken", ""}}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if _, _, err := open(drivers, realTime(), "a", meter.Options{}); err == nil || !strings.HasSuffix(err.Error(), "\nto make it work: plug it in") {
		t.Errorf("error %v does not end with the remedy", err)
	}
	if _, _, err := open(drivers, realTime(), "b", meter.Options{}); err == nil || strings.Contains(err.Error(), "to make it work") {
		t.Errorf("error %v has a remedy where there is none", err)
	}
}

// By default Linux lets only root read the counters. auto then estimates and says so. The
// reason names the file and its mode, and has the remedy.
func TestFallbackIsLabelled(t *testing.T) {
	const path = rapl.DefaultRoot + "/intel-rapl:0/energy_uj"
	closed := rapl.Driver()
	closed.Open = func(meter.Options) (meter.Meter, error) {
		return nil, &rapl.PermissionError{Root: rapl.DefaultRoot, Path: path, Mode: 0o400, Owner: "root:root", Err: fs.ErrPermission}
	}
	o, op := machine(t, virtual)
	m, reasons, err := open([]meter.Driver{closed, model.Driver()}, op, Auto, o)
	if err != nil || m.Info().Source != record.Estimated || !strings.Contains(strings.Join(wording.Texts(m.Info().Notes), " "), "estimated, not measured") {
		t.Fatalf("%v, %v; want an estimate that says so", m, err)
	}
	if want := "meter rapl does not work here: " + path + " may not be read (mode 0400, owner root:root): permission denied (spell-lsp doctor tells how to make it work)"; wording.Text(reasons[0].Note()) != want {
		t.Errorf("reason %q, want %q", reasons[0], want)
	}
	for _, want := range []string{"sudo chmod a+r /sys/class/powercap/", "/etc/udev/rules.d/", "/etc/tmpfiles.d/", "spell-lsp-sampler", "PLATYPUS"} {
		if !strings.Contains(reasons[0].Remedy, want) {
			t.Errorf("the remedy does not contain %q:\n%s", want, reasons[0].Remedy)
		}
	}
}

func broken(name, remedy string) meter.Driver {
	return meter.Driver{
		Name:   name,
		Auto:   meter.Tried,
		Open:   func(meter.Options) (meter.Meter, error) { return nil, errors.New(name + " is broken") },
		Remedy: func(error) string { return remedy },
	}
}

// doctor reports every meter: whether it works here, what it reads, or why it does not work.
func TestDoctor(t *testing.T) {
	o, op := machine(t, virtual, powercapsim.DefaultZones()...)
	reports := doctor(withoutGPU(), op, o)
	for i := range reports {
		if reports[i].Name == "model" && !strings.Contains(reports[i].Why, "tier E2") {
			t.Errorf("the model does not name its tier: %s", reports[i].Why)
		}
		if reports[i].Name == "rapl" && !strings.HasPrefix(reports[i].Why, "Energy is the host's share, an estimate") {
			t.Errorf("the counter of a virtual machine is not called the host's share: %s", reports[i].Why)
		}
		if !reports[i].Works && !strings.Contains(reports[i].Why, "there is no ") {
			t.Errorf("%s does not say why it does not work: %q", reports[i].Name, reports[i].Why)
		}
		reports[i].Why = ""
	}
	want := []Report{
		{Name: "rapl", Auto: meter.Tried, Works: true, Domains: []spell.Domain{spell.CPU, spell.DRAM}, Source: record.Estimated},
		{Name: "perf", Auto: meter.Tried},
		{Name: "hwmon"},
		{Name: "battery"},
		{Name: "model", Auto: meter.Tried, Works: true, Domains: []spell.Domain{spell.CPU}, Source: record.Estimated},
		{Name: "disk", Works: true, Domains: []spell.Domain{spell.Disk}, Source: record.Estimated},
		{Name: "net", Works: true, Domains: []spell.Domain{spell.Net}, Source: record.Estimated},
		{Name: "none", Works: true, Source: record.NoEnergy},
	}
	if diff := cmp.Diff(want, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	o, op = machine(t, nameless)
	reports = doctor(withoutGPU(), op, o)
	if reports[0].Works || !strings.Contains(reports[0].Why, "there is no ") {
		t.Errorf("rapl without powercap: %+v", reports[0])
	}
	if i := slices.IndexFunc(reports, func(r Report) bool { return r.Name == "model" }); !reports[i].Works || reports[i].Source != record.NoEnergy {
		t.Errorf("model with an unknown processor: %+v", reports[i])
	}
	var b bytes.Buffer
	if err := WriteDoctor(&b, Doctor(meter.Options{})); err != nil || !strings.Contains(b.String(), "\ngpu     ") {
		t.Errorf("doctor does not report the GPU: %v\n%s", err, b.String())
	}
}

func TestWriteDoctor(t *testing.T) {
	var b bytes.Buffer
	err := WriteDoctor(&b, []Report{
		{Name: "rapl", Auto: meter.Tried, Why: "it is closed", Remedy: "one of these:\n1. open it"},
		{Name: "battery", Works: true, Domains: []spell.Domain{spell.CPU}, Source: record.Measured},
		{Name: "gpu", Auto: meter.Added, Works: true, Domains: []spell.Domain{spell.GPU}, Source: record.Measured},
		{Name: "perf", Auto: meter.Tried, Works: true, Domains: []spell.Domain{spell.CPU, spell.DRAM}, Source: record.Measured},
		{Name: "planted", Auto: meter.Named, Works: true, Domains: []spell.Domain{spell.CPU, spell.DRAM}, Separate: []string{"psys", "package-0"}, Source: record.Measured, Root: "/srv/planted"},
		{Name: "model", Auto: meter.Tried, Works: true, Why: "nothing is known", Source: record.NoEnergy},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `rapl    does not work
        it is closed
        To make it work, one of these:
        1. open it
battery works: measured, cpu; used only when named
gpu     works: measured, gpu
perf    works: measured, cpu and dram
planted works: measured, cpu and dram from counters below /srv/planted, not the system's; beside them psys, package-0; used only when named
model   works, without joules
        nothing is known

auto    takes perf,gpu
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	b.Reset()
	estimate := []Report{{Name: "model", Auto: meter.Tried, Works: true, Source: record.Estimated}, {Name: "gpu", Auto: meter.Added, Works: true, Source: record.Measured}}
	if err := WriteDoctor(&b, estimate); err != nil || !strings.HasSuffix(b.String(), "auto    takes model\n") {
		t.Errorf("%v: auto adds a meter that measures to one that estimates:\n%s", err, b.String())
	}
	b.Reset()
	if err := WriteDoctor(&b, []Report{{Name: "rapl", Why: "it is closed"}}); err != nil || !strings.HasSuffix(b.String(), "auto    takes nothing: no meter works here\n") {
		t.Errorf("%v, %q", err, b.String())
	}
}
