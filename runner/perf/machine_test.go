package perf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner/meter"
)

// joule is one joule in counts, at the usual scale of 2^-32 J.
const joule = 1 << 32

// A machine is a sysfs, a procfs, events, and a clock that the test advances.
type machine struct {
	t      *testing.T
	o      meter.Options
	now    time.Time
	events map[key]*fakeEvent
	refuse error // of opening an event
	opened int
	closed int
}

// A key identifies an event as it is opened.
type key struct {
	pmu    uint32
	config uint64
	cpu    int
}

type fakeEvent struct {
	m *machine
	reading
	faults int // number of readings that will fail
	err    error
}

func (e *fakeEvent) read() (reading, error) {
	if e.faults > 0 {
		e.faults--
		return reading{}, e.err
	}
	return e.reading, nil
}

func (e *fakeEvent) close() error { e.m.closed++; return nil }

// newMachine makes a machine with one package and its memory, as the kernel describes them.
// Each further line is a path and its content; a path alone, such as "events/energy-ram",
// removes the file.
func newMachine(t *testing.T, lines ...string) *machine {
	t.Helper()
	m := &machine{t: t, o: meter.Options{SysRoot: t.TempDir(), ProcRoot: t.TempDir()}, now: time.Unix(1000, 0), events: map[key]*fakeEvent{}}
	m.pmu("type 23", "cpumask 0", "events/energy-cores event=0x01")
	for i, name := range []string{"energy-pkg", "energy-ram"} {
		m.pmu(fmt.Sprintf("events/%s event=0x%02x", name, i+2), "events/"+name+".unit Joules", "events/"+name+".scale 2.3283064365386962890625e-10")
	}
	m.pmu(lines...)
	return m
}

// pmu writes and removes files of the PMU, by the lines of newMachine.
func (m *machine) pmu(lines ...string) {
	m.t.Helper()
	for _, line := range lines {
		name, content, write := strings.Cut(line, " ")
		path := m.o.Sys("bus", "event_source", "devices", "power", name)
		if !write {
			if err := os.RemoveAll(path); err != nil {
				m.t.Fatal(err)
			}
			continue
		}
		m.write(path, content+"\n")
	}
}

func (m *machine) write(path, content string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) openEvent(pmu uint32, config uint64, cpu int) (event, error) {
	if m.refuse != nil {
		return nil, m.refuse
	}
	if pmu != 23 && pmu != 24 {
		return nil, fmt.Errorf("there is no PMU of type %d: %w", pmu, fs.ErrInvalid)
	}
	m.opened++
	return m.eventOf(pmu, config, cpu), nil
}

// event returns energy-pkg (2), energy-ram (3) or energy-psys (5) of a processor.
func (m *machine) event(config uint64, cpu int) *fakeEvent {
	return m.eventOf(23, config, cpu)
}

func (m *machine) eventOf(pmu uint32, config uint64, cpu int) *fakeEvent {
	k := key{pmu, config, cpu}
	if m.events[k] == nil {
		m.events[k] = &fakeEvent{m: m}
	}
	return m.events[k]
}

func (m *machine) open() *Meter {
	m.t.Helper()
	meter, err := m.try()
	if err != nil {
		m.t.Fatal(err)
	}
	return meter
}

func (m *machine) try() (*Meter, error) {
	return open(m.o, m.openEvent, func() time.Time { return m.now })
}

// pass advances the clock; all events count meanwhile.
func (m *machine) pass(d time.Duration) {
	m.now = m.now.Add(d)
	for _, e := range m.events {
		e.enabled += d
		e.running += d
	}
}

// read advances the clock by a millisecond and reads.
func (m *machine) read(open *Meter) ([]float64, error) {
	m.pass(time.Millisecond)
	joules := make([]float64, open.Info().Values())
	err := open.Read(meter.Usage{}, joules)
	return joules, err
}

var errIO = errors.New("input/output error")
