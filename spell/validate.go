package spell

import (
	"fmt"
	"slices"
)

// MaxValue is the largest number of executions, milliseconds or joules that a
// cell may have. It is far above anything real, and keeps every product and
// sum of the analysis within float64.
const MaxValue = 1e60

// A DuplicateError says that a matrix has two cells for one test and
// component: Cells[First] and Cells[Second], First < Second.
type DuplicateError struct {
	First, Second   int
	Test, Component string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("two cells for test %q and component %q", e.Test, e.Component)
}

// Validate reports the first fault of m: sizes that do not fit; a domain, test or component
// that is listed twice; an index out of range; a value that is negative, NaN or above MaxValue;
// two cells for one test and component (a *DuplicateError). The analysis of a valid matrix
// cannot fail.
//
// It takes time in proportion to the cells. Beyond the names it needs a few
// bytes for each test and component; none if the cells stand in the order of
// tests and then components, or of components and then tests; and four for each
// cell if the cells of some test do not stand together.
func (m *Matrix) Validate() error {
	return m.validate(workersFor(len(m.Cells), 0))
}

func (m *Matrix) validate(workers int) error {
	if len(m.Energy) != len(m.Cells)*len(m.Domains) {
		return fmt.Errorf("matrix has %d energy values for %d cells of %d domains", len(m.Energy), len(m.Cells), len(m.Domains))
	}
	if err := m.validNames(); err != nil {
		return err
	}
	seen := m.scan(workers)
	if seen.bad < len(m.Cells) {
		return m.fault(seen.bad)
	}
	if seen.byTest || seen.byComponent || !m.grouped() && !m.crowded() {
		return nil
	}
	if d := m.duplicate(); d != nil {
		return d
	}
	return nil
}

func (m *Matrix) validNames() error {
	if i, ok := repeated(m.Domains, func(d Domain) string { return string(d) }); ok {
		return fmt.Errorf("domain %q is listed twice", m.Domains[i])
	}
	if i, ok := repeated(m.Tests, func(t string) string { return t }); ok {
		return fmt.Errorf("test %q is listed twice", m.Tests[i])
	}
	if i, ok := repeated(m.Components, func(c Component) string { return c.ID }); ok {
		return fmt.Errorf("component %q is listed twice", m.Components[i].ID)
	}
	return nil
}

// repeated returns the index of the first item whose name an earlier one has.
func repeated[T any](items []T, name func(T) string) (int, bool) {
	seen := make(map[string]struct{}, len(items))
	for i, item := range items {
		seen[name(item)] = struct{}{}
		if len(seen) == i {
			return i, true
		}
	}
	return 0, false
}

// fault says what is wrong with cell i.
func (m *Matrix) fault(i int) error {
	c := &m.Cells[i]
	if !m.inside(c) {
		return fmt.Errorf("cell %d is at test %d, component %d of a matrix of %d x %d", i, c.Test, c.Component, len(m.Tests), len(m.Components))
	}
	return fmt.Errorf("test %q, component %q: %w", m.Tests[c.Test], m.Components[c.Component].ID, m.faultOfValue(i))
}

func (m *Matrix) inside(c *Cell) bool {
	return uint(c.Test) < uint(len(m.Tests)) && uint(c.Component) < uint(len(m.Components)) // below 0 is far above
}

func (m *Matrix) faultOfValue(i int) error {
	c := &m.Cells[i]
	switch {
	case !inRange(c.N):
		return faultOf("n", c.N)
	case !inRange(c.TimeMS):
		return faultOf("time", c.TimeMS)
	}
	joules := m.Joules(i)
	d := slices.IndexFunc(joules, func(e float64) bool { return !inRange(e) })
	return faultOf(string(m.Domains[d])+" energy", joules[d])
}

func faultOf(what string, v float64) error {
	return fmt.Errorf("%s is %v, must be a number from 0 to %v", what, v, float64(MaxValue))
}

func inRange(v float64) bool { return v >= 0 && v <= MaxValue } // so is no NaN

