package runner

import (
	"errors"
	"fmt"
	"slices"
)

// maxFaults is how often in a row the meter may fail while the tests of one package
// run, and not while others do, before the package is left out.
const maxFaults = 3

// blame takes in how the tests of a package were executed. A test may stop or kill the
// process that reads the meter, or leave it no processor: after a fault another is
// started, and the package is executed after all others, so that it shows whether the
// fault is the meter's or the package's.
func (m *measurement) blame(p program, err error) {
	fault := (*MeterError)(nil)
	if !errors.As(err, &fault) {
		if err == nil {
			m.faults[p.Path] = 0
		}
		return
	}
	m.faults[p.Path]++
	m.meter.Reopen()
	if m.setUp.Ticks != nil {
		m.setUp.Ticks = m.meter.Readings()
	}
	if m.faults[p.Path] < maxFaults || !m.othersFine() {
		return
	}
	m.warn(fmt.Sprintf("%s is left out: the meter failed all %d times its tests ran, but not for other packages (%v)", p.Path, maxFaults, err))
	m.programs = slices.DeleteFunc(m.programs, func(q program) bool { return q.Path == p.Path })
	m.again = max(0, m.again-maxFaults)
}

// othersFine says whether the meter was read while another package was executed.
func (m *measurement) othersFine() bool {
	return slices.ContainsFunc(m.programs, func(q program) bool {
		faults, executed := m.faults[q.Path]
		return executed && faults == 0
	})
}
