// Package meter defines the interface that every source of energy readings
// implements, and what its implementations share. It reads no energy itself.
package meter

import (
	"errors"
	"path/filepath"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Info describes an open meter.
type Info struct {
	Name       string // "rapl", "model", "rapl,gpu"
	Source     record.Source
	Domains    []spell.Domain // of the values that Read fills in, in this order; none if no energy is known
	Resolution time.Duration  // interval at which readings change, in the finest domain
	// Resolutions is that interval by domain; nil where Resolution holds for all
	// of them.
	Resolutions []time.Duration
	// Counter is true for a hardware counter, which is updated at instants of its
	// own; false where Read computes from Usage.
	Counter bool
	// WholeMachine is true for a meter that covers all processes, false for one
	// that covers only the measured program.
	WholeMachine bool
	// IdleW is the power of the idle machine by domain in watts, where the meter
	// knows it; nil where it has to be measured.
	IdleW []float64
	// PerCPUSecond is the number of joules, by domain, that Read adds for a second of
	// Usage.CPU at the base frequency; nil for a meter that does not compute from CPU time. Usage lacks the CPU
	// time of the program's child processes: the caller adds their joules.
	PerCPUSecond []float64
	// PerByte is, by domain, how many joules Read adds for a byte that is read or received
	// (0), and written or sent (1), of a meter that computes from bytes; nil for others.
	PerByte [][2]float64
	// Whole is, by domain, whether its energy is known of a program as a whole only: nothing tells
	// which function used it. It is nil where that holds for none.
	Whole []bool
	// Includes are the domains whose energy is in that of the domain cpu: all of them for a meter of
	// the whole machine. Beside it, a meter of one of these would count it twice.
	Includes []spell.Domain
	// Separate are counters that Read fills in behind those of Domains. They are in no sum.
	Separate []Separate
	// CoreCPUs are, by counter of a core, the processors of that core; see CoreMeter.
	CoreCPUs [][]int
	// Root is the folder that the counters were read from, if the user named one; "" for
	// the system's own, whose files only the kernel writes.
	Root  string
	Notes []note.Note // what a reader of the joules must know
}

// Usage is what the measured program has used so far. A model computes energy from
// it; a meter that reads a hardware counter ignores it.
type Usage struct {
	Elapsed time.Duration // since the meter was opened, monotonic
	CPU     time.Duration // CPU time of all programs so far, all threads, without their child processes
	// PID is the measured process, 0 while none runs. A meter finds other usage of the
	// program, such as bytes moved to disk, under that number in procfs. The usage of an
	// earlier PID stays in the meter's sum.
	PID int
}

// ErrDiscarded marks an error of Read that concerns one interval only: the reading
// succeeded, but its difference from the previous one is meaningless (the counter
// stepped back, or may have wrapped more than once). The energy of that interval is
// missing from every later value. Any other error of Read means that the reading
// failed; later values then include the energy of that interval.
var ErrDiscarded = errors.New("interval discarded")

// A Meter gives the energy used since it was opened. It is not safe for
// concurrent use.
type Meter interface {
	Info() Info
	// Read fills joules, one value for each of Info().Domains and then of Info().Separate,
	// with the energy used since the meter was opened. Values never decrease. A separate counter
	// that fails does not fail the reading: its value is Missing then. After an error
	// joules is undefined, and so is the energy of the interval since the previous
	// reading; the next Read may succeed. See ErrDiscarded.
	Read(u Usage, joules []float64) error
	Close() error
}

// A Driver opens meters of one kind.
type Driver struct {
	Name string
	Auto Auto
	// Open opens the meter. Its error says in one sentence why the meter does not
	// work here.
	Open func(Options) (Meter, error)
	// Remedy says how to make the meter work after Open failed with err: the exact
	// command or file, and what it exposes; "" where nothing helps.
	Remedy func(err error) string
	// Fixes are the files that make the meter work permanently; the owner of the
	// machine chooses one.
	Fixes []Fix
}

// Auto says what the automatic choice does with a meter.
type Auto int

// The ways in which a meter is chosen.
const (
	Named Auto = iota // nothing: it is used only when named
	Tried             // takes it if it works and no meter before it does
	Added             // adds it to a chosen meter that measures
)

// A Fix is a system configuration file that lets users other than root read a
// meter.
type Fix struct {
	Name     string   // what the user calls it: udev
	Path     string   // absolute
	Content  string   // of the file, with the final newline
	Opens    string   // who can then read what, in sentences
	Activate []string // commands that make it take effect without a restart
}

// Options say how to open a meter.
type Options struct {
	PowercapRoot string // where the powercap class is; "" for class/powercap in sysfs
	ProcRoot     string // where procfs is; "" for /proc
	SysRoot      string // where sysfs is; "" for /sys
	Calibration  Calibration
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
