package view

import (
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
)

// A Budget is a comment that limits what a function or test may cost.
type Budget = outline.Budget

// A Test is a test whose budgets were recorded, at its current place.
type Test struct {
	Result *results.Result
	Index  int // of the test in Result.Run
	outline.Function
	Stale bool // the body differs from the measured one
}

// addTests adds the tests of an older result, by their names. Those of a newer one cover them.
func (v *View) addTests(r *results.Result, tests map[string]int) {
	if len(tests) == 0 {
		return
	}
	covered := make(map[int]bool, len(v.Tests))
	for i := range v.Tests {
		covered[v.Tests[i].From] = true
	}
	for _, f := range v.Source.Outline().Functions {
		i, ok := tests[f.Name]
		if !ok || covered[f.From] {
			continue
		}
		v.Tests = append(v.Tests, Test{Result: r, Index: i, Function: f, Stale: f.Touched || f.Hash != r.Run.Tests[i].Hash})
	}
}
