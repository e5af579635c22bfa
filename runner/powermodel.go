package runner

import (
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// newModel makes the model of the power, as Params want it.
func (m *measurement) newModel(ticks bool) *attribution.Model {
	model := attribution.NewModel(m.machine, len(m.build.Components), ticks)
	if m.LinearPower {
		model.Linear()
	}
	return model
}

// powerTerms say what the model of each domain's power has beside the watts of functions.
func powerTerms(powers *attribution.Powers, domains []spell.Domain) (notes []note.Note) {
	for i, d := range domains {
		terms := powers.Terms(i)
		if terms.CoRunning != 0 {
			notes = append(notes, note.PowerCoRunning(string(d), -terms.Loss()))
		}
		if terms.Frequency > 0 {
			notes = append(notes, note.PowerFrequency(string(d)))
		}
		if terms.Late > 0 {
			notes = append(notes, note.PowerLate(string(d), terms.Late, 1e3*terms.LateS))
		}
		if terms.Drift {
			notes = append(notes, note.PowerDrifts(string(d)))
		}
	}
	return notes
}
