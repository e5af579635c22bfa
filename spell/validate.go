package spell

import (
	"fmt"
	"math"
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

// Validate reports the first thing in m that no analysis can rest on: sizes
// that do not fit, a domain, test or component listed twice, an index out of
// range, a value that is negative, not a number or above MaxValue, or two
// cells for one test and component (a *DuplicateError). Analysis of a valid
// matrix cannot fail.
//
// It takes time in proportion to the cells. Beyond the names it needs a few
// bytes for each test and component, and four for each cell if the cells of
// some test do not stand together.
func (m *Matrix) Validate() error {
	if len(m.Energy) != len(m.Cells)*len(m.Domains) {
		return fmt.Errorf("matrix has %d energy values for %d cells of %d domains", len(m.Energy), len(m.Cells), len(m.Domains))
	}
	if err := m.validNames(); err != nil {
		return err
	}
	for i, c := range m.Cells {
		if c.Test < 0 || int(c.Test) >= len(m.Tests) || c.Component < 0 || int(c.Component) >= len(m.Components) {
			return fmt.Errorf("cell %d is at test %d, component %d of a matrix of %d x %d", i, c.Test, c.Component, len(m.Tests), len(m.Components))
		}
		if err := m.validValues(i); err != nil {
			return fmt.Errorf("test %q, component %q: %w", m.Tests[c.Test], m.Components[c.Component].ID, err)
		}
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

func (m *Matrix) validValues(i int) error {
	if err := validValue("n", m.Cells[i].N); err != nil {
		return err
	}
	if err := validValue("time", m.Cells[i].TimeMS); err != nil {
		return err
	}
	for d, e := range m.Joules(i) {
		if !inRange(e) {
			return validValue(string(m.Domains[d])+" energy", e)
		}
	}
	return nil
}

func validValue(what string, v float64) error {
	if !inRange(v) {
		return fmt.Errorf("%s is %v, must be a number from 0 to %v", what, v, float64(MaxValue))
	}
	return nil
}

func inRange(v float64) bool { return v >= 0 && v <= MaxValue && !math.IsNaN(v) }

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
	next := make([]int, len(m.Tests)+1) // where the next cell of a test goes
	for _, c := range m.Cells {
		next[c.Test+1]++
	}
	for t := range m.Tests {
		next[t+1] += next[t]
	}
	order := make([]int32, len(m.Cells))
	for i, c := range m.Cells {
		order[next[c.Test]] = int32(i)
		next[c.Test]++
	}
	return order
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
