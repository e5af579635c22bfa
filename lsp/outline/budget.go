package outline

import (
	"slices"
	"strings"

	"spell-lsp/spell/gosource"
)

// A Budget is a comment above a function that limits what it may cost, see package budget. From is
// the byte offset of the comment, To that of the end of the amounts.
type Budget struct {
	Amounts  string
	From, To int
}

func budgetsOf(list []gosource.Budget) []Budget {
	var all []Budget
	for _, b := range list {
		all = append(all, Budget{Amounts: b.Amounts, From: b.From.Offset, To: b.AmountFrom + len(b.Amounts)})
	}
	return all
}

// moved returns budgets with other offsets.
func moved(list []Budget, to func(int) int) []Budget {
	list = slices.Clone(list)
	for i := range list {
		list[i].From, list[i].To = to(list[i].From), to(list[i].To)
	}
	return list
}

// stillIn selects the budgets whose amounts stand at their place in a text. An edit may have
// changed the others.
func stillIn(text string, list []Budget) []Budget {
	return slices.DeleteFunc(slices.Clone(list), func(b Budget) bool {
		return b.From < 0 || b.From > b.To || b.To > len(text) || !strings.HasSuffix(text[b.From:b.To], b.Amounts)
	})
}

// strayAfter returns the stray budgets of a text after an edit that moved what is behind a function,
// and replaced those inside of it.
func strayAfter(list []Budget, edited Function, shift int, inside []Budget) []Budget {
	var before, behind []Budget
	for _, b := range list {
		switch {
		case b.From < edited.doc:
			before = append(before, b)
		case b.From >= edited.End:
			behind = append(behind, b)
		}
	}
	return slices.Concat(before, inside, moved(behind, func(offset int) int { return offset + shift }))
}
