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
