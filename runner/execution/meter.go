package execution

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/regularfile"
)

// A MeterError says that the meter could not be read. It makes a round invalid, and
// ends a measurement where it comes again and again.
type MeterError struct{ Err error }

func (e *MeterError) Error() string { return "reading the meter: " + e.Err.Error() }
func (e *MeterError) Unwrap() error { return e.Err }

// errSampler says that there is no sampler any more: no round will succeed.
var errSampler = errors.New("the process that reads the meter has ended")

// A Meter is one that is read by a process of its own, the sampler, from Open to Close.
type Meter struct {
	name    string
	options meter.Options
	sampler *sampler.Sampler
	info    meter.Info
	cores   int
	gaps    gaps
	stealNS int64 // what the host has taken, by the last reading
}

// OpenMeter opens a meter by its name, which may be [meters.Auto] or "".
func OpenMeter(name string, options meter.Options) (*Meter, error) {
	s, err := sampler.Open(name, options)
	if err != nil {
		return nil, err
	}
	return &Meter{name: name, options: options, sampler: s, info: s.Info(), cores: processors()}, nil
}

// Close ends the sampler.
func (m *Meter) Close() {
	m.sampler.Close() //nolint:errcheck // it only reads
}

// Reopen starts the sampler anew, with the meter that was chosen, if that can be. What is
// known of how the meter was read begins anew.
func (m *Meter) Reopen() {
	name := m.name
	if name == "" || name == meters.Auto {
		name = m.info.Name
	}
	s, err := sampler.Open(name, m.options)
	if err != nil {
		return // the fault is told, and comes again
	}
	m.Close()
	m.sampler, m.gaps, m.stealNS = s, gaps{}, 0
}

// Ended says whether there is no sampler any more.
func (m *Meter) Ended() bool { return m.sampler.Ended() }

// Info describes the meter that was chosen.
func (m *Meter) Info() meter.Info { return m.info }

// Reasons are why other meters were not chosen.
func (m *Meter) Reasons() []meters.Reason { return m.sampler.Reasons() }

// Readings is the file into which the sampler writes, from which programs know their tick.
func (m *Meter) Readings() *os.File { return m.sampler.File() }

// Machine is what is measured on.
func (m *Meter) Machine() attribution.Machine {
	machine := attribution.Machine{
		Domains: m.info.Domains, PerCPUSecond: m.info.PerCPUSecond, Counter: m.info.Counter, WholeMachine: m.info.WholeMachine, Cores: m.cores,
	}
	for d := range m.info.Domains {
		machine.UpdateNS = append(machine.UpdateNS, updates(m.info, d).Nanoseconds())
	}
	return machine
}

// updates is how often the counter of a domain is updated.
func updates(info meter.Info, domain int) time.Duration {
	if domain < len(info.Resolutions) {
		return info.Resolutions[domain]
	}
	return info.Resolution
}

// take gives what was read since the last call to add.
func (m *Meter) take(add func(sampler.Reading)) error {
	readings, err := m.sampler.Take()
	for _, r := range readings {
		add(r)
		m.stealNS = r.StealNS
	}
	return err
}

// reading is r for a timeline, with the CPU time of the program that is watched.
func reading(r sampler.Reading, cpuNS int64) attribution.Reading {
	return attribution.Reading{
		Number: r.Number, PublishedNS: r.PublishedNS, UpdatedNS: r.UpdatedNS,
		CPUNS: cpuNS, BusyNS: r.BusyNS, OwnNS: r.OwnNS, Faulty: r.Faulty, Joules: r.Joules,
	}
}

// processors is how many the machine has, also where this process may use only
// some: /proc/stat and counters are of all.
func processors() int {
	text, _ := regularfile.Read("/proc/stat", regularfile.MaxBuilt) // without it there is nothing to compare with
	return max(runtime.NumCPU(), len(regexp.MustCompile(`(?m)^cpu[0-9]+ `).FindAll(text, -1)))
}
