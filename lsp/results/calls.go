package results

import (
	"slices"

	"spell-lsp/spell/record/calltree"
)

// maxCallers is how many callers a diagnostic names.
const maxCallers = 3

// A CallShare is the portion of a component's cumulative cost that one caller or callee
// accounts for.
type CallShare struct {
	Component int     // -1 for callers that are no component, as tests
	Share     float64 // of the energy or, where none is known, of the running time; 0 to 1
}

// Callers lists the callers of a component by their shares of its cost, the largest first.
func (r *Result) Callers(component int) []CallShare {
	calls := r.Calls()
	return r.parts(calls.Callers(component), r.amount(calls.Total(component)))
}

// Costliest lists the callers that a diagnostic names: the first few that are components.
func (r *Result) Costliest(component int) []CallShare {
	list := slices.DeleteFunc(r.Callers(component), func(p CallShare) bool { return p.Component < 0 })
	return list[:min(len(list), maxCallers)]
}

// Callees lists the callees of a component by their shares of its cost, the largest first.
func (r *Result) Callees(component int) []CallShare {
	calls := r.Calls()
	return r.parts(calls.Callees(component), r.amount(calls.Total(component)))
}

// parts gives edges of the call tree as shares of a whole. Those that samples saw too
// little of to have a share are left out.
func (r *Result) parts(edges []calltree.Edge, whole float64) []CallShare {
	var list []CallShare
	for _, e := range edges {
		if amount := r.amount(e); amount > 0 && whole > 0 {
			list = append(list, CallShare{e.Component, amount / whole})
		}
	}
	return list
}

// amount is the energy of an edge or, where none is known, its running time.
func (r *Result) amount(e calltree.Edge) float64 {
	if !r.KnowsEnergy() {
		return e.TimeMS
	}
	return e.EnergyJ
}
