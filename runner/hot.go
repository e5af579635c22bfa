package runner

import (
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/note"
)

// learn decides which functions are hot: their calls are only counted from now on.
func (m *measurement) learn(log *probe.Log, programNS float64) {
	owner := -1
	if m.setUp.LastBlock > 0 {
		owner = m.setUp.Owner
	}
	for i, hot := range log.Frequent(programNS, owner) {
		m.setUp.Hot[i] |= hot
		if log.Hot[i]&probe.HotBlocks != 0 {
			m.note(note.BlocksTooShort(m.build.Components[i].ID))
		}
	}
}
