package spell

import (
	"cmp"
	"math"
	"slices"
)

// A pattern is a hash of the set of tests in which a component is active, or of the components
// that are active in a test: the exclusive or of random words. The order does not matter, and
// no item is in the set twice.
type pattern struct {
	high, low uint64
	n         uint64 // of a component: a hash of the set with N in each test; 0 if nothing was counted
	active    int32  // size of the set
	test      int32  // of a component: 1 + one of the tests; 0 for none
}

func (p *pattern) add(w word) {
	p.high ^= w.high
	p.low ^= w.low
	p.active++
}

func (p *pattern) merge(q pattern) {
	p.high, p.low, p.n = p.high^q.high, p.low^q.low, p.n^q.n
	p.active += q.active
	p.test = max(p.test, q.test)
}

func (p *pattern) compare(q *pattern) int {
	return cmp.Or(cmp.Compare(p.active, q.active), cmp.Compare(p.high, q.high), cmp.Compare(p.low, q.low))
}

// A word is the random word of an item. It is the same in each process, and so is the
// result.
type word struct{ high, low uint64 }

func words(n int) []word {
	list := make([]word, n)
	for i := range list {
		list[i] = word{scattered(uint64(2*i + 1)), scattered(uint64(2*i + 2))}
	}
	return list
}

// scattered is the x-th number of SplitMix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014), seed 0. No two x
// have the same.
func scattered(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// An activity has the patterns of all tests and components.
type activity struct {
	tests, components []pattern
	counted           bool // some N is neither 0 nor 1: they say how often, not only whether
}

func (m *Matrix) activity(workers int) activity {
	tests, components := words(len(m.Tests)), words(len(m.Components))
	parts := make([]activity, workers)
	inParts(len(m.Cells), workers, func(part, from, to int) {
		a := activity{tests: make([]pattern, len(m.Tests)), components: make([]pattern, len(m.Components))}
		for i := from; i < to; i++ {
			a.add(&m.Cells[i], tests, components)
		}
		parts[part] = a
	})
	for _, part := range parts[1:] {
		parts[0].merge(part)
	}
	return parts[0]
}

func (a *activity) merge(b activity) {
	for i, p := range b.tests {
		a.tests[i].merge(p)
	}
	for i, p := range b.components {
		a.components[i].merge(p)
	}
	a.counted = a.counted || b.counted
}

// add adds a cell whose component is active.
func (a *activity) add(c *Cell, tests, components []word) {
	if !c.active() {
		return
	}
	a.tests[c.Test].add(components[c.Component])
	of := &a.components[c.Component]
	of.add(tests[c.Test])
	if c.N > 0 {
		of.n ^= scattered(tests[c.Test].low + math.Float64bits(c.N))
	}
	of.test = c.Test + 1
	a.counted = a.counted || c.N > 0 && c.N != 1
}

func (c *Cell) active() bool { return c.N > 0 || c.TimeMS > 0 }

// active is the number of pairs.
func (a *activity) active() int {
	n := 0
	for i := range a.tests {
		n += int(a.tests[i].active)
	}
	return n
}

// groups returns the groups of two and more components that cannot be told apart, and the
// number of all groups, with those of one component and that of components that did not run.
func (a *activity) groups() (several [][]int32, all int) {
	for _, group := range alike(a.components) {
		all++
		if len(group) > 1 {
			several = append(several, group)
		}
	}
	if notActive(a.components) > 0 {
		all++
	}
	return several, all
}

func notActive(patterns []pattern) int {
	n := 0
	for i := range patterns {
		if patterns[i].active == 0 {
			n++
		}
	}
	return n
}

// alike returns the indices of equal patterns as groups, each ascending, without empty
// patterns.
func alike(patterns []pattern) [][]int32 {
	order := make([]int32, 0, len(patterns))
	for i := range patterns {
		if patterns[i].active > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(patterns[i].compare(&patterns[j]), cmp.Compare(i, j))
	})
	var groups [][]int32
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && patterns[order[from]].compare(&patterns[order[to]]) == 0 {
			to++
		}
		groups = append(groups, order[from:to:to])
		from = to
	}
	return groups
}
