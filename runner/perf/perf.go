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
	"maps"
	"slices"
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
	info     meter.Info
	now      func() time.Time
	groups   [][]*counter // in the order of Info().Domains
	separate [][]*counter // in the order of Info().Separate
	counters []*counter   // of groups, each once
	platform []*counter   // psys; read apart, as a fault of theirs concerns no domain
	cores    []*counter   // in the order of Info().CoreCPUs
	closed   bool
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
			m.add(s, counters)
			continue
		}
		err = explain(o, err)
		if s.domain == spell.CPU {
			return nil, err
		}
		m.info.Notes = append(m.info.Notes, note.MemoryNotMeasured(err.Error()))
	}
	m.addPlatforms(o, p, cpus, openEvent)
	m.addParts(o, cpus)
	if guest, _ := virtual.Machine(o); guest {
		m.info = m.info.HostsShare()
		return m, nil
	}
	m.addCores(o, openEvent)
	return m, nil
}

// add adds the counters of a domain.
func (m *Meter) add(s scaled, counters []*counter) {
	m.counters = append(m.counters, counters...)
	m.groups = append(m.groups, counters)
	m.info.Domains = append(m.info.Domains, s.domain)
}

func (m *Meter) addSeparate(name string, kind meter.SeparateKind, counters []*counter) {
	m.info.Separate = append(m.info.Separate, meter.Separate{Name: name, Kind: kind})
	m.separate = append(m.separate, counters)
}

// addParts adds what is counted for each package and its memory, where there are several packages whose
// numbers are known. All domains have one event on each of the processors.
func (m *Meter) addParts(o meter.Options, cpus []int) {
	dies := map[int][]int{} // package -> indices of its processors
	for i, cpu := range cpus {
		number, err := packageOf(o, cpu)
		if err != nil {
			return
		}
		dies[number] = append(dies[number], i)
	}
	if len(dies) < 2 {
		return
	}
	for d, kind := range []meter.SeparateKind{meter.Package, meter.Memory}[:len(m.groups)] {
		name := []string{"package", "dram"}[d]
		for _, number := range slices.Sorted(maps.Keys(dies)) {
			var counters []*counter
			for _, i := range dies[number] {
				counters = append(counters, m.groups[d][i])
			}
			m.addSeparate(fmt.Sprintf("%s-%d", name, number), kind, counters)
		}
	}
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
// events, dram; psys, and the packages of a machine with several, are separate.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. A failed reading is
// retried once before Read fails or, for psys, its value is missing.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if m.closed {
		return errors.New("reading perf events: the meter is closed")
	}
	if n := m.info.Values(); len(joules) != n {
		return fmt.Errorf("reading perf events: there is room for %d values, the meter has %d", len(joules), n)
	}
	err := meter.Each(m.counters, (*counter).advance)
	for _, c := range m.platform {
		c.missed = c.advance() != nil
	}
	if err != nil {
		return fmt.Errorf("reading perf events: %w", err)
	}
	for i, counters := range m.groups {
		joules[i] = sum(counters)
	}
	for i, counters := range m.separate {
		joules[len(m.groups)+i] = sum(counters)
	}
	return nil
}

// sum is meter.Missing where the latest reading of a counter failed.
func sum(counters []*counter) (joules float64) {
	for _, c := range counters {
		if c.missed {
			return meter.Missing()
		}
		joules += c.joules()
	}
	return joules
}

// Close closes the events.
func (m *Meter) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	return closeAll(slices.Concat(m.counters, m.platform, m.cores))
}

func closeAll(counters []*counter) error {
	var errs []error
	for _, c := range counters {
		errs = append(errs, c.event.close())
	}
	return errors.Join(errs...)
}
