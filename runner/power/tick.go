package power

// An Entry is the running time of a row within a tick, over all threads.
type Entry struct {
	Row     uint32  // 0 to rows-1
	Seconds float64 // 0 or more; above the tick's length where several threads ran the row
}

// A Tick is the interval between two readings of the meter.
type Tick struct {
	Seconds float64
	Joules  []float64 // increments of the counters, by domain
	Entries []Entry   // no row twice
	Weight  float64   // dynamic power at the frequency of the busy processors, relative to that at another frequency; 0 where it is not known
	First   bool      // it does not follow the one before: another program begins, or ticks are missing
}

// valid reports whether the tick is usable in a model with these numbers of domains and
// rows.
func (t *Tick) valid(domains, rows int) bool {
	if !(t.Seconds >= shortest) || !inRange(t.Seconds) || !inRange(t.Weight) || len(t.Joules) != domains {
		return false
	}
	for _, j := range t.Joules {
		if !inRange(j) {
			return false
		}
	}
	for _, e := range t.Entries {
		if !inRange(e.Seconds) || uint64(e.Row) >= uint64(rows) {
			return false
		}
	}
	return true
}

const (
	shortest = 1e-9 // s, of a tick
	largest  = 1e12 // s, J or W: products of larger values could overflow
)

// inRange reports whether x is a number from 0 to largest.
func inRange(x float64) bool { return x >= 0 && x <= largest }

// A Rest is a measurement of power while the program did not run: that of the idle
// machine, and of Load processors kept busy by Row.
type Rest struct {
	Watts, SD float64 // W, mean and standard deviation
	Row       uint32
	Load      float64 // busy processors, 0 or more
	// Near is the standard deviation of Row's power about Fit.Mean, as a share of that; 0 for that of all rows. It is for a row of
	// which it is hardly known when it ran: what others do not explain would else seem to be its power.
	Near float64
}
