// Package meters lists all sources of energy readings, chooses or combines them, and
// says for each whether it works on this machine. It measures no program.
package meters

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/runner/battery"
	"spell-lsp/runner/disk"
	"spell-lsp/runner/gpu"
	"spell-lsp/runner/hwmon"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/model"
	"spell-lsp/runner/net"
	"spell-lsp/runner/perf"
	"spell-lsp/runner/rapl"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Auto is the name that stands for the first meter that works.
const Auto = "auto"

// Drivers lists all meters, those that measure before those that estimate. Auto
// tries them in this order.
func Drivers() []meter.Driver {
	return []meter.Driver{
		rapl.Driver(), perf.Driver(), gpu.Driver(), hwmon.Driver(), battery.Driver(),
		model.Driver(), disk.Driver(), net.Driver(), noneDriver(),
	}
}

// A Reason says why a meter was passed over, and what would make it work.
type Reason struct {
	Name   string
	Why    string
	Remedy string // "" if nothing helps
}

// Note is the reason for a run record, which does not tell the remedy but where it is told.
func (r Reason) Note() note.Note {
	if r.Remedy == "" {
		return note.MeterUnusable(r.Name, r.Why)
	}
	return note.MeterNeedsRemedy(r.Name, r.Why, r.Remedy)
}

// ErrUnknown says that no meter has the given name.
var ErrUnknown = errors.New("unknown meter")

// An OpenError says why a meter that was named does not work.
type OpenError struct {
	Reason
	Err error
}

func (e *OpenError) Error() string {
	text := wording.Text(note.MeterUnusable(e.Name, e.Why))
	if e.Remedy != "" {
		text += "\nto make it work: " + e.Remedy
	}
	return text
}

func (e *OpenError) Unwrap() error { return e.Err }

// Open opens the meter of that name. Several names, joined by commas, give one meter
// with the domains of all of them. Auto, or no name, opens the first meter that works,
// with the reasons why those before it do not, and adds the GPUs to a meter that
// measures.
//
// A counter that does not advance while a processor is busy does not work. The error is
// an *OpenError, a *CombinationError for meters that cannot be combined, or ErrUnknown. More are
// drivers beside those of Drivers, for tests with meters of their own.
func Open(name string, o meter.Options, more ...meter.Driver) (meter.Meter, []Reason, error) {
	return open(append(Drivers(), more...), realTime(), name, o)
}

func open(drivers []meter.Driver, op opener, name string, o meter.Options) (meter.Meter, []Reason, error) {
	if name == "" || name == Auto {
		return openFirst(drivers, op, o)
	}
	chosen, err := named(drivers, name)
	if err != nil {
		return nil, nil, err
	}
	var parts []meter.Meter
	for _, d := range chosen {
		m, err := op.open(d, o)
		if err != nil {
			err = &OpenError{reason(d, err), err}
			return nil, nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, m)
	}
	m, err := combine(parts)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll(parts))
	}
	return m, nil, nil
}

// named finds the drivers for a list of names, joined by commas.
func named(drivers []meter.Driver, list string) ([]meter.Driver, error) {
	var chosen []meter.Driver
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(drivers, func(d meter.Driver) bool { return d.Name == name })
		switch {
		case name == Auto:
			return nil, &CombinationError{list, Auto + " chooses a meter by itself and stands alone"}
		case i < 0:
			return nil, fmt.Errorf("%w %q; there are %s", ErrUnknown, name, strings.Join(names(drivers), ", "))
		case slices.ContainsFunc(chosen, func(d meter.Driver) bool { return d.Name == name }):
			return nil, &CombinationError{list, name + " is in it twice"}
		}
		chosen = append(chosen, drivers[i])
	}
	return chosen, nil
}

func openFirst(drivers []meter.Driver, op opener, o meter.Options) (meter.Meter, []Reason, error) {
	var reasons []Reason
	var errs []error
	for _, d := range drivers {
		if d.Auto != meter.Tried {
			continue
		}
		m, err := op.open(d, o)
		if err != nil {
			reasons = append(reasons, reason(d, err))
			errs = append(errs, err)
			continue
		}
		if m.Info().Source != record.Measured {
			return m, reasons, nil
		}
		m, more := add(drivers, op, o, m)
		return m, append(reasons, more...), nil
	}
	return nil, reasons, fmt.Errorf("no meter works here: %w", errors.Join(errs...))
}

// add combines a meter that measures with all meters that are to be added. It gives no
// reason for a GPU meter on a machine without a GPU.
func add(drivers []meter.Driver, op opener, o meter.Options, m meter.Meter) (meter.Meter, []Reason) {
	var reasons []Reason
	for _, d := range drivers {
		if d.Auto != meter.Added {
			continue
		}
		part, err := op.open(d, o)
		if err == nil {
			var both meter.Meter
			if both, err = combine([]meter.Meter{m, part}); err == nil {
				m = both
				continue
			}
			err = errors.Join(err, part.Close())
		}
		if absent := (*gpu.NoGPUError)(nil); !errors.As(err, &absent) {
			reasons = append(reasons, reason(d, err))
		}
	}
	return m, reasons
}

func reason(d meter.Driver, err error) Reason {
	return Reason{Name: d.Name, Why: err.Error(), Remedy: d.Remedy(err)}
}

// names lists the names that Open takes.
func names(drivers []meter.Driver) []string {
	list := []string{Auto}
	for _, d := range drivers {
		list = append(list, d.Name)
	}
	return list
}
