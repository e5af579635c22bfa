package powercapsim

import (
	"math/rand/v2"
	"time"
)

// A Period is the distribution of the interval between two updates of a
// counter, by three of its percentiles.
type Period struct {
	P1  time.Duration `json:"p1"`
	P50 time.Duration `json:"p50"`
	P99 time.Duration `json:"p99"`
}

// Published distributions.
var (
	Broadwell = Period{870 * time.Microsecond, 1000 * time.Microsecond, 1110 * time.Microsecond}
	IceLakeSP = Period{680 * time.Microsecond, 880 * time.Microsecond, 1650 * time.Microsecond}
	Zen2      = Period{999 * time.Microsecond, 1000 * time.Microsecond, 1001 * time.Microsecond}
)

// QEMU is that of the counter of a virtual machine (MSR_ENERGY_THREAD_SLEEP_US in
// target/i386/kvm/vmsr_energy.h): a second, and what the thread that fills it comes too late.
var QEMU = Period{time.Second, 1001 * time.Millisecond, 1010 * time.Millisecond}

// shortest keeps intervals from the low tail of the distribution above zero.
const shortest = 100 * time.Microsecond

// draw takes an interval from a normal distribution with its own width on each
// side of the median.
func (p Period) draw(r *rand.Rand) time.Duration {
	if p == (Period{}) {
		p = Broadwell
	}
	const percentile = 2.326 // of the standard normal distribution, 99 %
	x := r.NormFloat64()
	side := p.P99 - p.P50
	if x < 0 {
		side = p.P50 - p.P1
	}
	return max(p.P50+time.Duration(x/percentile*float64(side)), shortest)
}
