package runner

import (
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// addCallTree gives r who called whom: the mean of one execution of each test, over
// the rounds that were kept. What was seen of a component is scaled to its own time,
// which is known better. A round that does not tell tests apart counts as a whole.
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
