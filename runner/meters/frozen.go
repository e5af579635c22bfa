package meters

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"spell-lsp/runner/meter"
)

// A FrozenError says that a counter can be read, and stands still: virtual
// machines and filters show such.
type FrozenError struct {
	Name   string // of the meter
	Domain string
	After  time.Duration
}

func (e *FrozenError) Error() string {
	return fmt.Sprintf("frozen counter: %s did not change within %v while a processor was busy", e.Domain, e.After.Round(time.Millisecond))
}

const (
	// patience is how long a counter may stand still under load.
	patience = 100 * time.Millisecond
	// updates is how many of its updates a slow counter may miss.
	updates = 4
	// tooSlow counters are not waited for: what they do shows only in minutes.
	tooSlow = time.Second
	// pause lies between two looks at a counter.
	pause = 500 * time.Microsecond
)

// A watch opens meters and sees to it that their counters move.
type watch struct {
	now   func() time.Time
	sleep func(time.Duration)
	spin  func() (stop func()) // keeps a processor busy until it is stopped
}

func realTime() watch { return watch{time.Now, time.Sleep, spin} }

func spin() (stop func()) {
	var done atomic.Bool
	var busy sync.WaitGroup
	busy.Go(func() {
		for !done.Load() {
			continue // the load is the purpose
		}
	})
	return func() {
		done.Store(true)
		busy.Wait()
	}
}

// open opens a meter whose first domain moves. Other domains that do not are
// left out, with a warning.
func (w watch) open(d meter.Driver, o meter.Options) (meter.Meter, error) {
	m, err := d.Open(o)
	if err != nil {
		return nil, err
	}
	info := m.Info()
	if !info.Counter || info.Resolution >= tooSlow || len(info.Domains) == 0 {
		return m, nil
	}
	moved, err := w.moved(m, max(patience, updates*info.Resolution))
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if slices.Contains(moved, false) {
		return without(m, moved), nil
	}
	return m, nil
}

// moved says which domains' readings change within a limit under load. The first
// has to.
func (w watch) moved(m meter.Meter, limit time.Duration) ([]bool, error) {
	info := m.Info()
	first, now := make([]float64, len(info.Domains)), make([]float64, len(info.Domains))
	moved := make([]bool, len(info.Domains))
	if err := read(m, first); err != nil {
		return nil, err
	}
	defer w.spin()()
	for start := w.now(); ; w.sleep(pause) {
		if err := read(m, now); err != nil {
			return nil, err
		}
		for i := range now {
			moved[i] = moved[i] || now[i] != first[i]
		}
		if !slices.Contains(moved, false) {
			return moved, nil
		}
		if after := w.now().Sub(start); after >= limit {
			if !moved[0] {
				return nil, &FrozenError{info.Name, string(info.Domains[0]), after}
			}
			return moved, nil
		}
	}
}

// read reads a meter; an interval that is discarded is like one in which nothing
// moved.
func read(m meter.Meter, joules []float64) error {
	err := m.Read(meter.Usage{}, joules)
	if errors.Is(err, meter.ErrDiscarded) {
		return nil
	}
	return err
}

// fewer is a meter without some of its domains.
type fewer struct {
	meter.Meter
	info meter.Info
	kept []int     // the places of its domains among the whole meter's
	all  []float64 // room for one reading of the whole meter
}

// without leaves out the domains that did not move.
func without(m meter.Meter, moved []bool) *fewer {
	whole := m.Info()
	f := &fewer{Meter: m, info: whole, all: make([]float64, len(whole.Domains))}
	f.info.Domains, f.info.IdleW, f.info.Resolutions = nil, nil, nil
	f.info.Warnings = slices.Clone(whole.Warnings)
	for i, d := range whole.Domains {
		if !moved[i] {
			f.info.Warnings = append(f.info.Warnings, fmt.Sprintf("the domain %s is not measured: frozen counter", d))
			continue
		}
		f.kept = append(f.kept, i)
		f.info.Domains = append(f.info.Domains, d)
		if whole.IdleW != nil {
			f.info.IdleW = append(f.info.IdleW, whole.IdleW[i])
		}
		if whole.Resolutions != nil {
			f.info.Resolutions = append(f.info.Resolutions, whole.Resolutions[i])
		}
	}
	return f
}

func (f *fewer) Info() meter.Info { return f.info }

func (f *fewer) Read(u meter.Usage, joules []float64) error {
	if len(joules) != len(f.kept) {
		return fmt.Errorf("reading %s: there is room for %d domains, the meter has %d", f.info.Name, len(joules), len(f.kept))
	}
	if err := f.Meter.Read(u, f.all); err != nil {
		return err
	}
	for i, k := range f.kept {
		joules[i] = f.all[k]
	}
	return nil
}
