package runner

import (
	"fmt"

	"spell-lsp/instrument"
	"spell-lsp/instrument/cache"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
)

// addBudgets adds the budgets of the build to the functions and tests that have them, and notes
// those of others. In a run of other components no function has its whole cost.
func addBudgets(r *record.Run, b *instrument.Build) {
	of := byID(b.Budgets)
	if r.Granularity == spell.KindFunction {
		for i := range r.Components {
			c := &r.Components[i]
			c.Budgets = budgetsIn(of[c.ID])
			delete(of, c.ID)
		}
	}
	ofTests := byID(b.TestBudgets)
	for i := range r.Tests {
		t := &r.Tests[i]
		if list := ofTests[t.Name]; len(list) > 0 {
			t.File, t.Hash, t.Budgets = list[0].File, list[0].Hash, budgetsIn(list)
			delete(ofTests, t.Name)
		}
	}
	places := append(placesOf(b.Budgets, of), placesOf(b.TestBudgets, ofTests)...)
	if len(places) > 0 {
		r.Notes = append(r.Notes, note.NoVerdict(len(places), shortlist.Of(places)))
	}
}

func byID(list []cache.Budget) map[string][]cache.Budget {
	of := make(map[string][]cache.Budget)
	for _, b := range list {
		of[b.ID] = append(of[b.ID], b)
	}
	return of
}

func budgetsIn(list []cache.Budget) (budgets []record.Budget) {
	for _, b := range list {
		budgets = append(budgets, record.Budget{Text: b.Text, Line: b.Line})
	}
	return budgets
}

// placesOf are the places of the budgets of a list that nothing in the run has.
func placesOf(list []cache.Budget, rest map[string][]cache.Budget) (places []string) {
	for _, b := range list {
		if rest[b.ID] != nil {
			places = append(places, fmt.Sprintf("%s:%d", b.File, b.Line))
		}
	}
	return places
}
