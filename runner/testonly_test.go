package runner

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
)

// A function that computes moves no bytes: CPU time says nothing of who used the disk.
// Its joules are nobody's, all of them, and those of the processor are shared as if it
// were not there.
func TestDiskIsNobodys(t *testing.T) {
	const second = 1e9
	w := &powers{domains: 3, idle: []float64{1, 0.5, 0}, testOnly: testOnly([]spell.Domain{spell.CPU, spell.Disk, spell.Net})}
	v := &interval{
		counts: map[int]probe.Count{1: {N: 1, SelfNS: 0.06 * second}, 2: {N: 1, SelfNS: 0.94 * second}}, // save, spin
		joules: []float64{11, 3, 0.25}, lengthNS: second, programNS: second,
	}
	shares, parts := newPool(2, nil).attribute(v, w)
	for c, want := range map[int]float64{0: 0.6, 1: 9.4} {
		s := shares[c]
		if math.Abs(s.joules[0]-want) > 1e-9 || s.joules[1] != 0 || s.joules[2] != 0 || s.cumJoules[1] != 0 {
			t.Errorf("component %d has %v J, with callees %v, want %v of the processor alone", c, s.joules, s.cumJoules, want)
		}
	}
	if diff := cmp.Diff([]float64{0, 2.5, 0.25}, parts[record.NotByFunction].joules); diff != "" {
		t.Errorf("not known by function (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 0.5, 0}, parts[record.Idle].joules); diff != "" {
		t.Errorf("idle machine (-want +got):\n%s", diff)
	}
}

// A run of a meter with a disk has the key in tests, and in no component, cell, part or
// round of what only shares the processor: a 0 would say that they used none.
func TestRunWithDisk(t *testing.T) {
	domains := []spell.Domain{spell.Disk, spell.CPU} // the disk stands first
	m := &measurement{info: meter.Info{Domains: domains}}
	o := &observation{pkg: "m", name: "TestBoth", outcome: record.Pass, executions: 1, timeMS: 1000, joules: []float64{3, 10}}
	o.intervals = []*interval{{
		counts: map[int]probe.Count{1: {N: 1, SelfNS: 0.5e9, CumNS: 0.5e9, WallNS: 0.5e9}}, joules: o.joules, lengthNS: 1e9, programNS: 0.5e9,
	}}
	r := &round{tests: []*observation{o}}
	w := &powers{domains: 2, idle: []float64{0, 2}, testOnly: testOnly(domains)}
	r.attribute(newPool(1, nil), w, func(component int, s share) (int, share) { return component, s })
	run := &record.Run{Schema: record.Schema, Granularity: spell.KindFunction, Rounds: 1, Mode: "instrument",
		Meter: record.Meter{Name: "disk,model", Source: record.Estimated, Domains: domains}}
	index := fill(run, []*round{r}, []spell.Component{{ID: "m.F", Kind: spell.KindFunction}}, domains, func(int) bool { return true })
	m.kept = []*round{r}
	m.intervals(run, index, w)
	ranking.Analyze(run, spell.Options{}, false)
	c, test := run.Components[0], run.Tests[0]
	cpu := func(joules float64) record.Energy { return record.Energy{spell.CPU: joules} }
	for _, e := range []struct {
		what      string
		want, got any
	}{
		{"energy", cpu(8), c.EnergyJ}, {"cumulative energy", cpu(8), c.CumEnergyJ}, {"energy per call", 8.0, c.EPIJ},
		{"rounds", map[spell.Domain][]float64{spell.CPU: {8}}, c.RoundEnergyJ},
		{"similarities", map[string]float64{"cpu": 1, "n": 1, "time": 1}, c.Phi},
		{"energy of the cell", cpu(8), run.Matrix.Cell(0).EnergyJ}, {"its cumulative energy", cpu(8), run.Matrix.Cell(0).CumEnergyJ},
		{"energy of the test", record.Energy{spell.CPU: 10, spell.Disk: 3}, test.EnergyJ},
		{"unattributed", record.Energy{spell.CPU: 2, spell.Disk: 3}, test.UnattributedJ},
		{"unknown", record.Energy{spell.Disk: 3}, test.Unattributed[record.NotByFunction].EnergyJ},
		{"idle", record.Energy{spell.CPU: 2, spell.Disk: 0}, test.Unattributed[record.Idle].EnergyJ},
		{"balance", 0.0, run.Imbalance()},
	} {
		if diff := cmp.Diff(e.want, e.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.what, diff)
		}
	}
	for name, part := range test.Unattributed {
		if _, has := part.EnergyJ[spell.Disk]; has && name != record.Idle && name != record.NotByFunction {
			t.Errorf("the part %q has a share of the disk", name)
		}
	}
	if _, err := validity.Checked(run); err != nil {
		t.Error(err)
	}
}
