package ranking

import (
	"slices"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// Counted gives the run with values that belong beside psi: those of components and of
// the nodes of the call tree are of the tests that the analysis counts. It is the run
// itself where these are all that ran something. Tests and the matrix stay as they are.
//
// What is known of all tests together only is left out of components that tests ran
// which do not count: the interval of the energy, and cumulative values.
func Counted(r *record.Run) *record.Run {
	includeFailed := r.Analysis != nil && r.Analysis.IncludeFailed
	var changed []bool // by component: tests ran it that do not count
	for _, c := range r.Matrix.Cells {
		if r.Tests[c.Test].InAnalysis(includeFailed) {
			continue
		}
		if changed == nil {
			changed = make([]bool, len(r.Components))
		}
		changed[c.Component] = true
	}
	if changed == nil {
		return r
	}
	counted := *r
	counted.Components, counted.CallTree = slices.Clone(r.Components), slices.Clone(r.CallTree)
	own, whole := r.TalliesOf(includeFailed, false), []record.Tally(nil)
	if r.Matrix.CumTimeMS != nil {
		whole = r.TalliesOf(includeFailed, true)
	}
	for i := range counted.Components {
		if !changed[i] {
			continue // its sums are those of the run to the last digit
		}
		c, domains := &counted.Components[i], r.Matrix.Domains
		c.N, c.TimeMS, c.EnergyJ, c.EnergyCI = own[i].N, own[i].TimeMS, record.EnergyOf(domains, own[i].EnergyJ), nil
		c.CumTimeMS, c.CumEnergyJ = 0, record.Zero(domains)
		if whole != nil {
			c.CumTimeMS, c.CumEnergyJ = whole[i].TimeMS, record.EnergyOf(domains, whole[i].EnergyJ)
		}
	}
	scaleCallTree(&counted, r)
	return &counted
}

// scaleCallTree scales the times of nodes as those of their components differ from
// those of the run before.
func scaleCallTree(r, before *record.Run) {
	was, _ := calltree.OwnOfFunctions(before)
	is, _ := calltree.OwnOfFunctions(r)
	for i := range r.CallTree {
		n := &r.CallTree[i]
		if all := was[n.Component]; all > 0 && is[n.Component] != all {
			n.TimeMS *= is[n.Component] / all
		}
	}
}
