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

// errSampler says that the sampler has ended: no round will succeed.
var errSampler = errors.New("the process that reads the meter has ended")

// A Meter is a meter that a process of its own, the sampler, reads until Close.
type Meter struct {
	name    string
	options meter.Options
	sampler *sampler.Sampler
	info    meter.Info
	period  time.Duration // shortest time between readings; 0 is the meter's own
	cores   int
	cored   bool // counters of cores are read
	gaps    gaps
	tracer  *tracer // nil while nothing is traced
	stealNS int64   // steal time of all processors, by the last reading
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

// Reopen replaces the sampler by a new one for the same meter; where that fails the old one
// stays. The quality of readings is counted from then on.
func (m *Meter) Reopen() {
	name := m.name
	if name == "" || name == meters.Auto {
		name = m.info.Name
	}
	s, err := sampler.Open(name, m.options)
	if err != nil {
		return // the fault was reported, and will be again
	}
	m.Close()
	m.sampler, m.gaps, m.stealNS = s, gaps{}, 0
	m.Every(m.period)
	if m.cored {
		m.ReadCores()
	}
}

// ReadCores has the counters of cores read from now on.
func (m *Meter) ReadCores() {
	m.cored = true
	m.sampler.ReadCores() //nolint:errcheck // as in Every
}

// Every sets the shortest time between readings. What cannot be told to a sampler that has ended, the
// next round finds out.
func (m *Meter) Every(period time.Duration) {
	m.period = period
	m.sampler.Every(period) //nolint:errcheck // see above
}

// Ended says whether the sampler has ended.
func (m *Meter) Ended() bool { return m.sampler.Ended() }

// Info describes the meter that was chosen.
func (m *Meter) Info() meter.Info { return m.info }

// Reasons are why other meters were not chosen.
func (m *Meter) Reasons() []meters.Reason { return m.sampler.Reasons() }

// Readings is the sampler's file, from which programs know the number of the current tick.
func (m *Meter) Readings() *os.File { return m.sampler.File() }

// Machine describes the machine for attribution.
func (m *Meter) Machine() attribution.Machine {
	machine := attribution.Machine{
		Domains: m.info.Domains, Whole: m.info.Whole, PerCPUSecond: m.info.PerCPUSecond, PerByte: m.info.PerByte, Counter: m.info.Counter, WholeMachine: m.info.WholeMachine, Cores: m.cores,
		CoreCPUs: m.info.CoreCPUs,
	}
	for _, s := range m.info.Separate {
		machine.Separate = append(machine.Separate, s.Name)
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

// take calls add with each reading since the last call.
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
		CPUNS: cpuNS, BusyNS: r.BusyNS, OwnNS: r.OwnNS, Weight: r.Weight, Faulty: r.Faulty, Joules: r.Joules, Separate: r.Separate, CoreJ: r.CoreJ,
	}
}

// processors is the number of the machine's processors, also where this process may use only
// some of them: /proc/stat and counters are of all.
func processors() int {
	text, _ := regularfile.Read("/proc/stat", regularfile.MaxBuilt) // without it there is nothing to compare with
	return max(runtime.NumCPU(), len(regexp.MustCompile(`(?m)^cpu[0-9]+ `).FindAll(text, -1)))
}
