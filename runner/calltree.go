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
	var all calltree.Forest
	m.eachObservation(func(_, o *observation, weight float64) {
		for _, calls := range o.calls {
			all.Add(calls, weight, of)
		}
	})
	for _, round := range m.kept {
		for _, calls := range round.calls {
			all.Add(calls, 1/float64(len(m.kept)), of)
		}
	}
	calltree.Set(r, all.Nodes())
	m.addCallers(r)
}

// eachObservation visits all tests in the rounds that were kept. Times of samples, multiplied by
// weight, add up to the mean of one execution. row is the observation of the test whose row it is in.
func (m *measurement) eachObservation(visit func(row, o *observation, weight float64)) {
	ran := make(map[string]float64) // rounds, by test
	for _, round := range m.kept {
		for _, o := range round.tests {
			ran[o.pkg+"."+o.name]++
		}
	}
	for _, round := range m.kept {
		for _, o := range round.tests {
			rounds := ran[o.pkg+"."+o.name]
			o.each(func(part *observation) { visit(o, part, 1/(part.executions*rounds)) })
		}
	}
}
