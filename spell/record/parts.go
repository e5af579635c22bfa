package record

import (
	"maps"
	"slices"
)

// UnattributedJ is the unattributed energy of all tests of the analysis, per round.
func (r *Run) UnattributedJ() Energy {
	left := make(Energy)
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.LeftOut(r.Analysis != nil && r.Analysis.IncludeFailed) {
			continue
		}
		for d, joules := range t.UnattributedJ {
			left[d] += joules
		}
	}
	return left
}

// Parts adds up the parts of the unattributed energy over the tests of the analysis. Energy
// that a test does not assign to a part stands under "".
func (r *Run) Parts() map[Part]Unattributed {
	all := make(map[Part]Unattributed)
	add := func(name Part, timeMS float64, e Energy) {
		sum := all[name]
		if sum.EnergyJ == nil {
			sum.EnergyJ = make(Energy)
		}
		sum.TimeMS += timeMS
		for d, joules := range e {
			sum.EnergyJ[d] += joules
		}
		all[name] = sum
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.LeftOut(r.Analysis != nil && r.Analysis.IncludeFailed) {
			continue
		}
		said := make(Energy)
		for _, name := range slices.Sorted(maps.Keys(t.Unattributed)) { // sums depend on the order
			part := t.Unattributed[name]
			add(name, part.TimeMS, part.EnergyJ)
			for d, joules := range part.EnergyJ {
				said[d] += joules
			}
		}
		rest := make(Energy)
		for d, joules := range t.UnattributedJ {
			if left := joules - said[d]; left > rounding*joules {
				rest[d] = left
			}
		}
		if len(rest) > 0 {
			add("", 0, rest)
		}
	}
	return all
}

// rounding is the largest relative difference between the sum of the parts of a test and
// the whole that counts as rounding.
const rounding = 1e-9
