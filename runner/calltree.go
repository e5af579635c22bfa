package runner

import (
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// addCallTree adds who called whom to r: for each test the mean of one execution over the rounds
// that were kept. The times of a component are scaled to its self time, which is known better.
// The calls of a round that are not known by test count as a whole.
func (m *measurement) addCallTree(r *record.Run) {
	of := m.componentOf(r)
	ran := make(map[string]float64) // rounds, by test
	for _, round := range m.kept {
		for _, o := range round.tests {
			ran[o.pkg+"."+o.name]++
		}
	}
	var all calltree.Forest
	for _, round := range m.kept {
		for _, o := range round.tests {
			for _, calls := range o.calls {
				all.Add(calls, 1/(o.executions*ran[o.pkg+"."+o.name]), of)
			}
		}
		for _, calls := range round.calls {
			all.Add(calls, 1/float64(len(m.kept)), of)
		}
	}
	calltree.Set(r, all.Nodes())
}
