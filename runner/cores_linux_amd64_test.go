package runner

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/internal/powercapsim/coremeter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

func init() { ownMeters = append(ownMeters, coremeter.Driver()) }

var alwaysTogether = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n\nrequire " + powercapsim.BurnModule + " v0.0.0\n\nreplace " + powercapsim.BurnModule + " => ./burn\n",
	"m.go": `package m

import (
	"time"

	"` + powercapsim.BurnModule + `"
)

//go:noinline
func Cool() { burn.CPU(0, 4, time.Millisecond) }

//go:noinline
func Hot() { burn.CPU(1, 20, time.Millisecond) }
`,
	"m_test.go": `package m

import (
	"sync"
	"testing"
)

func TestBoth(t *testing.T) {
	var both sync.WaitGroup
	for _, f := range []func(){Cool, Hot} {
		both.Go(func() {
			for range 600 {
				f()
			}
		})
	}
	both.Wait()
}
`,
}

// Why: two functions that run all the time, each on a thread of its own, are in each tick to the same part: by the counter of the
// package, nobody can say which of them draws how much. By those of the cores that they run on, anybody can. All is on the way here: the meter
// in the sampler's process, the probes, which write down on which processor a function ran, and the model.
func TestFunctionsThatAlwaysRunTogether(t *testing.T) {
	dir := t.TempDir()
	simulateIn(t, powercapsim.Params{Dir: dir, Accounts: coremeter.Accounts(dir), ByCPU: true, Zones: []powercapsim.Zone{{Name: "package-0", Watts: 8, Load: 1}}})
	t.Setenv(burn.Variable, coremeter.Accounts(dir))
	work := module(t, alwaysTogether)
	if err := powercapsim.WriteBurn(filepath.Join(work, "burn")); err != nil {
		t.Fatal(err)
	}
	const rounds = 3
	p := Params{Dir: work, Meter: coremeter.Name, Rounds: rounds}
	p.Meters.PowercapRoot = powercapsim.Root(dir)
	run, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := burn.Open(coremeter.Accounts(dir))
	if err != nil {
		t.Fatal(err)
	}
	// How many functions have their power from cores depends on the machine: where others keep it busy, the two take turns.
	if !slices.ContainsFunc(run.Meter.Notes, func(n note.Note) bool { return n.Code == note.CoresUsedCode }) {
		t.Errorf("no word of the counters of cores: %q", wording.Texts(run.Meter.Notes))
	}
	used := func(function int) float64 { return float64(accounts.Functions[function].PJ.Load()) / 1e12 / rounds }
	for function, name := range []string{"example.com/m.Cool", "example.com/m.Hot"} {
		truth := used(function)
		i := slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == name })
		if i < 0 {
			t.Errorf("%s is not in the record", name)
		} else if got := run.Components[i].EnergyJ[spell.CPU]; math.Abs(got-truth) > (used(0)+used(1))/10 { // divided equally, a third of the energy would be wrong
			t.Errorf("%s has %.3f J, used %.3f J", name, got, truth)
		}
	}
}
