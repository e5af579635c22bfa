package sarif

import (
	"cmp"
	"strings"

	"spell-lsp/spell/budget"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/budgets"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/wording"
)

// budgetResults returns the results of the budgets that are broken, at most half of all that a log
// may have.
func budgetResults(r *record.Run, o Options) []result {
	level := sarifLevel(cmp.Or(o.Severity.Budget, settings.Default().Severity.Budget))
	if level == "" {
		return nil
	}
	before := inBase(o.Comparison)
	var list []result
	for _, b := range budgets.With(budgets.Check(r), budget.Broken) {
		if len(list) == maxResults/2 {
			break
		}
		one := result{
			Rule: budgetRule, Index: 1, Level: level, Message: text(wording.Text(b.Note(b.Subject)) + "."),
			Locations: []location{budgetPlace(&b)}, Rank: -1,
			Fingerprints: map[string]string{"spellBudget/v1": digest(b.Subject, b.Limit.String())},
		}
		if o.Comparison != nil { // then every result has a state; the budgets of BASE are not known
			if one.Baseline = updated; before[b.Subject] == nil {
				one.Baseline = isNew
			}
		}
		list = append(list, one)
	}
	return list
}

// budgetPlace is the comment.
func budgetPlace(b *budgets.Result) location {
	id := page.Clean(b.Subject)
	l := location{Logical: []logical{{Name: id[strings.LastIndexAny(id, "./")+1:], Full: id, Kind: "function"}}}
	if b.File != "" {
		l.Physical = &physical{Artifact: artifactOf(b.File)}
		if b.Line > 0 {
			l.Physical.Region = &region{StartLine: b.Line}
		}
	}
	return l
}
