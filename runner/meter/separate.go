package meter

import "math"

// A Separate is a counter that is read beside the domains. Its energy is in them already, or holds
// theirs and more, so that it must never be added to them.
type Separate struct {
	Name string // as readers see it: psys, package-1, core-3
	Kind SeparateKind
}

// A SeparateKind is what a separate counter covers.
type SeparateKind string

// The kinds.
const (
	Platform SeparateKind = "platform" // the whole machine, as far as its maker connected it to the counter
	Package  SeparateKind = "package"  // one processor package, a part of the domain cpu
	Memory   SeparateKind = "memory"   // the memory of one package, a part of the domain dram
)

// Missing is what Read fills in for a separate counter that could not be read, or whose energy since the
// reading before is not known. It is not a number (math.IsNaN).
func Missing() float64 { return math.NaN() }

// Values is how many values Read fills in.
func (i Info) Values() int { return len(i.Domains) + len(i.Separate) }

// Counts are the names of what Read fills in, in this order.
func (i Info) Counts() []string {
	var names []string
	for _, d := range i.Domains {
		names = append(names, string(d))
	}
	for _, s := range i.Separate {
		names = append(names, s.Name)
	}
	return names
}
