// Package meter is the interface of all sources of energy readings.
package meter

import (
	"errors"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Info describes an open meter.
type Info struct {
	Name       string // "rapl", "model"
	Source     record.Source
	Domains    []spell.Domain // what Read gives, in this order; none if no energy is known
	Resolution time.Duration  // how often a reading changes
	// WholeMachine is true for a meter that sees what every process uses, false
	// for one that only sees the program that is measured.
	WholeMachine bool
	// IdleW is the power of the idle machine by domain in watts, where the meter
	// knows it; nil where it has to be measured.
	IdleW    []float64
	Warnings []string
}

// Usage is what the program under measurement has used so far. A meter that
// reads a hardware counter has no need of it; a model computes from it.
type Usage struct {
	Elapsed time.Duration // since the meter was opened, monotonic
	CPU     time.Duration // CPU time of the program, all threads
}

// ErrDiscarded marks an error of Read that is about one interval only: a
// reading was had, but its difference to the one before says nothing (the
// counter stepped back, or may have wrapped more than once). The energy of that
// interval is missing from every later value. Any other error of Read means
// that there was no reading; later values then include what was used meanwhile.
var ErrDiscarded = errors.New("interval discarded")

// A Meter gives the energy used since it was opened. It is not safe for
// concurrent use.
type Meter interface {
	Info() Info
	// Read fills joules, one value for each of Info().Domains, with the energy
	// used since the meter was opened. Values never decrease. After an error
	// joules is not filled and nothing can be said about the interval since the
	// reading before it; the next Read may succeed. See ErrDiscarded.
	Read(u Usage, joules []float64) error
	Close() error
}

// A Driver makes meters of one kind.
type Driver struct {
	Name string
	// Open opens the meter, or says in one sentence with a remedy why it does
	// not work here.
	Open func(Options) (Meter, error)
	// Remedy tells how to make the meter work after Open failed with err: the
	// exact command or file, and what it opens up; "" where nothing helps.
	Remedy func(err error) string
}

// Options say how to open a meter.
type Options struct {
	PowercapRoot string // where the powercap class is; "" for /sys/class/powercap
	ProcRoot     string // where procfs is; "" for /proc
}
