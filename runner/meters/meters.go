// Package meters lists the sources of energy readings and picks one.
package meters

import (
	"errors"
	"fmt"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model"
	"spell-lsp/runner/rapl"
)

// Auto is the name that stands for the first meter that works.
const Auto = "auto"

// Drivers lists all meters in the order in which auto tries them: what measures
// before what estimates.
func Drivers() []meter.Driver {
	return []meter.Driver{rapl.Driver(), model.Driver(), noneDriver()}
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

// Open opens the meter of that name. With Auto, or no name, it opens the first
// that works and says why not those before it. The error is an *OpenError, or
// ErrUnknown for a name that no meter has.
func Open(name string, o meter.Options) (meter.Meter, []Reason, error) {
	return open(Drivers(), name, o)
}

func open(drivers []meter.Driver, name string, o meter.Options) (meter.Meter, []Reason, error) {
	if name == "" || name == Auto {
		return openFirst(drivers, o)
	}
	for _, d := range drivers {
		if d.Name != name {
			continue
		}
		m, err := d.Open(o)
		if err != nil {
			return nil, nil, &OpenError{reason(d, err), err}
		}
		return m, nil, nil
	}
	return nil, nil, fmt.Errorf("%w %q; there are %s", ErrUnknown, name, strings.Join(names(drivers), ", "))
}

func openFirst(drivers []meter.Driver, o meter.Options) (meter.Meter, []Reason, error) {
	var reasons []Reason
	var errs []error
	for _, d := range drivers {
		m, err := d.Open(o)
		if err == nil {
			return m, reasons, nil
		}
		reasons = append(reasons, reason(d, err))
		errs = append(errs, err)
	}
	return nil, reasons, fmt.Errorf("no meter works here: %w", errors.Join(errs...))
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
