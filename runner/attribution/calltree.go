package attribution

import (
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// CallNodes converts a forest of the probe to nodes of the record, whose components are rows.
func CallNodes(calls []probe.Call) []record.CallNode {
	nodes := make([]record.CallNode, len(calls))
	for i, c := range calls {
		nodes[i] = record.CallNode{Parent: c.Caller, Component: c.Row, TimeMS: float64(c.NS) / 1e6, Cut: c.Cut}
	}
	return nodes
}

// Calls is the call tree of the profile, over all tests; its components are rows.
func (p *Profile) Calls() []record.CallNode {
	var all calltree.Forest
	for _, s := range p.stacks {
		all.Add(chain(s.Rows, float64(s.NS)/1e6, s.Cut), 1, func(row int) int { return row })
	}
	return all.Nodes()
}

// chain converts a stack of rows, the innermost first, to nodes. There are none where the
// innermost function is no component.
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
