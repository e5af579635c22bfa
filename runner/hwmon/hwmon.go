// Package hwmon reads energy and power of processors, memory and GPUs from Linux's hardware
// monitoring class, where the driver's documents say what its sensors cover (see sensors). It is for
// machines without RAPL: Arm servers, mostly, and Intel's GPUs.
//
// Limits: most of these drivers give power and no energy. It is polled and integrated over time, so what
// happens between two polls is seen only as far as the firmware averages; firmware updates it every 50 ms to
// a second, and nobody documents how exactly. Energy inputs are counters. All of them cover the whole machine.
// Sensors whose labels are up to the firmware (scmi_sensors, ibmpowernv) are not read: nothing says which of
// them contain others. This meter is used only when named.
//
// Sources: Documentation/hwmon/sysfs-interface.rst (energyN_input in µJ, powerN_input and powerN_average in
// µW, powerN_average_interval in ms), acpi_power_meter.rst, smpro-hwmon.rst and amd_energy.rst, and
// Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -xe-hwmon of the Linux kernel; NVIDIA Grace
// Performance Tuning Guide, Power and Thermals.
package hwmon

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Driver opens the sensors under Options.SysRoot/class/hwmon.
func Driver() meter.Driver {
	return meter.Driver{Name: "hwmon", Open: Open, Remedy: func(err error) string { return remedy(err, runtime.GOARCH) }}
}

// Open opens all sensors whose coverage is documented. It fails with a *NoSensorError where there is none, and
// with a *PermissionError where one may not be read.
func Open(o meter.Options) (meter.Meter, error) {
	m, err := open(o, time.Now)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Meter is the sum of the sensors of each domain.
type Meter struct {
	info    meter.Info
	now     func() time.Time
	sensors []*sensor
	at      []int // index of its value in a reading, by sensor
}

func open(o meter.Options, now func() time.Time) (*Meter, error) {
	sensors, err := discover(o)
	if err != nil {
		return nil, err
	}
	m := &Meter{now: now, sensors: sensors}
	m.info = meter.Info{Name: "hwmon", Source: record.Measured, Counter: true, WholeMachine: true}
	for _, d := range spell.Domains() {
		of := slices.DeleteFunc(slices.Clone(sensors), func(s *sensor) bool { return s.domain != d })
		if len(of) > 0 {
			m.info.Domains = append(m.info.Domains, d)
			m.info.Resolutions = append(m.info.Resolutions, slices.MaxFunc(of, func(a, b *sensor) int { return int(a.every - b.every) }).every)
		}
	}
	m.info.Resolution = slices.Min(m.info.Resolutions)
	for _, s := range sensors {
		if s.domain == "" {
			m.info.Separate = append(m.info.Separate, meter.Separate{Name: s.beside, Kind: meter.Platform})
		}
		m.at = append(m.at, slices.Index(m.info.Counts(), s.counted()))
		switch {
		case s.all:
			m.info.Includes = spell.Domains()
		case s.withMemory && m.info.Includes == nil:
			m.info.Includes = []spell.Domain{spell.CPU, spell.DRAM}
		}
	}
	m.info.Notes = notes(sensors)
	for _, s := range sensors {
		if err := s.start(now()); err != nil {
			return nil, explain(err)
		}
	}
	return m, nil
}

// notes say what a reader of the joules must know.
func notes(sensors []*sensor) (list []note.Note) {
	var slowest time.Duration
	powers := 0
	for _, s := range sensors {
		if s.quantity != energy {
			powers, slowest = powers+1, max(slowest, s.every)
		}
		if s.all {
			list = append(list, note.MachineMeasured(s.path))
		}
		if s.withMemory {
			list = append(list, note.MemoryIncluded(s.path))
		}
	}
	if powers > 0 {
		list = append(list, note.PowerIntegrated(powers, len(sensors), float64(slowest)/1e6))
	}
	return list
}

// Info describes the meter. Its domains are those that the machine has sensors of.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. Each sensor is polled once in its own interval; in
// between its total stays. A failed reading is retried once before Read fails or, for a sensor beside the domains, its
// value is missing.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if n := m.info.Values(); len(joules) != n {
		return fmt.Errorf("reading hwmon: there is room for %d values, the meter has %d", len(joules), n)
	}
	now := m.now()
	err := meter.Each(m.sensors, func(s *sensor) error {
		err := s.advance(now)
		if s.missed = err != nil && s.domain == ""; s.missed {
			return nil // it concerns no domain
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading hwmon: %w", err)
	}
	clear(joules)
	for i, s := range m.sensors {
		joules[m.at[i]] += s.joules
		if s.missed {
			joules[m.at[i]] = meter.Missing()
		}
	}
	return nil
}

// Close does nothing: there is nothing open.
func (m *Meter) Close() error { return nil }
