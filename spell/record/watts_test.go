package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Power is energy per running time, with the interval of the energy, in the domains that follow time;
// the ratio is to the mean, in which who runs longer weighs more.
func TestPowers(t *testing.T) {
	hot := record.Component{TimeMS: 100, EnergyJ: record.Energy{spell.CPU: 2, spell.DRAM: 0.4, spell.Disk: 7},
		EnergyCI: map[spell.Domain][2]float64{spell.CPU: {1.8, 2.2}}}
	cool := record.Component{TimeMS: 300, EnergyJ: record.Energy{spell.CPU: 2.1, spell.DRAM: 0.3}}
	counted := record.Component{N: 5}
	same := record.Component{TimeMS: 50, EnergyJ: record.Energy{spell.CPU: 0.35, spell.DRAM: 0.05}}
	run := func(source record.Source, all ...record.Component) *record.Run {
		return &record.Run{Mode: "instrument", Meter: record.Meter{Source: source}, Components: all, Matrix: record.Matrix{Domains: []spell.Domain{spell.CPU, spell.DRAM, spell.Disk}}}
	}
	for _, tt := range []struct {
		why  string
		run  *record.Run
		want []record.Power
	}{
		{"two, and one that did not run", run(record.Measured, hot, cool, counted), []record.Power{{Watts: 24, Low: 22, High: 26, Ratio: 2}, {Watts: 8, Ratio: 2. / 3}, {}}},
		{"an estimate has no powers of its own", run(record.Estimated, hot, cool), nil},
		{"all draw the same: energy was divided by time", run(record.Measured, cool, same), nil},
		{"nothing ran", run(record.Measured, counted), nil},
	} {
		if diff := cmp.Diff(tt.want, tt.run.Powers(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, diff)
		}
	}
}
