// Package model estimates energy where no counter can be read, from the name of
// the processor and the CPU time of the program.
//
// Limits: an estimate is a multiple of CPU time plus a multiple of elapsed time. It
// says nothing about the program that CPU time and frequency do not say, cannot be compared with a
// measurement, and may be wrong by a factor of two. It has four tiers, by what is known about
// the processor:
//
//	E0  calibrated on this machine (package calibration): the watts that were fitted
//	E1  bare metal, its name known: thermal design power x (0.10 + 0.60 x CPU use)
//	E2  virtual machine, or name hidden: watts per thread by family and model, or
//	    the mean of the vendor's servers where these are hidden too
//	E3  nothing known: no joules
//
// On bare metal, where the kernel shows frequencies, tier E1 weighs CPU time by them (package
// frequency). Tier E2 does not: its watts are those of a whole server, of which only a part follows the
// frequency, and in a virtual machine that is the host's.
//
// The tables and their licences are in this folder, see NOTICE.
package model

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/frequency"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// Driver estimates from Options.ProcRoot/cpuinfo.
func Driver() meter.Driver {
	return meter.Driver{Name: "model", Auto: meter.Tried, Open: Open, Remedy: func(error) string { return "" }}
}

// Open finds the best tier. Where nothing is known, or cpuinfo cannot be read, the
// meter has no domains and the source record.NoEnergy, without an error.
func Open(o meter.Options) (meter.Meter, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	cpu, err := ReadCPU(o.ProcRoot)
	var e estimate
	switch c := o.Calibration; {
	case c.BusyW > 0:
		e = byCalibration(c)
	case err != nil:
		e = nothing(err.Error())
	default:
		e = t.choose(cpu)
	}
	m := newMeter(e)
	if e.weighed {
		m.weigh(frequency.Open(o, cpu.Name, e.most))
	}
	if why := o.Calibration.Unused; why != "" {
		m.info.Notes = append(m.info.Notes, note.CalibrationUnused(why))
	}
	return m, nil
}

// ReadCPU reads cpuinfo under a procfs, "" for /proc.
func ReadCPU(root string) (cpu CPU, err error) {
	if root == "" {
		root = "/proc"
	}
	f, err := regularfile.Open(filepath.Join(root, "cpuinfo"))
	if err != nil {
		return CPU{}, fmt.Errorf("reading the processor's name: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return parseCPUInfo(regularfile.Limit(f, f.Name(), regularfile.MaxSource))
}

// resolution is that of one tick: the estimate itself is as fine as the CPU time that
// it is computed from.
const resolution = time.Millisecond

// Meter computes an estimate from the Usage that it is given. It reads nothing itself but frequencies.
type Meter struct {
	info     meter.Info
	estimate estimate
	weigher  *frequency.Weigher // nil: CPU time is taken as it is
	cpu      time.Duration      // of the latest reading
	weighed  float64            // CPU time so far in s, each with the weight of its time
	joules   float64            // the highest so far
}

func newMeter(e estimate) *Meter {
	m := &Meter{estimate: e, info: meter.Info{Name: "model", Source: record.NoEnergy, Resolution: resolution}}
	if !e.known() {
		m.info.Notes = []note.Note{note.NoJoules(e.basis)}
		return m
	}
	m.info.Source = record.Estimated
	m.info.Domains = []spell.Domain{spell.CPU}
	m.info.IdleW, m.info.PerCPUSecond = []float64{e.idleW}, []float64{e.busyW}
	m.info.Notes = []note.Note{note.EnergyEstimated(e.tier, e.basis, e.busyW), note.EnergyFollowsTime()}
	return m
}

// weigh takes what frequency.Open returned. Where the kernel shows no frequencies nothing is to be said, unless
// the watts were calibrated with frequencies.
func (m *Meter) weigh(w *frequency.Weigher, err error) {
	switch calibrated := m.estimate.tier == calibratedTier; {
	case err != nil && calibrated:
		m.info.Notes = append(m.info.Notes, note.FrequencyUnused(err.Error()+", and the watts were calibrated for the base frequency"))
	case errors.Is(err, frequency.ErrNone):
	case err != nil:
		m.info.Notes = append(m.info.Notes, note.FrequencyUnused(err.Error()))
	default:
		m.weigher = w
		m.info.Notes[len(m.info.Notes)-1] = note.FollowsFrequency(w.Basis())
	}
}

// Info describes the meter. Its only domain is cpu, or there is none.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter: idle watts x elapsed + busy watts x CPU time, weighed.
func (m *Meter) Read(u meter.Usage, joules []float64) error {
	if len(joules) != len(m.info.Domains) {
		return fmt.Errorf("estimating: there is room for %d domains, the meter has %d", len(joules), len(m.info.Domains))
	}
	if u.Elapsed < 0 || u.CPU < 0 {
		return fmt.Errorf("estimating: elapsed %v and CPU time %v must not be negative", u.Elapsed, u.CPU)
	}
	if len(joules) == 0 {
		return nil
	}
	m.joules = max(m.joules, m.estimate.idleW*u.Elapsed.Seconds()+m.estimate.busyW*m.seconds(u))
	joules[0] = m.joules
	return nil
}

// seconds is the CPU time so far, weighed if frequencies are known.
func (m *Meter) seconds(u meter.Usage) float64 {
	if m.weigher == nil {
		return u.CPU.Seconds()
	}
	if more := u.CPU - m.cpu; more > 0 {
		m.cpu = u.CPU
		m.weighed += more.Seconds() * m.weigher.Weight(u.Elapsed)
	}
	return m.weighed
}

// Close closes the files of frequencies.
func (m *Meter) Close() error {
	if m.weigher == nil {
		return nil
	}
	return m.weigher.Close()
}
