package attribution

import (
	"fmt"
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
)

// What a program reports is checked against what the system reports of it. The bounds are far
// beyond what a program can do: no honest one is refused.
const (
	maxCallsPerNS = 16      // calls in a ns of CPU time
	maxGoroutines = 1 << 20 // at once
	cpuFactor     = 2       // of CPU time
	clockSlackNS  = 1e8
	maxBytesPerNS = 4096 // of CPU time: one call may move 2 GB without copying them
)

// A Life is what the system reports of one execution of a program.
type Life struct {
	BeganNS, EndedNS int64
	CPUNS            float64 // with the children that it waited for
}

// Plausible returns an error if a log claims more than the program can have done: times
// outside of its life, or more calls than its CPU time allows.
func (l Life) Plausible(log *probe.Log) error {
	cpu := cpuFactor*l.CPUNS + clockSlackNS
	life := float64(l.EndedNS-l.BeganNS) + clockSlackNS
	if n := len(log.Windows); n > 0 {
		first, last := log.Windows[0].Start, log.Windows[n-1].End
		if float64(first) < float64(l.BeganNS)-clockSlackNS || float64(last) > float64(l.EndedNS)+clockSlackNS {
			return fmt.Errorf("its tests ran from %d to %d, and it lived from %d to %d", first, last, l.BeganNS, l.EndedNS)
		}
	}
	sums := make(map[int]probe.Count)
	var strays, goroutines float64
	for _, w := range log.Windows {
		if float64(w.CPUNS) > cpu {
			return fmt.Errorf("%s used %d ns of CPU time, the whole program %.0f", w.Test, w.CPUNS, l.CPUNS)
		}
		for row, c := range w.Counts {
			sums[row] = sums[row].Plus(c)
		}
		for _, ns := range w.StraysNS {
			strays += ns
		}
	}
	for _, s := range log.Strays {
		goroutines += float64(s.Goroutines)
	}
	for _, test := range slices.Sorted(maps.Keys(log.Operations)) {
		if n := log.Operations[test]; n > maxCallsPerNS*cpu {
			return fmt.Errorf("%s did %.0f operations, in a program of %.0f ns of CPU time", test, n, l.CPUNS)
		}
	}
	if strays > maxGoroutines*life || goroutines > maxCallsPerNS*cpu {
		return fmt.Errorf("%.0f goroutines outlived their tests by %.0f ns, in a program of %.0f ns of CPU time", goroutines, strays, l.CPUNS)
	}
	for _, row := range sortedRows(sums) {
		c := sums[row]
		for _, bound := range []struct {
			value uint64
			most  float64
			what  string
		}{
			{max(c.N, c.Calls, c.Timed, c.Literals, c.Switches, c.Samples, c.AllocObjects), maxCallsPerNS * cpu, "calls"},
			{max(c.SelfNS, c.CumNS, c.WallNS), maxGoroutines * life, "ns from entry to exit"},
			{max(c.KeptNS, c.LostNS, c.GainedNS, c.BelowNS), cpu, "ns of samples"},
			{c.Moved.Largest(), maxBytesPerNS * cpu, "bytes"},
		} {
			if float64(bound.value) > bound.most {
				return fmt.Errorf("row %d has %d %s, in a program of %.0f ns of CPU time", row, bound.value, bound.what, l.CPUNS)
			}
		}
	}
	sampled := float64(log.LostNS)
	for _, calls := range log.Calls {
		for _, c := range calls {
			sampled += float64(c.NS)
		}
	}
	if sampled > cpu {
		return fmt.Errorf("its stacks were sampled for %.0f ns, in a program of %.0f ns of CPU time", sampled, l.CPUNS)
	}
	return nil
}
