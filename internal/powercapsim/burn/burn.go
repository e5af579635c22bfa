// Package burn is for programs whose energy is to be known: their functions
// compute in a loop that books what they use, watts times running time, into an
// accounts file, from which a simulated machine takes it (package powercapsim).
//
// A turn of the loop takes some microseconds. What is booked of it is the CPU time
// of its thread, up to 50 µs: one that does not have a processor uses no power, and
// in a longer turn another goroutine may have had the thread. Where that is not
// known, as after a goroutine has moved to another thread, it is the whole of a
// turn of up to 50 µs, and nothing of a longer one, which was interrupted.
// What calls itself is booked once, under the function that burns.
//
// The package needs the standard library alone. A program of another module can
// have a copy of it.
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

// interrupted is the length of a turn from which on the goroutine is taken to have
// been off the processor, or off its thread.
const interrupted = 50 * time.Microsecond

// An account is where a process books.
type account struct {
	accounts *Accounts
	process  *Process
}

// own is the process's account, in a file if there is one. A program whose
// truth could not be kept must not go on.
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

// init takes part from the beginning, not from the first call on.
func init() { own() }

// CPU computes until it was running for d, at a power in watts that it books
// under a function's number, from 0 to MaxFunctions-1.
func CPU(function int, watts float64, d time.Duration) {
	b := Begin(function, watts)
	for b.Spent < d {
		b.state = spin(b.state)
		b.Turn()
	}
	b.End()
}

// A Burning is a call that computes now.
type Burning struct {
	Spent    time.Duration // booked so far
	function int
	watts    float64
	last     time.Duration
	cpu      time.Duration // of the thread
	state    uint64        // of the computation
}

// Begin is for functions with work of their own: they call Turn every few
// microseconds, and End at the end. A function must not wait meanwhile.
func Begin(function int, watts float64) Burning {
	f := &own().accounts.Functions[function]
	f.Calls.Add(1)
	f.Running.Add(1)
	return Burning{function: function, watts: watts, last: time.Since(start), cpu: threadCPU()}
}

// Turn books the time since the last turn.
func (b *Burning) Turn() {
	now, cpu := time.Since(start), threadCPU()
	if used := ran(now-b.last, cpu-b.cpu); used > 0 {
		o := own()
		o.accounts.Book(o.process, b.function, b.watts, int64(used))
		b.Spent += used
	}
	b.last, b.cpu = now, cpu
}

// ran is for how long a turn had a processor, by what the thread's clock says.
func ran(turn, cpu time.Duration) time.Duration {
	const clocksDiffer = time.Microsecond
	switch {
	case cpu > 0 && cpu <= turn+clocksDiffer:
		return min(cpu, interrupted)
	case turn <= interrupted:
		return turn
	}
	return 0
}

// End ends what Begin began.
func (b *Burning) End() { own().accounts.Functions[b.function].Running.Add(-1) }

// RunTest is what a test calls first: `defer burn.RunTest(0)()`. What the
// returned function finds to have been used in between is booked under the
// test's number, from 0 to MaxTests-1.
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

// turns is how many times spin goes around: a few microseconds.
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
