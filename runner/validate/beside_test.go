package validate

import (
	"os"
	"slices"
	"testing"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
)

// Why: on a machine with several packages psys is of one of them, and a test whose psys could not be read has
// none: compared with the energy of all packages, or of all tests, a true counter would look wrong.
func TestPlatform(t *testing.T) {
	tests := []record.Test{
		{EnergyJ: record.Energy{spell.CPU: 10}, SeparateJ: map[string]float64{"psys": 14}},
		{EnergyJ: record.Energy{spell.CPU: 20}},
		{EnergyJ: record.Energy{spell.CPU: 5}, SeparateJ: map[string]float64{"psys": 6}},
	}
	for _, tt := range []struct {
		name     string
		separate []string
		tests    []record.Test
		want     []validation.Source
	}{
		{"one package", []string{"psys"}, tests, []validation.Source{{Name: "psys", Whole: true, SourceJ: 20, CounterJ: 15}}},
		{"nothing is connected to psys", []string{"psys"}, []record.Test{{EnergyJ: record.Energy{spell.CPU: 5}, SeparateJ: map[string]float64{"psys": 0}}}, nil},
		{"psys of each of two packages", []string{"psys", "psys-1"}, tests, nil},
		{"two packages", []string{"package-0", "package-1", "psys"}, tests, nil},
		{"no psys", nil, tests[1:2], nil},
	} {
		start := &record.Run{Meter: record.Meter{Separate: tt.separate}, Tests: tt.tests}
		if got := platform(validation.Measurements{Start: start}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func reading(name string, first, last float64) *reader {
	return &reader{name: name, first: first, last: last, begun: true, whole: name == "battery"}
}

// Why: powercap and perf events read one register and must agree; a battery covers more than the processor, so
// that it must gain more, also where it is the counter. A sensor may cover more or less.
func TestSourcesBeside(t *testing.T) {
	rapl, perf, battery, hwmon := reading("rapl", 10, 110), reading("perf", 5, 104), reading("battery", 0, 300), reading("hwmon", 0, 90)
	twin := validation.Source{Name: "perf", SourceJ: 99, CounterJ: 100}
	for _, tt := range []struct {
		name    string
		readers []*reader
		want    []validation.Source
	}{
		{"another was never read", []*reader{rapl, perf, battery, {name: "perf"}}, []validation.Source{twin, {Name: "battery", Whole: true, SourceJ: 300, CounterJ: 100}, {Name: "perf", Failed: "perf was never read"}}},
		{"a sensor beside the counter", []*reader{rapl, hwmon, perf}, []validation.Source{twin}},
		{"a sensor is the counter", []*reader{hwmon, rapl, battery}, []validation.Source{{Name: "battery", Whole: true, SourceJ: 300, CounterJ: 90}}},
		{"the battery is the counter", []*reader{battery, rapl, hwmon}, nil},
	} {
		b := &beside{quit: make(chan struct{}), readers: tt.readers}
		if got := b.sources(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Why: where energy is missing of a second source, or of the counter beside it, a true counter would look wrong.
func TestFailedSources(t *testing.T) {
	at := func(joules float64, faulty bool) sampler.Reading {
		return sampler.Reading{Joules: []float64{joules}, Faulty: faulty}
	}
	rapl := reading("rapl", 10, 110)
	for _, tt := range []struct {
		name string
		list []sampler.Reading
		err  error
		want validation.Source
	}{
		{"all is well", []sampler.Reading{at(3, false), at(50, false), at(102, false)}, nil, validation.Source{SourceJ: 99, CounterJ: 100}},
		{"the first reading ends a gap before it", []sampler.Reading{at(3, true), at(102, false)}, nil, validation.Source{SourceJ: 99, CounterJ: 100}},
		{"a reading in the middle failed", []sampler.Reading{at(3, false), at(50, true), at(102, false)}, nil, validation.Source{Failed: "perf: a reading failed"}},
		{"readings were lost", []sampler.Reading{at(3, false)}, sampler.ErrBehind, validation.Source{Failed: "perf: " + sampler.ErrBehind.Error()}},
	} {
		perf := &reader{name: "perf"}
		perf.add(tt.list, tt.err)
		perf.add([]sampler.Reading{at(102, false)}, nil)
		tt.want.Name = "perf"
		if got := (&beside{quit: make(chan struct{}), readers: []*reader{rapl, perf}}).sources(); !slices.Equal(got, []validation.Source{tt.want}) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		got := (&beside{quit: make(chan struct{}), readers: []*reader{perf, rapl}}).sources()
		if got[0].Failed != tt.want.Failed {
			t.Errorf("%s, as the counter: %+v, want failure %q", tt.name, got, tt.want.Failed)
		}
	}
}

// Why: a source whose process ended keeps its last value, and would seem to gain too little.
func TestEndedSource(t *testing.T) {
	s, err := sampler.Open("model", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := newReader("model", s)
	for !r.begun {
		r.take()
	}
	if r.failed != "" {
		t.Errorf("while it runs: %s", r.failed)
	}
	process, err := os.FindProcess(s.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	for r.failed == "" {
		r.take()
	}
	if r.failed != "the process that reads it ended" {
		t.Errorf("after its end: %q", r.failed)
	}
}

// Why: --meter gpu,rapl is as good as rapl,gpu, and a graphics card is no second source of the processor.
func TestPartOfTheProcessor(t *testing.T) {
	reports := []meters.Report{{Name: "rapl", Domains: []spell.Domain{spell.CPU, spell.DRAM}}, {Name: "perf"}, {Name: "gpu", Domains: []spell.Domain{spell.GPU}}}
	for name, want := range map[string]string{"rapl": "rapl", "rapl,gpu": "rapl", "gpu,rapl": "rapl", "gpu": "", "perf": ""} {
		if got := ofProcessor(name, reports); got != want {
			t.Errorf("of %s: %q, want %q", name, got, want)
		}
	}
}

// Why: the page must not say that there is no second source where nobody looked for one.
func TestSourcesNotLookedFor(t *testing.T) {
	s := &session{Params: Params{Meters: meter.Options{PowercapRoot: t.TempDir()}}, result: &validation.Result{Meter: validation.Meter{Name: "rapl"}}}
	defer s.openBeside().close()
	if !s.result.Unsought {
		t.Error("other sources were looked for beside counters in a named folder")
	}
	s = &session{Params: Params{Meters: meter.Options{SysRoot: t.TempDir()}}, result: &validation.Result{Meter: validation.Meter{Name: "rapl"}}}
	defer s.openBeside().close()
	if s.result.Unsought {
		t.Error("none was looked for beside the system's own counters")
	}
}
