package runner

import (
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// maxOthers is the share of the processors' time that other programs may use without a note.
const maxOthers = 0.1

// noteMachine notes what of the machine has made the figures of the rounds doubtful. Figures of counters depend on its frequency and on other programs; those of a
// counter elsewhere, as of a simulated machine, do not depend on this one.
func (m *measurement) noteMachine() {
	counter := m.info.Source == record.Measured && m.info.Root == ""
	m.note(m.fitness.Notes(counter)...)
	if others := m.others(); counter && others > maxOthers {
		m.note(note.Busy(others))
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
