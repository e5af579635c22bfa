package gate

import (
	"errors"
	"strings"

	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/wording"
)

// budgets checks the budgets that stand in comments of the source. One that is ignored is an error:
// the rule would hold for want of a budget.
func (k *checker) budgets(r Rule) error {
	if ignored := budgets.Ignored(k.head); len(ignored) > 0 {
		return errors.New("the budgets were not checked: " + strings.Join(shortlist.Of(wording.Texts(ignored)), "; "))
	}
	list := budgets.Check(k.head)
	broken := budgets.With(list, budget.Broken)
	for _, b := range broken {
		k.broken(r, b.Subject, note.BudgetBroken(b.Subject, b.Limit.String(), b.Measured))
	}
	if len(broken) == 0 {
		k.budgetsHold(r, list)
	}
	return nil
}

// budgetsHold adds remarks on the budgets that are undecided or have no verdict.
func (k *checker) budgetsHold(r Rule, list []budgets.Result) {
	for _, b := range budgets.With(list, budget.Undecided) {
		k.remark(r, note.BudgetUndecided(b.Subject, b.Limit.String(), b.Measured))
	}
	left := budgets.Amounts(k.head) - len(list)
	switch {
	case left > 0:
		k.remark(r, note.AmountsUnknown(left))
	case len(list) == 0:
		k.remark(r, note.NoBudget())
	}
	for _, n := range k.head.Notes {
		if n.Code == note.NoVerdictCode {
			k.remark(r, n)
		}
	}
	k.partly(r)
}
