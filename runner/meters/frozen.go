package meters

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
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
	// Counters with this resolution or a coarser one are not checked, as that would take
	// minutes, but for the host's share, which has advanced after shareAfter if it does at all.
	tooSlow    = time.Second
	shareAfter = 5 * meter.SharePeriod / 2
	// A counter of processors with this interval or a longer one is filled by a host.
	minShare = meter.SharePeriod / 2
	// polls is how many readings a check takes at least before a counter is frozen.
	polls = 200
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
// are left out, with a warning; whether separate counters move, the measurement shows. A counter of processors that
// is updated about once a second is the host's share, also where the virtual machine hides that it is one.
func (op opener) open(d meter.Driver, o meter.Options) (meter.Meter, error) {
	m, err := d.Open(o)
	if err != nil {
		return nil, err
	}
	info := m.Info()
	share := info.Counter && slices.Contains(info.Whole, true)
	if !info.Counter || info.Resolution >= tooSlow && !share || len(info.Domains) == 0 {
		return m, nil
	}
	limit, updates := max(frozenAfter, maxMissed*info.Resolution), 1
	fast := !share && maxMissed*info.Resolution <= frozenAfter && info.Domains[0] == spell.CPU
	switch {
	case share:
		limit = shareAfter
	case fast:
		updates = 2 // one could be the only one in a second
	}
	moved, _, err := op.moved(m, limit, updates)
	if frozen := (*FrozenError)(nil); errors.As(err, &frozen) && fast {
		var interval time.Duration
		moved, interval, err = op.moved(m, shareAfter, updates)
		if interval >= minShare { // a shorter one is of a counter that has stood still for once
			m = described{m, info.HostsShare()}
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return subsetOf(m, func(i int, name string) *note.Note {
		if i >= len(moved) || moved[i] {
			return nil
		}
		n := note.DomainFrozen(name)
		return &n
	}), nil
}

// described is a meter with another description.
type described struct {
	meter.Meter
	info meter.Info
}

func (d described) Info() meter.Info { return d.info }

// ReadCores reads those of the meter.
func (d described) ReadCores(joules []float64) { meter.ReadCores(d.Meter, joules) }

// moved says which domains advance under load, and how long the first one took for its last update.
// It fails if the first one does not advance so many times, each within a limit.
func (op opener) moved(m meter.Meter, limit time.Duration, updates int) (moved []bool, interval time.Duration, err error) {
	info := m.Info()
	first, now := make([]float64, info.Values()), make([]float64, info.Values())
	moved = make([]bool, len(info.Domains))
	if err := read(m, first); err != nil {
		return nil, 0, err
	}
	defer op.spin()()
	// Both time and readings have to pass: while the machine is stopped, or this process waits for a
	// processor, nobody sees whether a counter advances.
	last, start, readings := first[0], op.now(), 0
	for ; ; op.sleep(limit / polls) {
		if err := read(m, now); err != nil {
			return nil, 0, err
		}
		for i := range moved {
			moved[i] = moved[i] || now[i] != first[i]
		}
		after := op.now().Sub(start)
		if now[0] != last && updates > 0 {
			last, start, readings, interval = now[0], op.now(), 0, after
			updates--
		}
		if updates == 0 && !slices.Contains(moved, false) {
			return moved, interval, nil
		}
		readings++
		if after >= limit && readings > polls {
			if updates > 0 {
				return nil, 0, &FrozenError{info.Name, string(info.Domains[0]), after}
			}
			return moved, interval, nil
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
