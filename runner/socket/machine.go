package socket

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
)

// A reading is one answer: a line of JSON. Sums begin with the start of the meter.
type reading struct {
	Version   int                `json:"version"`
	Error     string             `json:"error,omitempty"` // why there is no reading; then all else is absent
	Meter     string             `json:"meter,omitempty"`
	Source    string             `json:"source,omitempty"`     // measured or estimated
	Root      string             `json:"root,omitempty"`       // where its counters are, if the user named a place
	StartedNS int64              `json:"started_ns,omitempty"` // tells one start of the meter from another
	TimeNS    int64              `json:"time_ns,omitempty"`    // CLOCK_MONOTONIC
	Faults    int                `json:"faults"`               // intervals so far whose energy is unknown
	CPU       int64              `json:"cpu_ns"`               // CPU time of the process that asks, without its children
	Busy      int64              `json:"busy_ns"`              // CPU time of all processes but the sampler, in steps of 10 ms
	Joules    map[string]float64 `json:"joules,omitempty"`     // by domain; of an estimate only the idle machine's
	IdleW     map[string]float64 `json:"idle_w,omitempty"`     // power of the idle machine by domain, if known
	PerCPU    map[string]float64 `json:"joules_per_cpu_s,omitempty"`
}

const version = 1

func refusal(why string) reading { return reading{Version: version, Error: why} }

// A machine is what is known of the machine since the meter was started.
type machine struct {
	info   meter.Info
	idleW  map[string]float64
	perCPU map[string]float64
	first  *sampler.Reading
	last   sampler.Reading
	faults int
	window sampler.Reading // where the present window began
	broken bool            // energy is missing in it
	least  float64         // processors that were busy in the quietest window so far
}

const (
	windowNS = 1_000_000_000
	// quiet is the share of all processors that may be busy while the idle machine is measured,
	// or quietAtLeast processors.
	quiet        = 0.02
	quietAtLeast = 0.1
)

func newMachine(info meter.Info) *machine {
	m := &machine{info: info, idleW: byDomain(info, info.IdleW), perCPU: byDomain(info, info.PerCPUSecond)}
	m.least = max(quietAtLeast, quiet*float64(runtime.NumCPU()))
	return m
}

// byDomain gives values names.
func byDomain(info meter.Info, values []float64) map[string]float64 {
	if values == nil {
		return nil
	}
	named := make(map[string]float64, len(values))
	for d, v := range values {
		named[string(info.Domains[d])] = v
	}
	return named
}

// watch takes readings for one window, or until ctx ends, which is no error.
func (m *machine) watch(ctx context.Context, s *sampler.Sampler) error {
	for m.first == nil || m.last.UpdatedNS-m.first.UpdatedNS < windowNS {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(readEvery):
		}
		if err := m.take(s); err != nil {
			return err
		}
	}
	return nil
}

// take adds the readings since the last call.
func (m *machine) take(s *sampler.Sampler) error {
	readings, err := s.Take()
	for _, r := range readings {
		m.add(r)
	}
	if errors.Is(err, sampler.ErrBehind) { // the sums go on, but a fault may be among what is lost
		m.faults++
		m.broken = true
	}
	if s.Ended() {
		return fmt.Errorf("%w: the process that reads it has ended: %w", ErrMeter, s.Fault())
	}
	return nil
}

// add adds a reading. The power of the idle machine is that of the quietest second so far, if
// next to nothing ran in it.
func (m *machine) add(r sampler.Reading) {
	if m.first == nil {
		m.first, m.window = &r, r
	}
	m.last = r
	if r.Faulty {
		m.faults++
		m.broken = true
	}
	ns := r.UpdatedNS - m.window.UpdatedNS
	if ns < windowNS {
		return
	}
	busy := float64((r.BusyNS-r.OwnNS)-(m.window.BusyNS-m.window.OwnNS)) / float64(ns)
	if m.info.IdleW == nil && !m.broken && busy < m.least {
		watts := make([]float64, len(r.Joules))
		for d := range watts {
			watts[d] = (r.Joules[d] - m.window.Joules[d]) / (float64(ns) / 1e9)
		}
		m.least, m.idleW = busy, byDomain(m.info, watts)
	}
	m.window, m.broken = r, false
}

// reading is the latest one.
func (m *machine) reading() reading {
	r := m.last
	return reading{
		Version: version, Meter: m.info.Name, Source: string(m.info.Source), Root: m.info.Root,
		StartedNS: m.first.PublishedNS, TimeNS: r.UpdatedNS, Faults: m.faults, Busy: max(0, r.BusyNS-r.OwnNS),
		Joules: byDomain(m.info, r.Joules), IdleW: m.idleW, PerCPU: m.perCPU,
	}
}
