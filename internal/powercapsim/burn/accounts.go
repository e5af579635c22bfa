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
// file. Without it a program computes all the same, but books nothing.
const Variable = "POWERCAPSIM"

// Capacities of an accounts file.
const (
	MaxFunctions = 256
	MaxProcesses = 64
	MaxTests     = 16
	MaxCPUs      = 256
)

// Accounts is the content of an accounts file, which every participating process
// maps: 8-byte words in the machine's byte order, each changed atomically, in the
// order of the fields below. Values of an account never decrease.
type Accounts struct {
	magic atomic.Uint64
	// UnbookedPJ is the energy, in picojoules, of the running time that processes
	// spent outside of functions. Only the simulator writes it.
	UnbookedPJ atomic.Uint64
	Physics    atomic.Uint64 // of the machine; see Physics. Only the simulator writes it
	ByCPU      atomic.Uint64 // 1: functions book their energy by processor too
	_          [4]uint64
	Functions  [MaxFunctions]Function
	Processes  [MaxProcesses]Process
	Tests      [MaxTests]Test
	CPUs       [MaxCPUs]Processor
}

// A Function is the account of one function.
type Function struct {
	PJ      atomic.Uint64 // energy, in picojoules
	NS      atomic.Uint64 // running time
	Calls   atomic.Uint64 // calls that have begun
	Running atomic.Int64  // calls that are not waiting now, although the kernel may have preempted them
	// BracketUJ and BracketNS are the increase of the counter and the elapsed time
	// between entry and exit of calls, as Enter and Exit read them.
	BracketUJ atomic.Uint64
	BracketNS atomic.Uint64
	_         [2]uint64
}

// A Process is a participant, whose running time includes some that no function books.
type Process struct {
	PID      atomic.Int64  // 0: the entry is free; -1: a process is about to take it
	BookedNS atomic.Uint64 // running time that its functions booked
	// MilliWatts is the power of the rest of its running time.
	MilliWatts atomic.Uint64
	_          [5]uint64
}

// A Test is the energy and time that all accounts gained while a test ran, including
// those of other processes, but without the energy of the idle machine.
type Test struct {
	Runs atomic.Uint64
	NS   atomic.Uint64
	PJ   atomic.Uint64
	_    [5]uint64
}

const (
	magic = 0x3230_6d69_7370_6370 // changes with the layout
	size  = int(unsafe.Sizeof(Accounts{}))
)

// Create makes an accounts file in which nothing is booked.
func Create(path string) (*Accounts, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("creating the accounts: %w", err)
	}
	defer f.Close() // all writes go through the mapping
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

// Open maps the accounts file at path until the process ends.
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
	if a.ByCPU.Load() != 0 {
		a.CPUs[onCPU()%MaxCPUs].PJ.Add(milliwatts(watts) * uint64(ns))
	}
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

// Register enters a process; watts is the power of its running time that no
// function books. The simulator frees the entry when the process is gone.
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
