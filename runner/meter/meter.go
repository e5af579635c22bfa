// Package meter is the interface of all sources of energy readings.
package meter

import (
	"errors"
	"path/filepath"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Info describes an open meter.
type Info struct {
	Name       string // "rapl", "model", "rapl,gpu"
	Source     record.Source
	Domains    []spell.Domain // what Read gives, in this order; none if no energy is known
	Resolution time.Duration  // how often a reading changes, in the finest domain
	// Resolutions is how often a reading changes by domain, where the domains
	// differ; nil where Resolution holds for all of them.
	Resolutions []time.Duration
	// Counter is true where hardware counts by itself, and brings its reading up
	// to date at instants of its own; false where Read computes from Usage.
	Counter bool
	// WholeMachine is true for a meter that sees what every process uses, false
	// for one that only sees the program that is measured.
	WholeMachine bool
	// IdleW is the power of the idle machine by domain in watts, where the meter
	// knows it; nil where it has to be measured.
	IdleW []float64
	// PerCPUSecond is, by domain, how many joules Read adds for a second of Usage.CPU;
	// nil where it does not go by that. The CPU time of the program's child processes is
	// not in Usage: whoever knows it adds their joules.
	PerCPUSecond []float64
	// Root is the folder below which the counters were read, where somebody named
	// another than the system's own, whose files only the kernel writes; "" for that.
	Root     string
	Warnings []string
}

// Usage is what the program under measurement has used so far. A meter that
// reads a hardware counter has no need of it; a model computes from it.
type Usage struct {
	Elapsed time.Duration // since the meter was opened, monotonic
	CPU     time.Duration // CPU time of all programs so far, all threads, without their child processes
	// PID is the process that is measured, 0 while none runs. What else a program
	// has used, such as bytes of a disk, a meter finds under that number in
	// procfs; what an earlier PID had used stays in its sum.
	PID int
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
	Auto Auto
	// Open opens the meter, or says in one sentence with a remedy why it does
	// not work here.
	Open func(Options) (Meter, error)
	// Remedy tells how to make the meter work after Open failed with err: the
	// exact command or file, and what it opens up; "" where nothing helps.
	Remedy func(err error) string
	// Fixes are the files that make the meter work for good, for one of which
	// the machine's owner may decide.
	Fixes []Fix
}

// Auto is what becomes of a meter where none is asked for by name.
type Auto int

// The ways in which a meter is chosen.
const (
	Named Auto = iota // only if it is asked for
	Tried             // taken if it works and none before it does
	Added             // joined to a meter that was taken and measures
)

// A Fix is a file in the system's configuration that opens a meter to others
// than root.
type Fix struct {
	Name     string   // what the user calls it: udev
	Path     string   // absolute
	Content  string   // of the file, each line with its end
	Opens    string   // to whom it opens what, in sentences
	Activate []string // commands that make it take effect without a restart
}

// Options say how to open a meter.
type Options struct {
	PowercapRoot string // where the powercap class is; "" for class/powercap in sysfs
	ProcRoot     string // where procfs is; "" for /proc
	SysRoot      string // where sysfs is; "" for /sys
}

// Proc is a path in procfs.
func (o Options) Proc(elem ...string) string { return under(o.ProcRoot, "/proc", elem) }

// Sys is a path in sysfs.
func (o Options) Sys(elem ...string) string { return under(o.SysRoot, "/sys", elem) }

func under(root, usual string, elem []string) string {
	if root == "" {
		root = usual
	}
	return filepath.Join(append([]string{root}, elem...)...)
}
