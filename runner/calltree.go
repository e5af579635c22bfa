package runner

import (
	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// callsOf is a forest of the probe as one of the record, whose components are rows.
func callsOf(calls []probe.Call) []record.CallNode {
	nodes := make([]record.CallNode, len(calls))
	for i, c := range calls {
		nodes[i] = record.CallNode{Parent: c.Caller, Component: c.Row, TimeMS: float64(c.NS) / 1e6, Cut: c.Cut}
	}
	return nodes
}

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

// profileFrames is how many frames of a stack a CPU profile has at most
// (maxCPUProfStack in the runtime).
const profileFrames = 64

// profiledCalls is who called whom by a CPU profile, of a program as a whole.
func profiledCalls(p *profile.Profile, index probe.Index) []record.CallNode {
	var all calltree.Forest
	for _, s := range p.Sample {
		rows, frames := stack(s, index), 0
		for _, l := range s.Location {
			frames += len(l.Line)
		}
		all.Add(chain(rows, float64(s.Value[1])/1e6, frames >= profileFrames), 1, func(row int) int { return row })
	}
	return all.Nodes()
}

// chain is a stack of rows, the innermost first, as nodes. Where the innermost is no
// component, its time is nobody's.
func chain(rows []int, ms float64, cut bool) []record.CallNode {
	if len(rows) == 0 || rows[0] <= 0 {
		return nil
	}
	var nodes []record.CallNode
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i] > 0 {
			nodes = append(nodes, record.CallNode{Parent: len(nodes) - 1, Component: rows[i], Cut: cut && len(nodes) == 0})
		}
	}
	nodes[len(nodes)-1].TimeMS = ms
	return nodes
}
