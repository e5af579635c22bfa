// Package powercapsim simulates the Linux powercap class: a folder tree whose
// counters advance by energy that is known exactly at every moment (the truth).
//
// A zone's energy is the integral of its power. Its counter shows that energy in
// whole hardware units, modulo the zone's range, and is updated at intervals
// drawn around one millisecond, as real counters are. The file is overwritten in
// place at a fixed width, so that no reader finds it empty or half written.
//
// The energy of zones can also come from programs that really run: those that
// compute with package burn book their energy in a file that they share with the
// simulator, see Params.Accounts and Zone.Load.
//
// Limits: an update is late when the simulating process does not get a CPU, but
// it then shows the energy of that later moment. Params.RealTime makes this rare,
// and Sim.Lateness reports how late the updates were. Unlike a file of sysfs, an
// open file cannot be made to fail, so a reader sees a fault when it opens the
// file again, except faults that change the content.
package powercapsim

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// Params describe a simulated machine. They can be passed on as JSON.
type Params struct {
	Dir    string `json:"dir"`    // an existing folder; the class is made in it, see Root
	Zones  []Zone `json:"zones"`  // none: DefaultZones
	Period Period `json:"period"` // the zero value is Broadwell
	Seed   uint64 `json:"seed"`   // of the random update intervals
	// Accounts is the file in which programs book their energy, in the format of
	// burn.Accounts. The simulator creates it; "" for none.
	Accounts string `json:"accounts"`
	// Physics is what the machine makes of the power of programs that run at the same time.
	Physics burn.Physics `json:"physics"`
	// Late is the share of the accounts' energy that counters show late, by a low-pass filter
	// with the time constant LateBy: as the regulators of a board do.
	Late   float64       `json:"late"`
	LateBy time.Duration `json:"late_by"`
	// OthersWatts is what a processor draws while it runs processes that do not take part; 0: they draw
	// nothing, as where the running time of the machine is not known.
	OthersWatts float64 `json:"others_watts"`
	// ByCPU has programs book their energy by processor too, in burn.Accounts.CPUs: for a meter of single cores.
	ByCPU bool `json:"by_cpu"`
	// RealTime gives this process precedence over all others (SCHED_FIFO, or the
	// best nice value where that is not allowed), because hardware does not wait
	// for a processor. Use it only in a process that does nothing else.
	RealTime bool `json:"real_time"`
	// Observe, if set, is called after each update, on the updating goroutine.
	Observe func() `json:"-"`
	// Clock returns the time in nanoseconds; nil for Now. A test with its own
	// clock calls Update instead of Start.
	Clock func() int64 `json:"-"`
}

// A Zone is one zone of the class. The power and energy of a package must include
// those of its core and uncore zones: the simulator does not add them up.
type Zone struct {
	Name    string `json:"name"`    // package-0, dram, ...
	Parent  string `json:"parent"`  // ID of the zone it stands in, "" for none; must come before it
	Control string `json:"control"` // "" for intel-rapl
	// Mirror is the ID of a zone whose counter this one repeats, as
	// intel-rapl-mmio and the dies of some AMD packages do; "" for none.
	Mirror  string  `json:"mirror"`
	Watts   float64 `json:"watts"`    // 0 or more; SetWatts changes it
	RangeUJ uint64  `json:"range_uj"` // where the counter wraps, in µJ; 0 for DefaultRangeUJ
	StartUJ uint64  `json:"start_uj"` // what the counter shows at the start, in µJ, below the range
	// Load is the fraction of the accounts' energy that the zone uses in addition
	// to Watts: 1 for the package, less for memory.
	Load float64 `json:"load"`
	// Joules, if set, replaces Watts: the energy in joules that was used since the
	// start. It never decreases.
	Joules func(elapsed time.Duration) float64 `json:"-"`
}

// ID names a zone among others: its control type unless that is intel-rapl, its
// parent, its name: "package-0", "package-0/dram", "intel-rapl-mmio/package-0".
func (z Zone) ID() string {
	switch {
	case z.Parent != "":
		return z.Parent + "/" + z.Name
	case z.Control != "" && z.Control != defaultControl:
		return z.Control + "/" + z.Name
	}
	return z.Name
}

const (
	defaultControl = "intel-rapl"
	// DefaultRangeUJ is the range of a package of an Intel server: 2^32 units of
	// 2^-14 J.
	DefaultRangeUJ uint64 = 262_143_328_850
	// unitJ is the hardware unit of such a counter.
	unitJ = 1.0 / (1 << 14)
)

// DefaultZones is a machine with one package of 20 W and memory of 4 W.
func DefaultZones() []Zone {
	return []Zone{
		{Name: "package-0", Watts: 20},
		{Name: "core", Parent: "package-0", Watts: 14},
		{Name: "dram", Parent: "package-0", Watts: 4},
	}
}

// Root is the folder of the class in a tree made in dir: what a reader takes
// for /sys/class/powercap.
func Root(dir string) string { return filepath.Join(dir, "class", "powercap") }

// check refuses what cannot be simulated.
func (p Params) check() error {
	if p.Dir == "" {
		return errors.New("no folder to simulate in")
	}
	if !(p.Late >= 0 && p.Late < 1) || p.Late > 0 && p.LateBy <= 0 {
		return fmt.Errorf("a share of %v is late by %v: want a share from 0 to below 1, and a time", p.Late, p.LateBy)
	}
	if !isPower(p.OthersWatts) || p.OthersWatts > 0 && p.Accounts == "" {
		return fmt.Errorf("other processes draw %v W: want a power, and accounts", p.OthersWatts)
	}
	known := map[string]bool{}
	for _, z := range p.Zones {
		id := z.ID()
		switch {
		case z.Name == "" || known[id]:
			return fmt.Errorf("zone %q: names must be given, and once in a parent", id)
		case z.Parent != "" && !known[z.Parent]:
			return fmt.Errorf("zone %q: its parent does not come before it", id)
		case z.Mirror != "" && !known[z.Mirror]:
			return fmt.Errorf("zone %q: the zone it mirrors, %q, does not come before it", id, z.Mirror)
		case !isPower(z.Watts):
			return fmt.Errorf("zone %q: %v W is no power", id, z.Watts)
		case !isPower(z.Load):
			return fmt.Errorf("zone %q: %v is no part of the accounts' energy", id, z.Load)
		case z.Load > 0 && p.Accounts == "":
			return fmt.Errorf("zone %q: uses the energy of accounts, but there are none", id)
		case z.StartUJ >= z.rangeUJ():
			return fmt.Errorf("zone %q: starts at %d µJ, at or above its range", id, z.StartUJ)
		}
		known[id] = true
	}
	return nil
}

func isPower(watts float64) bool { return watts >= 0 && watts < 1e6 } // false for NaN

func (z Zone) rangeUJ() uint64 {
	if z.RangeUJ == 0 {
		return DefaultRangeUJ
	}
	return z.RangeUJ
}

func (z Zone) control() string {
	if z.Control == "" {
		return defaultControl
	}
	return z.Control
}