// A scan is the result of one pass over some cells.
type scan struct {
	bad                 int  // the first cell at fault, or the number of cells
	byTest, byComponent bool // each after the one before: by test and then component, or the other way round
}

func (m *Matrix) scan(workers int) scan {
	parts := make([]scan, workers)
	inParts(len(m.Cells), workers, func(part, from, to int) {
		parts[part] = m.scanPart(from, to)
	})
	all := parts[0]
	for _, p := range parts[1:] {
		all = scan{min(all.bad, p.bad), all.byTest && p.byTest, all.byComponent && p.byComponent}
	}
	return all
}

func (m *Matrix) scanPart(from, to int) scan {
	seen := scan{len(m.Cells), true, true}
	last := &Cell{Test: -1, Component: -1}
	if from > 0 {
		last = &m.Cells[from-1]
	}
	for i := from; i < to; i++ {
		c := &m.Cells[i]
		good := m.inside(c) && inRange(c.N) && inRange(c.TimeMS)
		for _, e := range m.Joules(i) {
			good = good && inRange(e)
		}
		if !good {
			seen.bad = i
			return seen
		}
		seen.byTest = seen.byTest && before(last.Test, last.Component, c.Test, c.Component)
		seen.byComponent = seen.byComponent && before(last.Component, last.Test, c.Component, c.Test)
		last = c
	}
	return seen
}

// before tells whether the pair a, b comes before c, d.
func before(a, b, c, d int32) bool { return a < c || a == c && b < d }

// duplicate returns the duplicate whose second cell comes first. It goes
// through the cells test by test and remembers, for each component, the last
// cell it met: no set of cells is needed.
func (m *Matrix) duplicate() *DuplicateError {
	var found *DuplicateError
	order := m.byTest()
	last := make([]int, len(m.Components)) // 1 + index of the cell, 0 for none yet
	for k := range m.Cells {
		i := k
		if order != nil {
			i = int(order[k])
		}
		c := m.Cells[i]
		before := last[c.Component] - 1
		if before >= 0 && m.Cells[before].Test == c.Test && (found == nil || i < found.Second) {
			found = &DuplicateError{before, i, m.Tests[c.Test], m.Components[c.Component].ID}
		}
		last[c.Component] = i + 1
	}
	return found
}

// byTest returns the indices of the cells test by test, in their own order
// within a test; nil if they stand so already.
func (m *Matrix) byTest() []int32 {
	if m.grouped() {
		return nil
	}
	next := m.starts()
	order := make([]int32, len(m.Cells))
	for i, c := range m.Cells {
		order[next[c.Test]] = int32(i)
		next[c.Test]++
	}
	return order
}

// starts returns, for each test and one after the last, how many cells the
// tests before it have.
func (m *Matrix) starts() []int {
	starts := make([]int, len(m.Tests)+1)
	for _, c := range m.Cells {
		starts[c.Test+1]++
	}
	for t := range m.Tests {
		starts[t+1] += starts[t]
	}
	return starts
}

// crowded tells whether two cells are for one test and component. It
// is faster than duplicate, as it does not say which: it sorts no more than
// the components.
func (m *Matrix) crowded() bool {
	next := m.starts()
	components := make([]int32, len(m.Cells)) // test by test
	for _, c := range m.Cells {
		components[next[c.Test]] = c.Component
		next[c.Test]++
	}
	last := make([]int32, len(m.Components)) // 1 + test in which it was met, 0 for none yet
	from := 0
	for t := range m.Tests { // next[t] is now the end of test t
		for _, c := range components[from:next[t]] {
			if last[c] == int32(t+1) {
				return true
			}
			last[c] = int32(t + 1)
		}
		from = next[t]
	}
	return false
}

// grouped reports whether the cells of each test stand together.
func (m *Matrix) grouped() bool {
	begun := make([]bool, len(m.Tests))
	for i, c := range m.Cells {
		if i > 0 && m.Cells[i-1].Test == c.Test {
			continue
		}
		if begun[c.Test] {
			return false
		}
		begun[c.Test] = true
	}
	return true
}
