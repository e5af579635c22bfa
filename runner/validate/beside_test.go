package validate

import (
	"slices"
	"testing"

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
		{"another was never read", []*reader{rapl, perf, battery, {name: "perf"}}, []validation.Source{twin, {Name: "battery", Whole: true, SourceJ: 300, CounterJ: 100}}},
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
