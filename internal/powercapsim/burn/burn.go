// Package burn is for programs whose energy must be known exactly: their functions
// compute in a loop that books its energy, watts times running time, in an accounts
// file, from which a simulated machine reads it (package powercapsim).
//
// A turn of the loop takes a few microseconds. Its thread's CPU time is booked: a thread
// without a processor uses no power, and what interrupts of the kernel and of a host use
// on the thread is the function's, as every profiler has it. At most 50 µs are booked where
// another goroutine or the collector may have used the thread: in turns of 5 ms of CPU time
// or more, and in functions that allocate. If the CPU time of a turn is not known, for
// example because the goroutine moved to another thread, a turn of up to 50 µs is booked as
// a whole, and a longer one, which was interrupted, not at all.
// Recursive calls are booked once, under the function that burns.
//
// The package imports only the standard library, so that programs of other modules
// can have a copy of it.
package burn

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// UnbookedWatts is the power of running time that no function books: the Go
// runtime's, package testing's.
const UnbookedWatts = 10

// interrupted is the shortest turn in which the goroutine is assumed to have lost
// its processor, if the thread's CPU time is not known.
const interrupted = 50 * time.Microsecond

// shared is the shortest running time in which another goroutine is assumed to have had
// the thread. The scheduler takes a goroutine off its thread after 10 ms, and the next one
// runs as long. What one that ends or waits sooner uses is booked twice.
const shared = 5 * time.Millisecond

// An account is this process's access to the accounts.
type account struct {
	accounts *Accounts
	process  *Process
}

// own is the process's account, in a file if the environment names one. It panics
// if the file cannot be used, because the truth would be wrong.
var own = sync.OnceValue(func() account {
	path := os.Getenv(Variable)
	if path == "" {
		return account{new(Accounts), new(Process)}
	}
	a, err := Open(path)
	if err == nil {
		var p *Process
		if p, err = a.Register(os.Getpid(), UnbookedWatts); err == nil {
			return account{a, p}
		}
	}
	panic(fmt.Sprintf("burn: %s: %v", Variable, err))
})

var start = time.Now()

// init registers the process at its start rather than at the first call.
func init() { own() }

// CPU computes until it has run for d, and books that time at a power of watts under
// the number of a function, from 0 to MaxFunctions-1.
func CPU(function int, watts float64, d time.Duration) {
	b := Begin(function, watts)
	b.spend(d)
}

// OnOwnThread is CPU for a goroutine that is locked to its thread (runtime.LockOSThread). No other
// goroutine can have used the thread, so long turns are booked as a whole, too: on a busy machine
// these are some of the time, and nobody could say whose it was.
func OnOwnThread(function int, watts float64, d time.Duration) {
	b := Begin(function, watts)
	b.ownThread = true
	b.spend(d)
}

func (b *Burning) spend(d time.Duration) {
	for b.Spent < d {
		b.state = spin(b.state)
		b.Turn()
	}
	b.End()
}

// A Burning is a call in progress.
type Burning struct {
	Spent    time.Duration // booked so far
	function int
	watts    float64
	last     time.Duration
	cpu      time.Duration // of the thread
	thread   *thread       // nil where power only adds up
	state    uint64        // intermediate value of the computation
	// ownThread says that no other goroutine runs on this thread.
	ownThread bool
	// allocates says that the runtime may have the goroutine help the garbage collector.
	allocates bool
}

// Begin is for functions that do their own work: they call Turn every few
// microseconds, and End at the end. They must not wait in between.
func Begin(function int, watts float64) Burning {
	f := &own().accounts.Functions[function]
	f.Calls.Add(1)
	f.Running.Add(1)
	b := Burning{function: function, watts: watts}
	if own().accounts.Physics.Load() != 0 {
		b.thread = enter(watts)
	}
	b.last, b.cpu = time.Since(start), threadCPU()
	return b
}

// BeginAllocating is Begin for functions that allocate. What their goroutine does for the
// garbage collector is not theirs, so of a turn at most 50 µs are booked.
func BeginAllocating(function int, watts float64) Burning {
	b := Begin(function, watts)
	b.allocates = true
	return b
}

// Turn books the time since the last turn.
func (b *Burning) Turn() {
	now, cpu := time.Since(start), threadCPU()
	if used := b.ran(now-b.last, cpu-b.cpu); used > 0 {
		o := own()
		factor := Physics(o.accounts.Physics.Load()).factor(b.thread, now)
		o.accounts.Book(o.process, b.function, b.watts*factor, int64(used))
		b.Spent += used
	}
	b.last, b.cpu = now, cpu
}

// ran is the part of a turn that is booked, given the increase of the thread's CPU time.
func (b *Burning) ran(turn, cpu time.Duration) time.Duration {
	const clocksDiffer = time.Microsecond
	switch {
	case b.ownThread && cpu > 0:
		return cpu
	case (b.allocates || cpu >= shared) && cpu > 0 && cpu <= turn+clocksDiffer:
		return min(cpu, interrupted)
	case cpu > 0 && cpu <= turn+clocksDiffer:
		return cpu
	case turn <= interrupted:
		return turn
	}
	return 0
}

// End ends what Begin began.
func (b *Burning) End() {
	own().accounts.Functions[b.function].Running.Add(-1)
	if b.thread != nil {
		b.thread.milliwatts.Store(0)
	}
}

// RunTest is called first in a test: `defer burn.RunTest(0)()`. The returned function
// books what all accounts gained in between under the test's number, from 0 to
// MaxTests-1.
func RunTest(test int) (end func()) {
	a := own().accounts
	began, before := time.Since(start), a.PJ()
	return func() {
		t := &a.Tests[test]
		t.PJ.Add(a.PJ() - before)
		t.NS.Add(uint64(time.Since(start) - began))
		t.Runs.Add(1)
	}
}

// turns is the number of iterations of spin, which take a few microseconds.
const turns = 6000

//go:noinline
func spin(x uint64) uint64 {
	x |= 1
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
