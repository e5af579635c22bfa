// Package meters lists the sources of energy readings and picks one.
package meters

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/runner/battery"
	"spell-lsp/runner/disk"
	"spell-lsp/runner/gpu"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/model"
	"spell-lsp/runner/net"
	"spell-lsp/runner/perf"
	"spell-lsp/runner/rapl"
	"spell-lsp/spell/record"
)

// Auto is the name that stands for the first meter that works.
const Auto = "auto"

// Drivers lists all meters in the order in which auto tries those that it
// tries: what measures before what estimates.
func Drivers() []meter.Driver {
	return []meter.Driver{
		rapl.Driver(), perf.Driver(), gpu.Driver(), battery.Driver(),
		model.Driver(), disk.Driver(), net.Driver(), noneDriver(),
	}
}

// A Reason says why a meter was not taken, and what would make it work.
type Reason struct {
	Name   string
	Why    string
	Remedy string // "" where nothing helps
}

// String is the reason in one line, without the remedy.
func (r Reason) String() string { return "meter " + r.Name + " does not work here: " + r.Why }

// ErrUnknown marks an error about a meter's name.
var ErrUnknown = errors.New("unknown meter")

// An OpenError says that a meter that was asked for by name does not work.
type OpenError struct {
	Reason
	Err error
}

func (e *OpenError) Error() string {
	if e.Remedy == "" {
		return e.String()
	}
	return e.String() + "\nto make it work: " + e.Remedy
}

func (e *OpenError) Unwrap() error { return e.Err }

// Open opens the meter of that name or, where names are joined by commas, one
// with the domains of all of them. With Auto, or no name, it opens the first that
// works, and says why not those before it; to one that measures it adds the GPUs.
//
// A counter that stands still while the machine works is taken for one that does
// not work. The error is an *OpenError, a *CombinationError for meters that do
// not go together, or ErrUnknown for a name that no meter has.
func Open(name string, o meter.Options) (meter.Meter, []Reason, error) {
	return open(Drivers(), realTime(), name, o)
}

func open(drivers []meter.Driver, w watch, name string, o meter.Options) (meter.Meter, []Reason, error) {
	if name == "" || name == Auto {
		return openFirst(drivers, w, o)
	}
	chosen, err := named(drivers, name)
	if err != nil {
		return nil, nil, err
	}
	var parts []meter.Meter
	for _, d := range chosen {
		m, err := w.open(d, o)
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

// named finds the drivers of names that are joined by commas.
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

func openFirst(drivers []meter.Driver, w watch, o meter.Options) (meter.Meter, []Reason, error) {
	var reasons []Reason
	var errs []error
	for _, d := range drivers {
		if d.Auto != meter.Tried {
			continue
		}
		m, err := w.open(d, o)
		if err != nil {
			reasons = append(reasons, reason(d, err))
			errs = append(errs, err)
			continue
		}
		if m.Info().Source != record.Measured {
			return m, reasons, nil
		}
		m, more := add(drivers, w, o, m)
		return m, append(reasons, more...), nil
	}
	return nil, reasons, fmt.Errorf("no meter works here: %w", errors.Join(errs...))
}

// add joins to a meter that measures those that are to be added. One that does
// not work is worth a word only where there is what it would measure.
func add(drivers []meter.Driver, w watch, o meter.Options, m meter.Meter) (meter.Meter, []Reason) {
	var reasons []Reason
	for _, d := range drivers {
		if d.Auto != meter.Added {
			continue
		}
		part, err := w.open(d, o)
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

func closeAll(parts []meter.Meter) error {
	var errs []error
	for _, m := range parts {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
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
