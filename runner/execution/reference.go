package execution

import (
	"runtime"
	"time"

	"spell-lsp/spell/significance"
)

// A Reference is a reference workload: a fixed piece of work whose CPU time tells how fast the machine is:
// its frequency, and what else uses its caches and cores, also what runs beside a
// virtual machine and is not seen in it. It is run before, between and after test
// programs, never beside one. A program that heats the machine slows it down too.
type Reference struct {
	table [1 << 16]uint64 // 512 KiB: more than the caches nearest to a core
	used  time.Time       // last
	ms    []float64
}

const (
	referenceSteps  = 50_000 // of a pass: some 0.5 ms
	referencePasses = 7
	// referenceEvery is how long after a run the next program does without.
	referenceEvery = 200 * time.Millisecond
)

// Run notes the CPU time of a pass, in ms: the median of a few.
func (r *Reference) Run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r.pass() // its table is in the caches, and the core is awake
	passes := make([]float64, referencePasses)
	for i := range passes {
		start := threadNS()
		r.pass()
		passes[i] = float64(threadNS()-start) / 1e6
	}
	r.used, r.ms = time.Now(), append(r.ms, significance.Median(passes))
}

// RunAgain is Run where it was not run for a while.
func (r *Reference) RunAgain() {
	if time.Since(r.used) >= referenceEvery {
		r.Run()
	}
}

// TakeMS returns the median of what was noted since the last call, 0 where the CPU time
// of a thread is not known.
func (r *Reference) TakeMS() float64 {
	ms := significance.Median(r.ms)
	r.ms = r.ms[:0]
	return ms
}

// pass is a chain of steps, each of which waits for the one before. The race detector
// would make it twenty times longer.
//
//go:norace
func (r *Reference) pass() {
	x := uint64(1)
	for range referenceSteps {
		x = x*6364136223846793005 + 1442695040888963407
		at := &r.table[x>>48]
		x ^= *at
		*at = x
	}
}
