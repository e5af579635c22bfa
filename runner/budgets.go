package runner

import (
	"spell-lsp/instrument"
	"spell-lsp/instrument/cache"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// addBudgets adds the budgets of the build to the functions and tests that have them. In a run of
// other components no function has its whole cost.
func addBudgets(r *record.Run, b *instrument.Build) {
	if r.Granularity == spell.KindFunction {
		of := byID(b.Budgets)
		for i := range r.Components {
			c := &r.Components[i]
			for _, budget := range of[c.ID] {
				c.Budgets = append(c.Budgets, record.Budget{Text: budget.Text, Line: budget.Line})
			}
		}
	}
	of := byID(b.TestBudgets)
	for i := range r.Tests {
		t := &r.Tests[i]
		for _, budget := range of[t.Name] {
			t.File, t.Hash = budget.File, budget.Hash
			t.Budgets = append(t.Budgets, record.Budget{Text: budget.Text, Line: budget.Line})
		}
	}
}

func byID(list []cache.Budget) map[string][]cache.Budget {
	of := make(map[string][]cache.Budget)
	for _, b := range list {
		of[b.ID] = append(of[b.ID], b)
	}
	return of
}
