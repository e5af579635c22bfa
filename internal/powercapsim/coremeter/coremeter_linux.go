// Package coremeter is a meter with a counter for each core of a simulated machine (package powercapsim), whose processors count
// as cores. The counters of real machines are read by perf events, which cannot be simulated.
package coremeter

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/internal/powercapsim/burn"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/rapl"
)

// Name is that of the meter.
const Name = "cores"

// idleW is what all cores together draw when nothing runs. It is part of the package's idle power.
const idleW = 3.0

// Accounts is the accounts file of a simulated machine in a folder (powercapsim.Params.Accounts), where the meter looks for it. The
// machine needs Params.ByCPU.
func Accounts(dir string) string { return filepath.Join(dir, "accounts") }

// Driver opens the meter: the zones of rapl, and the cores on which the process may run.
func Driver() meter.Driver {
	return meter.Driver{Name: Name, Remedy: func(error) string { return "" }, Open: open}
}

type cores struct {
	meter.Meter
	info     meter.Info
	accounts *burn.Accounts
	began    time.Time
}

func open(o meter.Options) (meter.Meter, error) {
	m, err := rapl.Open(o)
	if err != nil {
		return nil, err
	}
	c := cores{Meter: m, info: m.Info(), began: time.Now()}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, errors.Join(fmt.Errorf("asking for the processors of this process: %w", err), m.Close())
	}
	for cpu := range burn.MaxCPUs {
		if allowed.IsSet(cpu) {
			c.info.CoreCPUs = append(c.info.CoreCPUs, []int{cpu})
		}
	}
	if c.accounts, err = burn.Open(Accounts(filepath.Dir(filepath.Dir(o.PowercapRoot)))); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return c, nil
}

// Info implements meter.Meter.
func (c cores) Info() meter.Info { return c.info }

// ReadCores is the energy of each core until now, in J.
func (c cores) ReadCores(joules []float64) {
	for core := range joules {
		used := c.accounts.CPUs[c.info.CoreCPUs[core][0]].PJ.Load()
		joules[core] = idleW/float64(len(joules))*time.Since(c.began).Seconds() + float64(used)/1e12
	}
}
