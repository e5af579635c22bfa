package battery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// A quantity is what a battery reports.
type quantity int

const (
	energyLeft quantity = iota // energy_now, in µWh
	chargeLeft                 // charge_now, in µAh, to be multiplied by voltage_now, in µV
	powerDrawn                 // power_now, in µW, to be integrated over time
)

// A pack is one battery.
type pack struct {
	path     string // its folder
	quantity quantity
	status   string    // at the last reading: Discharging, Charging, ...
	last     float64   // J, or W for powerDrawn
	at       time.Time // of the last reading
	joules   float64   // drawn since start
}

// A NoBatteryError says that a machine has no battery that can be read.
type NoBatteryError struct {
	Reason string
}

func (e *NoBatteryError) Error() string { return "no battery: " + e.Reason }

// discover finds the batteries that supply the machine; the battery of a mouse, for
// example, has the scope Device.
func discover(o meter.Options) ([]*pack, error) {
	root := o.Sys("class", "power_supply")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, &NoBatteryError{"there is no power supply in " + root}
	}
	if err != nil {
		return nil, fmt.Errorf("listing the batteries: %w", err)
	}
	var packs []*pack
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if text(dir, "type") != "Battery" || text(dir, "scope") == "Device" || text(dir, "present") == "0" {
			continue
		}
		p := &pack{path: dir}
		switch {
		case has(dir, "energy_now"):
			p.quantity = energyLeft
		case has(dir, "charge_now") && has(dir, "voltage_now"):
			p.quantity = chargeLeft
		case has(dir, "power_now"):
			p.quantity = powerDrawn
		default:
			continue
		}
		packs = append(packs, p)
	}
	if len(packs) == 0 {
		return nil, &NoBatteryError{"no power supply in " + root + " is a battery of this machine that reports its energy"}
	}
	return packs, nil
}

// text is the content of a file, "" without one: no battery has all files.
func text(dir, name string) string {
	content, err := regularfile.Read(filepath.Join(dir, name), regularfile.MaxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// start takes the first reading.
func (p *pack) start(now time.Time) error {
	v, err := p.value()
	if err != nil {
		return err
	}
	p.last, p.at = v, now
	return nil
}

// advance adds the energy drawn since the latest reading. After an error other than
// meter.ErrDiscarded the latest reading stays the same.
func (p *pack) advance(now time.Time) error {
	v, err := p.value()
	if err != nil {
		return err
	}
	last, gap := p.last, now.Sub(p.at)
	p.last, p.at = v, now
	switch {
	case p.status != "Discharging":
		return nil
	case p.quantity == powerDrawn:
		p.joules += (last + v) / 2 * gap.Seconds()
	case v > last:
		return fmt.Errorf("%s rose from %.0f to %.0f J: %w", p.path, last, v, meter.ErrDiscarded)
	default:
		p.joules += last - v
	}
	return nil
}

// value reads the battery, with one retry.
func (p *pack) value() (float64, error) {
	v, err := p.readOnce()
	if err != nil {
		v, err = p.readOnce()
	}
	return v, err
}

const (
	joulesPerMicroWattHour = 3.6e-3
	voltsPerMicroVolt      = 1e-6
	wattsPerMicroWatt      = 1e-6
)

func (p *pack) readOnce() (float64, error) {
	status, err := regularfile.Read(filepath.Join(p.path, "status"), regularfile.MaxValue)
	if err != nil {
		return 0, err
	}
	p.status = strings.TrimSpace(string(status))
	switch p.quantity {
	case energyLeft:
		energy, err := p.number("energy_now")
		return energy * joulesPerMicroWattHour, err
	case chargeLeft:
		charge, err := p.number("charge_now")
		if err != nil {
			return 0, err
		}
		voltage, err := p.number("voltage_now")
		return charge * joulesPerMicroWattHour * voltage * voltsPerMicroVolt, err
	default:
		power, err := p.number("power_now")
		return power * wattsPerMicroWatt, err
	}
}

// number reads a file with a whole number. Some drivers give the power of a
// discharging battery as a negative number.
func (p *pack) number(name string) (float64, error) {
	path := filepath.Join(p.path, name)
	content, err := regularfile.Read(path, regularfile.MaxValue)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err == nil && n < 0 && name == "power_now" {
		n = -n
	}
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %.40q, not a number", path, strings.TrimSpace(string(content)))
	}
	return float64(n), nil
}
