package meters

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/rapl"
	"spell-lsp/runner/rapl/powercapsim"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// machine is one with these zones and this processor; no zones: no powercap.
func machine(t *testing.T, cpuinfo string, zones ...powercapsim.Zone) meter.Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cpuinfo"), []byte(cpuinfo), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(zones) > 0 {
		sim, err := powercapsim.New(powercapsim.Params{Dir: dir, Zones: zones})
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	return meter.Options{PowercapRoot: powercapsim.Root(dir), ProcRoot: dir}
}

const (
	virtual  = "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\nmodel name : Intel(R) Xeon(R) Processor @ 2.50GHz\nflags : fpu hypervisor\n"
	nameless = "processor : 0\n"
)

// auto takes what measures before what estimates, and says why not.
func TestAuto(t *testing.T) {
	tests := []struct {
		why     string
		o       meter.Options
		meter   string
		source  record.Source
		reasons []string // what each says
	}{
		{"RAPL", machine(t, virtual, powercapsim.DefaultZones()...), "rapl", record.Measured, nil},
		{"no powercap", machine(t, virtual), "model", record.Estimated, []string{"meter rapl does not work here: no RAPL counter: there is no "}},
		{"no package", machine(t, virtual, powercapsim.Zone{Name: "psys"}), "model", record.Estimated, []string{"no package zone"}},
		{"no powercap, nothing known", machine(t, nameless), "model", record.NoEnergy, []string{"there is no "}},
	}
	for _, tt := range tests {
		for _, name := range []string{Auto, ""} {
			m, reasons, err := Open(name, tt.o)
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
				if !strings.Contains(reasons[i].String(), want) {
					t.Errorf("%s: reason %q does not say %q", tt.why, reasons[i], want)
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A meter that is asked for by name is taken or is an error: another one never
// takes its place.
func TestNamed(t *testing.T) {
	with, without := machine(t, virtual, powercapsim.DefaultZones()...), machine(t, virtual)
	m, reasons, err := Open("model", with)
	if err != nil || len(reasons) != 0 || m.Info().Name != "model" {
		t.Errorf("model: %v, %v, %v", m, reasons, err)
	}
	_, _, err = Open("rapl", without)
	var failed *OpenError
	var none *rapl.NoCounterError
	if !errors.As(err, &failed) || !errors.As(err, &none) || failed.Name != "rapl" {
		t.Errorf("rapl where there is none: %v", err)
	}
	_, _, err = Open("solar", with)
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `"solar"; there are auto, rapl, model`) {
		t.Errorf("a meter that there is not: %v", err)
	}
}

// Where every meter fails auto is an error with every reason, and remedies go
// with the reasons.
func TestNothingWorks(t *testing.T) {
	drivers := []meter.Driver{broken("a", "plug it in"), broken("b", "")}
	_, reasons, err := open(drivers, Auto, meter.Options{})
	if err == nil || !strings.Contains(err.Error(), "a is broken") || !strings.Contains(err.Error(), "b is broken") {
		t.Errorf("error %v does not give both reasons", err)
	}
	want := []Reason{{"a", "a is broken", "plug it in"}, {"b", "b is broken", ""}}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if _, _, err := open(drivers, "a", meter.Options{}); err == nil || !strings.HasSuffix(err.Error(), "\nto make it work: plug it in") {
		t.Errorf("error %v does not end in the remedy", err)
	}
	if _, _, err := open(drivers, "b", meter.Options{}); err == nil || strings.Contains(err.Error(), "to make it work") {
		t.Errorf("error %v has a remedy where there is none", err)
	}
}

func broken(name, remedy string) meter.Driver {
	return meter.Driver{
		Name:   name,
		Open:   func(meter.Options) (meter.Meter, error) { return nil, errors.New(name + " is broken") },
		Remedy: func(error) string { return remedy },
	}
}

func TestDoctor(t *testing.T) {
	reports := Doctor(machine(t, virtual, powercapsim.DefaultZones()...))
	for i := range reports {
		if reports[i].Name == "model" && !strings.Contains(reports[i].Why, "tier E2") {
			t.Errorf("the model does not tell its tier: %s", reports[i].Why)
		}
		reports[i].Why = ""
	}
	want := []Report{
		{Name: "rapl", Works: true, Domains: []spell.Domain{spell.CPU, spell.DRAM}, Source: record.Measured},
		{Name: "model", Works: true, Domains: []spell.Domain{spell.CPU}, Source: record.Estimated},
		{Name: "none", Works: true, Source: record.NoEnergy},
	}
	if diff := cmp.Diff(want, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	reports = Doctor(machine(t, nameless))
	if reports[0].Works || !strings.Contains(reports[0].Why, "there is no ") {
		t.Errorf("rapl without powercap: %+v", reports[0])
	}
	if !reports[1].Works || reports[1].Source != record.NoEnergy {
		t.Errorf("model without a name: %+v", reports[1])
	}
}

func TestWriteDoctor(t *testing.T) {
	var b bytes.Buffer
	err := WriteDoctor(&b, []Report{
		{Name: "rapl", Why: "it is closed", Remedy: "one of these:\n1. open it"},
		{Name: "perf", Works: true, Domains: []spell.Domain{spell.CPU, spell.DRAM}, Source: record.Measured},
		{Name: "model", Works: true, Why: "nothing is known", Source: record.NoEnergy},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `rapl    does not work
        it is closed
        To make it work, one of these:
        1. open it
perf    works: measured, cpu and dram
model   works, without joules
        nothing is known

auto    takes perf
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	b.Reset()
	if err := WriteDoctor(&b, []Report{{Name: "rapl", Why: "it is closed"}}); err != nil || !strings.HasSuffix(b.String(), "auto    takes nothing: no meter works here\n") {
		t.Errorf("%v, %q", err, b.String())
	}
}
