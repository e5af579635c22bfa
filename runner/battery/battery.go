// Package battery reads the energy that a laptop draws from its batteries, through
// Linux's power supply class.
//
// Limits: it is the energy of the whole laptop, screen and radio included, and can be
// read only while no charger is connected. Firmware updates it every few seconds, some
// firmware every half minute, in steps of 10 mWh (36 J): only windows of minutes are
// resolved. This meter is used only when named.
//
// Source: Documentation/ABI/testing/sysfs-class-power and
// Documentation/power/power_supply_class.rst of the Linux kernel.
package battery

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// resolution is the interval at which the firmware is polled; the kernel polls some
// firmware only once a second.
const resolution = time.Second

// Driver sums the batteries under Options.SysRoot/class/power_supply.
func Driver() meter.Driver {
	return meter.Driver{Name: "battery", Open: Open, Remedy: Remedy}
}

// A ChargerError says that no battery is discharging, so that the energy comes from a
// charger.
type ChargerError struct {
	Path   string // the battery's folder
	Status string // content of its status file: Charging, Full, ...
}

func (e *ChargerError) Error() string {
	return fmt.Sprintf("%s is %q: a battery's energy is known only while it is discharging", e.Path, e.Status)
}

// Remedy says how to make the meter work after Open failed with err; "" where
// nothing helps.
func Remedy(err error) string {
	if charger := (*ChargerError)(nil); errors.As(err, &charger) {
		return "unplug the charger."
	}
	return ""
}

// Open opens all batteries of the machine. It fails with a *NoBatteryError where
// there is none, and with a *ChargerError where none is discharging.
func Open(o meter.Options) (meter.Meter, error) {
	m, err := open(o, time.Now)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Meter is the sum of the batteries.
type Meter struct {
	info   meter.Info
	now    func() time.Time
	packs  []*pack
	polled time.Time // when the firmware was last polled
}

func open(o meter.Options, now func() time.Time) (*Meter, error) {
	packs, err := discover(o)
	if err != nil {
		return nil, err
	}
	m := &Meter{now: now, packs: packs, polled: now()}
	m.info = meter.Info{
		Name: "battery", Source: record.Measured, Domains: []spell.Domain{spell.CPU},
		Resolution: resolution, Counter: true, WholeMachine: true, Includes: spell.Domains(),
		Notes: []note.Note{note.LaptopMeasured(), note.BatterySlow()},
	}
	for _, p := range packs {
		if err := p.start(m.polled); err != nil {
			return nil, err
		}
	}
	return m, discharging(packs)
}

// discharging fails unless a battery is discharging. A full or empty battery may be
// beside it.
func discharging(packs []*pack) error {
	var idle *ChargerError
	for _, p := range packs {
		if p.status == "Discharging" {
			return nil
		}
		idle = &ChargerError{p.path, p.status}
	}
	return idle
}

// Info describes the meter. Its only domain is cpu, because there is no domain for a
// whole machine.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. It polls the firmware
// once in each interval of resolution, because a poll may take milliseconds; in between
// it returns the previous values. It fails while a charger is connected.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if len(joules) != 1 {
		return fmt.Errorf("reading the battery: there is room for %d domains, the meter has 1", len(joules))
	}
	if now := m.now(); now.Sub(m.polled) >= resolution {
		m.polled = now
		if err := m.advance(now); err != nil {
			return fmt.Errorf("reading the battery: %w", err)
		}
	}
	joules[0] = 0
	for _, p := range m.packs {
		joules[0] += p.joules
	}
	return nil
}

// advance reads all batteries.
func (m *Meter) advance(now time.Time) error {
	err := meter.Each(m.packs, func(p *pack) error { return p.advance(now) })
	if err == nil || errors.Is(err, meter.ErrDiscarded) {
		err = cmp.Or(discharging(m.packs), err)
	}
	return err
}

// Close does nothing: there is nothing open.
func (m *Meter) Close() error { return nil }
