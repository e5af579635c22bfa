package attribution

import "spell-lsp/instrument/probe"

// cause divides what the garbage collector used, assists included, among the components by the
// bytes that they allocated in the interval. It stays the collector's: what a component caused
// stands beside its share, and not in it. What others allocated, as test code, is left out, so the
// sum is the collector's where only components allocated. Without samples nothing is known.
func (v *Interval) cause(shares map[int]Share, collector Amount) {
	all := v.allocated().AllocBytes
	if all == 0 {
		return
	}
	for component, s := range shares {
		c := v.Counts[component+1]
		if c.AllocBytes == 0 {
			continue
		}
		s.Allocation = Allocation{float64(c.AllocBytes), float64(c.AllocObjects)}
		ratio := s.Bytes / float64(all)
		s.Caused = Amount{collector.NS * ratio, make([]float64, len(v.Joules))}
		for d, joules := range collector.Joules {
			s.Caused.Joules[d] = joules * ratio
		}
		shares[component] = s
	}
}

// allocated is what all rows allocated in the interval.
func (v *Interval) allocated() (all probe.Count) {
	for _, c := range v.Counts {
		all.AllocBytes, all.AllocObjects = all.AllocBytes+c.AllocBytes, all.AllocObjects+c.AllocObjects
	}
	return all
}

// An Allocation is memory of the heap that was allocated.
type Allocation struct{ Bytes, Objects float64 }

// Allocated is what the program allocated in the interval.
func (v *Interval) Allocated() Allocation {
	all := v.allocated()
	return Allocation{float64(all.AllocBytes), float64(all.AllocObjects)}
}

// Plus adds b.
func (a Allocation) Plus(b Allocation) Allocation {
	return Allocation{a.Bytes + b.Bytes, a.Objects + b.Objects}
}

// Divided divides a.
func (a Allocation) Divided(by float64) Allocation {
	return Allocation{a.Bytes / by, a.Objects / by}
}
