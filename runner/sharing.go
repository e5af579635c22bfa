package runner

import (
	"slices"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell/record"
)

// A sharing is the energy of rounds, divided among units.
type sharing struct {
	powers *attribution.Powers
	totals *attribution.Totals
	rounds [][]sharedTest
	ranNS  map[int]float64 // self time in all rounds, by component
}

// A sharedTest is a test in one round with the shares of units: means of one execution.
type sharedTest struct {
	*observation
	shares map[int]attribution.Share // by unit
	parts  map[record.Part]attribution.Amount
	strays map[statement]attribution.Amount // divides the part Strays
	// allocated is what all of the test allocated.
	allocated attribution.Allocation
}

// shareEnergy divides the energy of the rounds that were kept. The warm-up only helps to
// estimate the time of calls that were not timed.
func shareEnergy(s *subject, powers *attribution.Powers, warm, kept []*round) *sharing {
	h := &sharing{powers: powers, totals: attribution.NewTotals(len(s.build.Components), s.setUp.Hot), ranNS: make(map[int]float64)}
	h.totals.Sampled = s.sampled
	for _, r := range slices.Concat(warm, kept) {
		for _, o := range r.tests {
			o.each(func(part *observation) {
				for _, v := range part.intervals {
					h.totals.Add(v)
				}
			})
		}
	}
	for _, r := range kept {
		tests := make([]sharedTest, len(r.tests))
		for i, o := range r.tests {
			tests[i] = h.share(s, o)
		}
		h.rounds = append(h.rounds, tests)
	}
	return h
}

// share divides the energy of a test. That of a benchmark and of its subbenchmarks is divided for
// each of them, and added up.
func (h *sharing) share(s *subject, o *observation) sharedTest {
	t := h.shareOne(s, o)
	for _, sub := range o.subs {
		more := h.shareOne(s, sub)
		addAll(t.shares, more.shares)
		addAll(t.parts, more.parts)
		addAll(t.strays, more.strays)
		t.allocated = t.allocated.Plus(more.allocated)
	}
	return t
}

// addAll adds the amounts of one map to those of another.
func addAll[K comparable, A interface{ Plus(A) A }](to, from map[K]A) {
	for key, amount := range from {
		to[key] = to[key].Plus(amount)
	}
}

func (h *sharing) shareOne(s *subject, o *observation) sharedTest {
	t := sharedTest{
		observation: o, shares: make(map[int]attribution.Share),
		parts: make(map[record.Part]attribution.Amount), strays: make(map[statement]attribution.Amount),
	}
	for _, v := range o.intervals {
		t.allocated = t.allocated.Plus(v.Allocated())
		shares, parts := h.totals.Attribute(v, h.powers)
		for _, component := range sortedKeys(shares) {
			h.ranNS[component] += shares[component].SelfNS
			unit := s.unitOf[component]
			t.shares[unit] = t.shares[unit].Plus(s.asUnit(component, shares[component]))
		}
		t.addStrays(parts[record.Strays], v)
		for name, more := range parts {
			if name == record.TestCode && o.program {
				name = record.OutsideCode
			}
			t.parts[name] = t.parts[name].Plus(more)
		}
	}
	if o.executions != 1 { // a part of an operation is less
		t.allocated = t.allocated.Divided(o.executions)
		for unit, share := range t.shares {
			t.shares[unit] = share.Divided(o.executions)
		}
		for name, p := range t.parts {
			t.parts[name] = p.Divided(o.executions)
		}
		for name, p := range t.strays {
			t.strays[name] = p.Divided(o.executions)
		}
	}
	s.addCalls(&t, len(o.joules))
	return t
}

// asUnit is what the share of a component adds to its unit. Cumulative values of components that
// call each other must not be added: a unit of several gets their self values, a lower bound.
func (s *subject) asUnit(component int, share attribution.Share) attribution.Share {
	if s.units[s.unitOf[component]].ID != s.build.Components[component].ID {
		share.CumNS, share.WallNS, share.CumJoules = share.SelfNS, share.SelfNS, slices.Clone(share.Joules)
	}
	return share
}

// resolved returns a function that says whether the time of a unit rests on enough samples.
func (h *sharing) resolved(s *subject) func(unit int) bool {
	members := make([][]int, len(s.units))
	for component, u := range s.unitOf {
		if u >= 0 {
			members[u] = append(members[u], component)
		}
	}
	return func(unit int) bool { return h.totals.Resolved(members[unit]...) }
}
