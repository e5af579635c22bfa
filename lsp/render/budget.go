package render

import (
	"strings"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/wording"
)

// budgetCode is the code of the diagnostics of budgets.
const budgetCode = "energy-budget"

// budgetDiagnostics returns a diagnostic for each amount of a budget in the text that is broken or
// undecided, and for each budget that cannot be read or is above no function. What the comments say
// now is compared with what was measured.
func budgetDiagnostics(v *view.View, can Abilities) []protocol.Diagnostic {
	if !strings.Contains(v.Source.Text, budget.Directive) {
		return nil // most files: they need not be parsed for this
	}
	d := budgetDrawer{view: v, can: can}
	for i := range v.Source.Outline().Functions {
		for _, b := range v.Source.Outline().Functions[i].Budgets {
			if _, err := budget.Parse(b.Amounts); err != nil {
				d.ignored(&b, err.Error())
			}
		}
	}
	for _, b := range v.Source.Outline().Stray {
		d.ignored(&b, budget.Misplaced)
	}
	for _, m := range v.Visible() {
		for _, b := range m.Budgets {
			d.decided(m.Result, &b, ofMark(m, &b), m.Stale)
			d.foreseen(m, &b)
		}
	}
	tests := make(map[*results.Result]*budgets.Tests)
	for i := range v.Tests {
		t := &v.Tests[i]
		for _, b := range t.Budgets {
			if tests[t.Result] == nil {
				tests[t.Result] = budgets.NewTests(t.Result.Run)
			}
			d.decided(t.Result, &b, tests[t.Result].Decide(t.Index, limits(&b)), t.Stale)
		}
	}
	return d.list
}

// limits are those of a budget; none if it cannot be read.
func limits(b *view.Budget) []budget.Limit {
	list, _ := budget.Parse(b.Amounts) // there is a diagnostic of the error
	return list
}

// ofMark decides a budget of a function. Functions of a run of other components have only a part of
// their cost.
func ofMark(m *view.Mark, b *view.Budget) []budgets.Result {
	if m.Result.Run.Granularity != spell.KindFunction || !m.IsGoFunction() {
		return nil
	}
	return budgets.OfComponent(m.Result.Counted(), m.Index, m.Result.Cells(m.Index), limits(b))
}

// budgetText says what became of a budget, at its place.
func budgetText(b *budgets.Result, stale bool) string {
	n := b.Note("")
	if stale {
		n = note.BudgetEdited(n)
	}
	return wording.Upper(wording.Editor(results.TheBaseline).Text(n))
}

// A budgetDrawer collects the diagnostics of the budgets of a view.
type budgetDrawer struct {
	view *view.View
	can  Abilities
	list []protocol.Diagnostic
}

func (d *budgetDrawer) ignored(b *view.Budget, why string) {
	d.add(b, settings.Warning, wording.Upper(wording.Text(note.BudgetIgnored("", why))), false)
}

func (d *budgetDrawer) decided(of *results.Result, b *view.Budget, list []budgets.Result, stale bool) {
	level := of.Settings.Severity.Budget
	for i := range list {
		one := level
		switch {
		case list[i].Verdict == budget.Kept || level == settings.Off:
			continue
		case stale:
			one = settings.Hint
		case list[i].Verdict == budget.Undecided:
			one = settings.Information
		}
		text := budgetText(&list[i], stale)
		if day := day(of); day != "" {
			text += ", " + day
		}
		d.add(b, one, text, stale)
	}
}

func (d *budgetDrawer) add(b *view.Budget, level settings.Level, text string, stale bool) {
	one := protocol.Diagnostic{
		Range:    d.view.Source.Mapper().Span(b.From, b.To),
		Severity: severities[level],
		Code:     protocol.String(budgetCode),
		Source:   protocol.NewOptional(Source),
		Message:  protocol.String(page.CleanLines(text)),
	}
	if d.can.Fade && stale {
		one.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	d.list = append(d.list, one)
}

// budgetLine says in a hover what became of the budgets of a function.
func budgetLine(m *view.Mark) string {
	var list []string
	for i := range m.Budgets {
		for _, b := range ofMark(m, &m.Budgets[i]) {
			list = append(list, budgetText(&b, false)+".")
		}
	}
	return strings.Join(list, " ")
}
