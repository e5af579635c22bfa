package record

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
)

// SizedCalls are timed calls of a function by a size of their arguments, see instrument/rewrite. Of
// calls within each other only the outermost counts.
type SizedCalls struct {
	Size    string       `json:"size"`    // as in the source: "n", "len(cars)"
	Buckets []SizeBucket `json:"buckets"` // the smallest sizes first, at least one
}

// A SizeBucket is the calls with sizes from Low to High. Sizes below 64 are buckets of their own; above,
// each octave has eight. All numbers but those of sizes are per round, summed over tests, as far as the calls were
// noted: compare the cost of calls, and not how many there were with Component.N.
type SizeBucket struct {
	Low       uint64  `json:"low"`
	High      uint64  `json:"high"`
	Mean      float64 `json:"mean"` // of the sizes of the calls
	N         float64 `json:"n"`
	TimeMS    float64 `json:"time_ms"` // of the function's own code
	CumTimeMS float64 `json:"cum_time_ms"`
	// EnergyJ has the mean power of the function's own code, and what CumEnergyJ has beyond it the mean
	// power of its callees.
	EnergyJ    Energy `json:"energy_j"`
	CumEnergyJ Energy `json:"cum_energy_j"`
}

// SetSizedCalls sets SizedCalls of c, whose time and energy are known, from the times that were measured
// at its calls: of these self and cum are the parts that are c's, in which the probes are not.
func (c *Component) SetSizedCalls(list []SizedCalls, self, cum float64) {
	for _, s := range list {
		for i := range s.Buckets {
			b := &s.Buckets[i]
			b.TimeMS *= self
			b.CumTimeMS = max(b.TimeMS, b.CumTimeMS*cum)
			b.EnergyJ, b.CumEnergyJ = make(Energy, len(c.EnergyJ)), make(Energy, len(c.EnergyJ))
			for domain, joules := range c.EnergyJ {
				own := joules * ratio(b.TimeMS, c.TimeMS)
				below := max(0, c.CumEnergyJ[domain]-joules) * ratio(b.CumTimeMS-b.TimeMS, c.CumTimeMS-c.TimeMS)
				b.EnergyJ[domain], b.CumEnergyJ[domain] = own, own+below
			}
		}
	}
	c.SizedCalls = list
}

// ratio is 0 where the whole is.
func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// AddSizedCalls adds the calls of another run of c, multiplied by share.
func (c *Component) AddSizedCalls(more []SizedCalls, share float64) {
	for _, m := range more {
		at := slices.IndexFunc(c.SizedCalls, func(s SizedCalls) bool { return s.Size == m.Size })
		if at < 0 {
			at = len(c.SizedCalls)
			c.SizedCalls = append(c.SizedCalls, SizedCalls{Size: m.Size})
		}
		for _, b := range m.Buckets {
			c.SizedCalls[at].add(b, share)
		}
	}
}

func (s *SizedCalls) add(b SizeBucket, share float64) {
	at, known := slices.BinarySearchFunc(s.Buckets, b.Low, func(b SizeBucket, low uint64) int { return cmp.Compare(b.Low, low) })
	if !known {
		s.Buckets = slices.Insert(s.Buckets, at, SizeBucket{Low: b.Low, High: b.High, EnergyJ: make(Energy), CumEnergyJ: make(Energy)})
	}
	to, n := &s.Buckets[at], share*b.N
	to.Mean += (b.Mean - to.Mean) * ratio(n, to.N+n)
	to.N, to.TimeMS, to.CumTimeMS = to.N+n, to.TimeMS+share*b.TimeMS, to.CumTimeMS+share*b.CumTimeMS
	for _, d := range spell.Domains() {
		if joules, has := b.EnergyJ[d]; has {
			to.EnergyJ[d] += share * joules
			to.CumEnergyJ[d] += share * b.CumEnergyJ[d]
		}
	}
}
