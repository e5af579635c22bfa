package record

// AddAllocations adds what a member of a group allocated, and what collecting that used.
func (c *Component) AddAllocations(member *Component) {
	c.AllocBytes += member.AllocBytes
	c.AllocObjects += member.AllocObjects
	c.CausedMS += member.CausedMS
	for domain, joules := range member.CausedJ {
		if c.CausedJ == nil {
			c.CausedJ = make(Energy, len(member.CausedJ))
		}
		c.CausedJ[domain] += joules
	}
}

// An Allocation is a component's part in the memory that the tests of a run allocated.
type Allocation struct {
	Share float64 // of the bytes of all tests, 0 to 1
	// Joules and MS are what collecting used for the component, in all domains; Joules is 0 where
	// no energy is known.
	Joules, MS float64
	// Notable says that collecting for it is worth a word where there is little room.
	Notable bool
}

// Collecting for a component is notable from 5 % of what the run used on, or of what the component
// used itself, if that is something: 1 % of the run.
const (
	notableCaused = 0.05
	leastCaused   = 0.01
)

// Allocations are what all tests of a run allocated and used, for the parts of its components.
type Allocations struct{ bytes, joules, ms float64 }

// Allocations adds up the tests.
func (r *Run) Allocations() Allocations {
	var all Allocations
	for i := range r.Tests {
		t := &r.Tests[i]
		all.bytes, all.joules, all.ms = all.bytes+t.AllocBytes, all.joules+t.EnergyJ.Total(), all.ms+t.TimeMS
	}
	return all
}

// Of is the part of a component; ok is false where it allocated nothing, or nothing is known.
func (all Allocations) Of(c *Component) (a Allocation, ok bool) {
	if all.bytes == 0 || c.AllocBytes == 0 {
		return a, false
	}
	a = Allocation{Share: min(1, c.AllocBytes/all.bytes), Joules: c.CausedJ.Total(), MS: c.CausedMS}
	caused, own, run := a.Joules, c.EnergyJ.Total(), all.joules
	if run == 0 {
		caused, own, run = a.MS, c.TimeMS, all.ms
	}
	a.Notable = caused >= notableCaused*run || caused >= leastCaused*run && caused >= notableCaused*own
	a.Notable = a.Notable && caused > 0
	return a, true
}
