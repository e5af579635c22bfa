package runner

import (
	"spell-lsp/runner/fitness"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// maxOthers is the share of the processors' time that other programs may use without a note.
const maxOthers = 0.1

// watchMachine looks at the machine, and returns a function that notes what has made the figures
// since then doubtful. Figures of counters depend on its frequency and on other programs; those of a
// counter elsewhere, as of a simulated machine, do not depend on this one.
func (m *measurement) watchMachine() (end func()) {
	w := fitness.Begin(m.Meters)
	return func() {
		counter := m.info.Source == record.Measured && m.info.Root == ""
		m.note(w.Notes(counter)...)
		if others := m.others(); counter && others > maxOthers {
			m.note(note.Busy(others))
		}
	}
}

// others is the share of the processors' time that other programs used during the tests.
func (m *measurement) others() float64 {
	var othersNS, lengthNS float64
	for _, r := range m.kept {
		for _, o := range r.tests {
			o.each(func(part *observation) {
				for _, v := range part.intervals {
					othersNS, lengthNS = othersNS+v.OthersNS, lengthNS+v.LengthNS
				}
			})
		}
	}
	return othersNS / max(1, lengthNS*float64(m.machine.Cores))
}
