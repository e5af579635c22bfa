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

// componentOf tells which component of r a row is part of, -1 for none. A block is
// part of its function.
func (m *measurement) componentOf(r *record.Run) func(row int) int {
	at := make(map[string]int, len(r.Components))
	for i := range r.Components {
		at[r.Components[i].ID] = i
	}
	place := make([]int, len(m.of))
	for component := range place {
		place[component] = -1
		unit := m.of[m.functionOf(component)]
		if unit < 0 {
			continue
		}
		if i, ran := at[m.units[unit].ID]; ran {
			place[component] = i
		}
	}
	return func(row int) int { return place[row-1] }
}

// functionOf is the function of a block; any other component is its own.
func (m *measurement) functionOf(component int) int {
	if b := m.build; b.LastBlock > 0 && component >= b.FirstBlock && component <= b.LastBlock {
		return b.Owner
	}
	return component
}
