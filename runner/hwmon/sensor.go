package hwmon

import (
	"fmt"
	"time"

	"spell-lsp/runner/meter"
)

// A sensor is one file of a chip.
type sensor struct {
	known
	path     string
	device   string // the class folder of its chip or, of ACPI's meters, the name of the driver
	quantity quantity
	last     float64   // J, or W
	at       time.Time // of the last poll
	joules   float64   // since start
	missed   bool      // the latest poll failed or was discarded; only of a sensor beside the domains
}

// counted is the name under which its energy is counted.
func (s *sensor) counted() string {
	if s.domain == "" {
		return s.beside
	}
	return string(s.domain)
}

// start takes the first reading.
func (s *sensor) start(now time.Time) error {
	v, err := s.value()
	if err != nil {
		return err
	}
	s.last, s.at = v, now
	return nil
}

// impossibleW is above the power of any machine.
const impossibleW = 100_000

// advance polls the sensor if it is due, and adds the energy since the latest poll. After an error other than
// meter.ErrDiscarded the latest poll stays the same.
func (s *sensor) advance(now time.Time) error {
	gap := now.Sub(s.at)
	if gap < s.every {
		return nil
	}
	v, err := s.value()
	if err != nil {
		return err
	}
	last := s.last
	s.last, s.at = v, now
	moved := v - last
	switch s.quantity {
	case energy:
		// Drivers extend their counters to 64 bits.
		if moved < 0 {
			return fmt.Errorf("%s stepped back from %g to %g J: %w", s.path, last, v, meter.ErrDiscarded)
		}
	case power:
		moved = (last + v) / 2 * gap.Seconds()
	case average:
		moved = v * gap.Seconds()
	}
	if watts := moved / (gap + atOnce).Seconds(); watts > impossibleW {
		return fmt.Errorf("%s would have used %.3g W: %w", s.path, watts, meter.ErrDiscarded)
	}
	s.joules += moved
	return nil
}

// value is joules or watts, with one retry.
func (s *sensor) value() (float64, error) {
	v, err := number(s.path)
	if err != nil {
		v, err = number(s.path)
	}
	return v / 1e6, err
}
