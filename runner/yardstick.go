package runner

import (
	"runtime"
	"time"

	"spell-lsp/spell/significance"
)

// A yardstick is a fixed piece of work whose CPU time tells how fast the machine is:
// its frequency, and what else uses its caches and cores, also what runs beside a
// virtual machine and is not seen in it. It is used before, between and after test
// programs, never beside one. A program that heats the machine slows it down too.
type yardstick struct {
	table [1 << 16]uint64 // 512 KiB: more than the caches nearest to a core
	used  time.Time       // last
	ms    []float64
}

const (
	yardstickSteps  = 50_000 // of a pass: some 0.5 ms
	yardstickPasses = 7
	// yardstickEvery is how long after a use the next program does without.
	yardstickEvery = 200 * time.Millisecond
)

// use notes the CPU time of a pass, in ms: the median of a few.
func (y *yardstick) use() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	y.pass() // its table is in the caches, and the core is awake
	passes := make([]float64, yardstickPasses)
	for i := range passes {
		start := threadNS()
		y.pass()
		passes[i] = float64(threadNS()-start) / 1e6
	}
	y.used, y.ms = time.Now(), append(y.ms, significance.Median(passes))
}

// between is use where it was not used for a while.
func (y *yardstick) between() {
	if time.Since(y.used) >= yardstickEvery {
		y.use()
	}
}

// read returns the median of what was noted since the last call, 0 where the CPU time
// of a thread is not known.
func (y *yardstick) read() float64 {
	ms := significance.Median(y.ms)
	y.ms = y.ms[:0]
	return ms
}

// pass is a chain of steps, each of which waits for the one before. The race detector
// would make it twenty times longer.
//
//go:norace
func (y *yardstick) pass() {
	x := uint64(1)
	for range yardstickSteps {
		x = x*6364136223846793005 + 1442695040888963407
		at := &y.table[x>>48]
		x ^= *at
		*at = x
	}
}
