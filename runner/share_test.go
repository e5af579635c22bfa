package runner

import (
	"math"
	"slices"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/summary"
)

// Why: in a virtual machine whose host fills its counter each second, functions had joules that nobody
// has measured: those that ran when a second's worth arrived. The run must have the energy of its tests
// as an estimate, by name the host's share, and rank functions by calls and time.
func TestHostsShare(t *testing.T) {
	root := simulate(t, powercapsim.Params{Zones: []powercapsim.Zone{{Name: "package-0", Watts: 20}}, Period: powercapsim.QEMU})
	p := Params{Dir: module(t, spinning), Rounds: 1, Meter: "rapl"}
	p.Meters.PowercapRoot = root
	run, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	share := slices.ContainsFunc(run.Meter.Notes, func(n note.Note) bool { return n.Code == note.HostsShareCode })
	if run.Meter.Source != record.Estimated || !share || run.Meter.ResolutionMS != 1000 || run.Meter.IdleW != 0 {
		t.Errorf("the meter is %+v, want an estimate of one second by name the host's share", run.Meter)
	}
	if s := ranking.Summarize(run, run.Tallies(), nil); s.Basis != summary.HostsShare {
		t.Errorf("the summary calls the energy %s", s.Basis)
	}
	if err := validity.Run(run); err != nil {
		t.Error(err)
	}
	if !slices.Equal(run.TestOnly(), []spell.Domain{spell.CPU}) || len(run.Components) == 0 {
		t.Errorf("known by test only: %v; %d components", run.TestOnly(), len(run.Components))
	}
	for _, c := range run.Components {
		if _, has := c.EnergyJ[spell.CPU]; has || c.TimeMS <= 0 || c.Psi <= 0 {
			t.Errorf("%s has %v J, %g ms, psi %g; want no energy, but time and psi", c.ID, c.EnergyJ, c.TimeMS, c.Psi)
		}
	}
	for _, test := range run.Tests {
		for name, part := range test.Unattributed {
			if _, has := part.EnergyJ[spell.CPU]; has && name != record.NotByFunction && name != record.Idle {
				t.Errorf("%s: the part %s has the host's share", test.Name, name)
			}
		}
		if part := test.Unattributed[record.NotByFunction].EnergyJ[spell.CPU]; math.Abs(part-test.EnergyJ[spell.CPU]) > 1e-9 || !test.BelowResolution {
			t.Errorf("%s: %g J of %g J are in no function, below resolution: %t", test.Name, part, test.EnergyJ[spell.CPU], test.BelowResolution)
		}
	}
}
