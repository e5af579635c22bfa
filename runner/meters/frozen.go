package meters

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
)

// A FrozenError says that a counter can be read but never advances, as in some
// virtual machines and behind filters.
type FrozenError struct {
	Name   string // of the meter
	Domain string
	After  time.Duration
}

func (e *FrozenError) Error() string {
	return fmt.Sprintf("frozen counter: %s did not change within %v while a processor was busy", e.Domain, e.After.Round(time.Millisecond))
}

const (
	// A counter is frozen when it has not advanced for frozenAfter under load, or for
	// maxMissed of its updates if that is longer.
	frozenAfter = 100 * time.Millisecond
	maxMissed   = 4
	// Counters with this resolution or a coarser one are not checked: that would take
	// minutes.
	tooSlow = time.Second
	// pollInterval is the time between two readings of the check.
	pollInterval = 500 * time.Microsecond
)

// An opener opens meters and checks that their counters advance.
type opener struct {
	now   func() time.Time
	sleep func(time.Duration)
	spin  func() (stop func()) // keeps a processor busy until it is stopped
}

func realTime() opener { return opener{time.Now, time.Sleep, spin} }

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

// open opens a meter and fails if its first domain is frozen. Other frozen domains
// are left out, with a warning.
func (op opener) open(d meter.Driver, o meter.Options) (meter.Meter, error) {
	m, err := d.Open(o)
	if err != nil {
		return nil, err
	}
	info := m.Info()
	if !info.Counter || info.Resolution >= tooSlow || len(info.Domains) == 0 {
		return m, nil
	}
	moved, err := op.moved(m, max(frozenAfter, maxMissed*info.Resolution))
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if slices.Contains(moved, false) {
		return without(m, moved), nil
	}
	return m, nil
}

// moved says which domains advance within a limit under load. It fails if the first
// one does not.
func (op opener) moved(m meter.Meter, limit time.Duration) ([]bool, error) {
	info := m.Info()
	first, now := make([]float64, len(info.Domains)), make([]float64, len(info.Domains))
	moved := make([]bool, len(info.Domains))
	if err := read(m, first); err != nil {
		return nil, err
	}
	defer op.spin()()
	// Both time and readings have to pass: while the machine is stopped, or this process waits for a
	// processor, nobody sees whether a counter advances.
	start, readings := op.now(), 0
	for ; ; op.sleep(pollInterval) {
		if err := read(m, now); err != nil {
			return nil, err
		}
		for i := range now {
			moved[i] = moved[i] || now[i] != first[i]
		}
		if !slices.Contains(moved, false) {
			return moved, nil
		}
		readings++
		if after := op.now().Sub(start); after >= limit && readings > int(limit/pollInterval) {
			if !moved[0] {
				return nil, &FrozenError{info.Name, string(info.Domains[0]), after}
			}
			return moved, nil
		}
	}
}

// read reads a meter; a discarded interval counts as one without progress.
func read(m meter.Meter, joules []float64) error {
	err := m.Read(meter.Usage{}, joules)
	if errors.Is(err, meter.ErrDiscarded) {
		return nil
	}
	return err
}

// subset is a meter without some of its domains.
type subset struct {
	meter.Meter
	info meter.Info
	kept []int     // indices of its domains in the whole meter
	all  []float64 // buffer for one reading of the whole meter
}

// without leaves out the domains that did not advance.
func without(m meter.Meter, moved []bool) *subset {
	whole := m.Info()
	f := &subset{Meter: m, info: whole, all: make([]float64, len(whole.Domains))}
	f.info.Domains, f.info.IdleW, f.info.Resolutions = nil, nil, nil
	f.info.Notes = slices.Clone(whole.Notes)
	for i, d := range whole.Domains {
		if !moved[i] {
			f.info.Notes = append(f.info.Notes, note.DomainFrozen(string(d)))
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

func (f *subset) Info() meter.Info { return f.info }

func (f *subset) Read(u meter.Usage, joules []float64) error {
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
