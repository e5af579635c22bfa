package text

import (
	"cmp"
	"fmt"
	"slices"

	"spell-lsp/spell/budget"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// budgetTitle is the title of the budgets that are not all kept.
const budgetTitle = "Budgets:"

// writeBudgets says which budgets are not kept, at most so many.
func (p *sheet) writeBudgets(most int) {
	if all := p.allKept(); all != "" {
		p.b.WriteByte('\n')
		p.paragraph("", all)
	}
	p.list(budgetTitle, p.notKept(most))
}

// allKept says that all budgets are kept; "" if that is not so, or there are none.
func (p *sheet) allKept() string {
	kept := budgets.With(p.budgets, budget.Kept)
	switch {
	case len(kept) == 0 || len(kept) < len(p.budgets):
		return ""
	case len(kept) == 1:
		return "Budgets: the one that was checked is kept."
	}
	return fmt.Sprintf("Budgets: all %d that were checked are kept.", len(kept))
}

// notKept lists the budgets that are broken, those that are undecided, and how many are kept.
func (p *sheet) notKept(most int) []string {
	var list []string
	failing := slices.Concat(budgets.With(p.budgets, budget.Broken), budgets.With(p.budgets, budget.Undecided))
	for _, r := range failing[:min(len(failing), most)] {
		list = append(list, wording.Text(r.Note(p.nameOf(r.Subject))))
	}
	if more := len(failing) - most; more > 0 {
		list = append(list, "and "+units.Plural(more, "other"))
	}
	if kept := len(budgets.With(p.budgets, budget.Kept)); kept > 0 && len(list) > 0 {
		list = append(list, units.Plural(kept, "other")+" kept")
	}
	return list
}

// nameOf shortens the name of a component or test.
func (p *sheet) nameOf(full string) string {
	if short, ok := p.names.tests[full]; ok {
		return short
	}
	if p.byID == nil {
		p.byID = make(map[string]string, len(p.r.Components))
		for i := range p.r.Components {
			p.byID[p.r.Components[i].ID] = p.names.components[i]
		}
	}
	return cmp.Or(p.byID[full], full)
}
