// Package perf reads the energy counters of Intel's and AMD's processors (RAPL,
// Running Average Power Limit) through Linux's perf events, the PMU "power".
//
// Limits: the counters cover the whole machine and change about once a
// millisecond. They are the counters that package rapl reads; perf events serve
// machines that have no powercap class, or whose owner has opened perf events. The
// kernel extends the counters to 64 bits, so they do not wrap.
//
// Sources: perf_event_open(2); arch/x86/events/rapl.c and
// Documentation/ABI/testing/sysfs-bus-event_source-devices-events of the Linux
// kernel.
package perf

import (
	"errors"
	"fmt"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// resolution is the interval at which the counters change.
const resolution = time.Millisecond

// Driver opens the events of the PMU under Options.SysRoot.
func Driver() meter.Driver {
	return meter.Driver{Name: "perf", Auto: meter.Tried, Open: Open, Remedy: Remedy, Fixes: []meter.Fix{SysctlSetting()}}
}

// Open opens the events of all packages and, where the PMU has one, of their
// memory. Where the packages can be read and the memory cannot, the meter has
// the domain cpu alone, with a warning.
//
// It fails with a *NoCounterError where there is none, and with a
// *perfevent.PermissionError where they may not be read.
func Open(o meter.Options) (meter.Meter, error) {
	m, err := open(o, openEvent, time.Now)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Meter is the sum of the packages' events by domain.
type Meter struct {
	info   meter.Info
	now    func() time.Time
	groups [][]*counter // by domain, in the order of Info().Domains
	closed bool
}

// An opener opens an event that counts everything on one processor. pmuType and
// config are fields of perf_event_attr.
type opener func(pmuType uint32, config uint64, cpu int) (event, error)

// open is Open with its system call and clock as parameters.
func open(o meter.Options, openEvent opener, now func() time.Time) (*Meter, error) {
	p, err := readPMU(o)
	if err != nil {
		return nil, err
	}
	m := &Meter{now: now, info: meter.Info{Name: "perf", Source: record.Measured, Resolution: resolution, Counter: true, WholeMachine: true}}
	var cpus []int
	cpus, m.info.Notes = onePerPackage(o, p.cpus)
	for _, s := range p.scales {
		counters, err := start(p, s, cpus, openEvent, now)
		if err == nil {
			m.groups = append(m.groups, counters)
			m.info.Domains = append(m.info.Domains, s.domain)
			continue
		}
		err = explain(o, err)
		if s.domain == spell.CPU {
			return nil, err
		}
		m.info.Notes = append(m.info.Notes, note.MemoryNotMeasured(err.Error()))
	}
	if guest, _ := virtual.Machine(o); guest {
		m.info = m.info.HostsShare()
	}
	return m, nil
}

// start opens one event on each of the processors: all or none.
func start(p pmu, s scaled, cpus []int, openEvent opener, now func() time.Time) ([]*counter, error) {
	var counters []*counter
	for _, cpu := range cpus {
		c := &counter{name: fmt.Sprintf("%s on CPU %d", s.name, cpu), scale: s.joules, now: now}
		e, err := openEvent(p.kind, s.config, cpu)
		if err != nil {
			err = fmt.Errorf("opening %s: %w", c.name, err)
			return nil, errors.Join(err, closeAll(counters))
		}
		c.event = e
		counters = append(counters, c)
		if err := c.start(); err != nil {
			return nil, errors.Join(err, closeAll(counters))
		}
	}
	return counters, nil
}

// Info describes the meter. Its domains are cpu and, where the memory has
// events, dram.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. A failed reading is
// retried once before Read fails.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if m.closed {
		return errors.New("reading perf events: the meter is closed")
	}
	if len(joules) != len(m.groups) {
		return fmt.Errorf("reading perf events: there is room for %d domains, the meter has %d", len(joules), len(m.groups))
	}
	if err := m.advance(); err != nil {
		return fmt.Errorf("reading perf events: %w", err)
	}
	for i, counters := range m.groups {
		joules[i] = 0
		for _, c := range counters {
			joules[i] += c.joules()
		}
	}
	return nil
}

// advance reads all events.
func (m *Meter) advance() error {
	return meter.Each(m.groups, func(counters []*counter) error {
		return meter.Each(counters, (*counter).advance)
	})
}

// Close closes the events.
func (m *Meter) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	var errs []error
	for _, counters := range m.groups {
		errs = append(errs, closeAll(counters))
	}
	return errors.Join(errs...)
}

func closeAll(counters []*counter) error {
	var errs []error
	for _, c := range counters {
		errs = append(errs, c.event.close())
	}
	return errors.Join(errs...)
}
