package execution

import (
	"runtime"
	"time"

	"spell-lsp/spell/significance"
)

// A Reference is a reference workload: a fixed piece of work whose CPU time shows how fast the
// machine is. It depends on the frequency and on what else uses caches and cores, including
// load beside a virtual machine that is invisible inside. It runs before, between and after
// test programs, never beside one.
type Reference struct {
	table [1 << 16]uint64 // 512 KiB: more than the caches nearest to a core
	used  time.Time       // last
	ms    []float64
}

const (
	referenceSteps  = 50_000 // of a pass: some 0.5 ms
	referencePasses = 7
	// referenceEvery is the shortest time between two runs by RunAgain.
	referenceEvery = 200 * time.Millisecond
)

// Run records the median CPU time of a few passes.
func (r *Reference) Run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r.pass() // warms up the caches and the core
	passes := make([]float64, referencePasses)
	for i := range passes {
		start := threadNS()
		r.pass()
		passes[i] = float64(threadNS()-start) / 1e6
	}
	r.used, r.ms = time.Now(), append(r.ms, significance.Median(passes))
}

// RunAgain is Run unless it ran a short time ago.
func (r *Reference) RunAgain() {
	if time.Since(r.used) >= referenceEvery {
		r.Run()
	}
}

// TakeMS returns the median of the times since the last call, in ms; 0 where the system does not
// tell the CPU time of a thread.
func (r *Reference) TakeMS() float64 {
	ms := significance.Median(r.ms)
	r.ms = r.ms[:0]
	return ms
}

// pass is a chain of dependent steps. Under the race detector it
// would take twenty times as long.
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
