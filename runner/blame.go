package runner

import (
	"errors"
	"slices"

	"spell-lsp/spell/note"
)

// maxFaults is the number of consecutive faults of the meter during the tests of one package
// after which the package is left out, if the meter works during others.
const maxFaults = 3

// blame finds out whether faults of the meter are caused by a package: a test may stop or kill
// the sampler, or leave it no processor. After a fault the sampler is restarted, and the
// package is executed last in the next round.
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
	m.note(note.PackageMeterFailed(p.Path, maxFaults, fault.Err.Error()))
	m.programs = slices.DeleteFunc(m.programs, func(q program) bool { return q.Path == p.Path })
	m.repeated = max(0, m.repeated-maxFaults)
}

// othersFine says whether the meter worked during the tests of another package.
func (m *measurement) othersFine() bool {
	return slices.ContainsFunc(m.programs, func(q program) bool {
		faults, executed := m.faults[q.Path]
		return executed && faults == 0
	})
}
