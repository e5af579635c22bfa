package ranking

import (
	"slices"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// Counted returns the run with the values to show beside psi: those of components and call
// tree nodes count only the tests of the analysis; callees and lines keep their shares of the components. It is r itself if no other test ran a
// component. Tests and the matrix do not change.
//
// The intervals of the energy, and cumulative values without a matrix of them, are known of
// all tests together only: components that other tests ran lose them.
func Counted(r *record.Run) *record.Run {
	includeFailed := r.Analysis != nil && r.Analysis.IncludeFailed
	var changed []bool // by component: a test ran it that does not count
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
		c, domains, before := &counted.Components[i], r.Matrix.Domains, r.Components[i].TimeMS
		c.N, c.TimeMS, c.EnergyJ, c.EnergyCI = own[i].N, own[i].TimeMS, record.EnergyOf(domains, own[i].EnergyJ), nil
		c.CumTimeMS, c.CumEnergyJ = 0, record.Zero(domains)
		if whole != nil {
			c.CumTimeMS, c.CumEnergyJ = whole[i].TimeMS, record.EnergyOf(domains, whole[i].EnergyJ)
		}
		c.SetCallees(c.Callees, before)
		c.SetLines(c.Lines, before)
	}
	scaleCallTree(&counted, r)
	return &counted
}

// scaleCallTree scales the times of nodes by the change of their components' times.
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
