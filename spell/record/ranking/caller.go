package ranking

import (
	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/summary"
)

const (
	mainCallerShare = 0.5  // of a component's cost, from which on its caller is named
	worthACaller    = 0.05 // of what all components hold, from which on a component's callers matter
)

// setCallers finds the callers of those items that should run less often: to do so is up to
// whoever calls them.
func setCallers(r *record.Run, items []summary.Item) {
	if r.Granularity != spell.KindFunction && r.Granularity != spell.KindBlock || len(r.CallTree) == 0 {
		return
	}
	var calls *calltree.Calls
	for k := range items {
		item := &items[k]
		often := item.Why.Reason == explanation.RunsOften || item.Why.Reason == explanation.NoneStandsOut
		if !often || item.Share < worthACaller || r.Components[item.Component].Kind != spell.KindFunction {
			continue
		}
		if calls == nil {
			calls = calltree.Of(r)
		}
		item.Caller = mainCaller(calls, item.Component)
	}
}

// mainCaller is the caller that most of the cost of a component is for, its callees included.
func mainCaller(calls *calltree.Calls, component int) summary.Caller {
	cost := func(e calltree.Edge) float64 { return e.EnergyJ }
	if cost(calls.Total(component)) == 0 {
		cost = func(e calltree.Edge) float64 { return e.TimeMS }
	}
	whole := cost(calls.Total(component))
	for _, e := range calls.Callers(component) { // the highest cost first
		if whole > 0 && e.Component >= 0 && e.Component != component && cost(e) >= mainCallerShare*whole {
			return summary.Caller{Component: e.Component, Share: min(1, cost(e)/whole)}
		}
	}
	return summary.Caller{}
}
