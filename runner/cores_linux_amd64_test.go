package runner

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/rapl"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A coreMeter is the counters of a simulated machine whose processors are cores with counters of their own: of what programs
// booked on each, and of its idle power.
type coreMeter struct {
	meter.Meter
	info     meter.Info
	accounts *burn.Accounts
	began    time.Time
}

// All cores together draw idleCoresW, of the package's idlePackageW.
const idlePackageW, idleCoresW = 8.0, 3.0

func init() { ownMeters = append(ownMeters, coresDriver()) }

// coresDriver opens the meter "cores" of a machine whose programs book in accountsOf its folder.
func coresDriver() meter.Driver {
	return meter.Driver{Name: "cores", Remedy: func(error) string { return "" }, Open: func(o meter.Options) (meter.Meter, error) {
		m, err := rapl.Open(o)
		if err != nil {
			return nil, err
		}
		c := coreMeter{Meter: m, info: m.Info(), began: time.Now()}
		var allowed unix.CPUSet
		if err := unix.SchedGetaffinity(0, &allowed); err != nil {
			return nil, err
		}
		for cpu := range burn.MaxCPUs {
			if allowed.IsSet(cpu) {
				c.info.CoreCPUs = append(c.info.CoreCPUs, []int{cpu})
			}
		}
		c.accounts, err = burn.Open(accountsOf(filepath.Dir(filepath.Dir(o.PowercapRoot))))
		return c, err
	}}
}

func accountsOf(dir string) string { return filepath.Join(dir, "accounts") }

func (c coreMeter) Info() meter.Info { return c.info }

func (c coreMeter) ReadCores(joules []float64) {
	for core := range joules {
		used := c.accounts.CPUs[c.info.CoreCPUs[core][0]].PJ.Load()
		joules[core] = idleCoresW/float64(len(joules))*time.Since(c.began).Seconds() + float64(used)/1e12
	}
}

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
	simulateIn(t, powercapsim.Params{Dir: dir, Accounts: accountsOf(dir), ByCPU: true, Zones: []powercapsim.Zone{{Name: "package-0", Watts: idlePackageW, Load: 1}}})
	t.Setenv(burn.Variable, accountsOf(dir))
	work := module(t, alwaysTogether)
	if err := powercapsim.WriteBurn(filepath.Join(work, "burn")); err != nil {
		t.Fatal(err)
	}
	const rounds = 3
	p := Params{Dir: work, Meter: "cores", Rounds: rounds}
	p.Meters.PowercapRoot = powercapsim.Root(dir)
	run, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := burn.Open(accountsOf(dir))
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
