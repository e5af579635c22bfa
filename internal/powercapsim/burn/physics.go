package burn

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Physics is what a machine makes of the power of threads, beside adding it up. Effects are
// bits, and can be combined.
type Physics uint64

// The effects.
const (
	// Siblings: all threads share a core, and what one issues slows the others down.
	Siblings Physics = 1 << iota
	// Turbo: a core that is busy alone runs at 3.8 GHz, and at 3.4 GHz beside another.
	Turbo
	// Warm: the machine draws up to a quarter more and less again, in turns of six seconds.
	Warm
)

const (
	strongW   = 25                     // a thread of this power takes most of its core
	sharing   = 0.8                    // by which such a thread slows its sibling down: to 1/1.8
	rampS     = 1e-3                   // s, time constant of the frequency
	absent    = 100 * time.Microsecond // since its last turn: a thread without a processor
	warmS     = 6.0                    // s
	warmMore  = 0.25
	aloneGHz  = 3.8
	besideGHz = 3.4
)

// A thread is a call in progress in this process.
type thread struct {
	milliwatts atomic.Uint64 // it would draw alone; 0: the entry is free
	turned     atomic.Int64  // when its last turn ended, by start
}

var threads [64]thread

// enter gives a call an entry, nil if there is none left.
func enter(watts float64) *thread {
	for i := range threads {
		if threads[i].milliwatts.CompareAndSwap(0, max(1, milliwatts(watts))) {
			threads[i].turned.Store(int64(time.Since(start)))
			return &threads[i]
		}
	}
	return nil
}

// factor is the ratio of what a call draws in a turn that ends now to what it would draw alone.
func (p Physics) factor(of *thread, now time.Duration) float64 {
	if p == 0 || of == nil {
		return 1
	}
	of.turned.Store(int64(now))
	beside := 0.0
	for i := range threads {
		t := &threads[i]
		if t != of && now-time.Duration(t.turned.Load()) < absent {
			beside += float64(t.milliwatts.Load()) / 1e3
		}
	}
	f := 1.0
	if p&Siblings != 0 {
		f /= 1 + sharing*beside/strongW
	}
	if p&Turbo != 0 {
		f *= frequency.power(beside > 0, now)
	}
	if p&Warm != 0 {
		s := math.Sin(math.Pi * math.Mod(float64(time.Now().UnixNano())/1e9, warmS) / warmS)
		f *= 1 + warmMore*s*s
	}
	return f
}

// A clock is the frequency of all processors.
type clock struct {
	mu   sync.Mutex
	ghz  float64
	last time.Duration
}

var frequency = clock{ghz: aloneGHz}

// power moves the frequency towards its target and returns the power at it, relative to that of a
// core that is busy alone: f V^2, with V from 0.8 V at 2 GHz to 1.2 V at 3.8 GHz.
func (c *clock) power(together bool, now time.Duration) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	target := aloneGHz
	if together {
		target = besideGHz
	}
	c.ghz += (target - c.ghz) * (1 - math.Exp(-max(0, now-c.last).Seconds()/rampS))
	c.last = max(c.last, now)
	of := func(ghz float64) float64 { v := 0.8 + 0.4*(ghz-2)/1.8; return ghz * v * v }
	return of(c.ghz) / of(aloneGHz)
}
