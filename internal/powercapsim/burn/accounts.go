package burn

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"unsafe"
)

// Variable names the environment variable that holds the path of the accounts
// file. Without it a program burns as it does with it, and nobody knows.
const Variable = "POWERCAPSIM"

// How many of each an accounts file has room for.
const (
	MaxFunctions = 256
	MaxProcesses = 64
	MaxTests     = 16
)

// Accounts is the content of an accounts file, which all processes that have a
// part in it map: 8-byte words in the machine's byte order, each changed
// atomically, with the fields in the order in which they stand here. An account
// only grows.
type Accounts struct {
	magic atomic.Uint64
	// UnbookedPJ is the energy in picojoules of processors' time that processes
	// spent outside of functions. The simulator keeps it.
	UnbookedPJ atomic.Uint64
	_          [6]uint64
	Functions  [MaxFunctions]Function
	Processes  [MaxProcesses]Process
	Tests      [MaxTests]Test
}

// A Function is the account of one function.
type Function struct {
	PJ      atomic.Uint64 // energy, in picojoules
	NS      atomic.Uint64 // running time
	Calls   atomic.Uint64 // begun
	Running atomic.Int64  // calls that are not waiting now; the kernel may have put them off the processor
	// BracketUJ and BracketNS are what the counter gained and the time that
	// passed between entry and exit of calls, as Enter and Exit saw it.
	BracketUJ atomic.Uint64
	BracketNS atomic.Uint64
	_         [2]uint64
}

// A Process is one that uses processors, also for what no function books.
type Process struct {
	PID      atomic.Int64  // 0: the entry is free; -1: somebody is about to take it
	BookedNS atomic.Uint64 // running time that its functions booked
	// MilliWatts is the power of the rest of its running time.
	MilliWatts atomic.Uint64
	_          [5]uint64
}

// A Test is what all accounts gained while a test ran, every other process
// included, but not what the idle machine uses.
type Test struct {
	Runs atomic.Uint64
	NS   atomic.Uint64
	PJ   atomic.Uint64
	_    [5]uint64
}

const (
	magic = 0x3130_6d69_7370_6370 // changes with the layout
	size  = int(unsafe.Sizeof(Accounts{}))
)

// Create makes an accounts file in which nothing is booked.
func Create(path string) (*Accounts, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("creating the accounts: %w", err)
	}
	defer f.Close() // what is written goes through the mapping
	if err := f.Truncate(int64(size)); err != nil {
		return nil, fmt.Errorf("creating the accounts: %w", err)
	}
	a, err := mapped(f)
	if err != nil {
		return nil, fmt.Errorf("creating the accounts: %w", err)
	}
	a.magic.Store(magic)
	return a, nil
}

// Open maps the accounts file of that name, for as long as the process lives.
func Open(path string) (*Accounts, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the accounts: %w", err)
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err == nil && info.Size() != int64(size) {
		err = fmt.Errorf("%s has %d bytes, not %d: it is another version's or no accounts file", path, info.Size(), size)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the accounts: %w", err)
	}
	a, err := mapped(f)
	if err == nil && a.magic.Load() != magic {
		err = fmt.Errorf("%s is another version's or no accounts file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the accounts: %w", err)
	}
	return a, nil
}

// Book adds ns nanoseconds at a power in watts to a function's account, and to
// the running time of process p, which may be nil.
func (a *Accounts) Book(p *Process, function int, watts float64, ns int64) {
	if ns <= 0 {
		return
	}
	f := &a.Functions[function]
	f.PJ.Add(milliwatts(watts) * uint64(ns))
	f.NS.Add(uint64(ns))
	if p != nil {
		p.BookedNS.Add(uint64(ns))
	}
}

// PJ is the energy of all accounts, in picojoules.
func (a *Accounts) PJ() uint64 {
	sum := a.UnbookedPJ.Load()
	for i := range a.Functions {
		sum += a.Functions[i].PJ.Load()
	}
	return sum
}

// Register enters a process, whose running time that no function books uses so
// many watts. The simulator frees the entry when the process is gone.
func (a *Accounts) Register(pid int, watts float64) (*Process, error) {
	for i := range a.Processes {
		p := &a.Processes[i]
		if p.PID.CompareAndSwap(0, -1) {
			p.BookedNS.Store(0)
			p.MilliWatts.Store(milliwatts(watts))
			p.PID.Store(int64(pid))
			return p, nil
		}
	}
	return nil, errors.New("the accounts have no room for another process")
}

func milliwatts(watts float64) uint64 { return uint64(math.Round(watts * 1e3)) }
