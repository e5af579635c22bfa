package render

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A Verdict says what a change of a function did.
type Verdict struct {
	Text   string
	Better bool // significantly less energy (time, where none is known), nothing more, and no new failure
}

// Judge compares the runs before and after a change of a function: its own energy, that of all tests
// that ran it, and what became of these tests.
func Judge(c *comparison.Comparison, id, name string, before, after *record.Run) Verdict {
	total, broken := c.DecisiveTotal(), newFailures(before, after)
	own := name + " is in only one of the runs"
	decisive := []*comparison.Quantity{total}
	if i := slices.IndexFunc(c.Components, func(of comparison.Component) bool { return of.ID == id }); i >= 0 {
		quantity := c.Decisive(&c.Components[i])
		own = changed(quantity, used(c, c.KnowsComponents()), name)
		decisive = append(decisive, quantity)
	}
	is := func(v comparison.Verdict) bool {
		return slices.ContainsFunc(decisive, func(q *comparison.Quantity) bool { return q.Verdict == v })
	}
	return Verdict{
		Text:   page.CleanLines(own + "; " + changed(total, used(c, c.HasEnergy()), "all that its tests run") + "; " + passed(after, broken)),
		Better: is(comparison.Better) && !is(comparison.Worse) && len(broken) == 0,
	}
}

// used is the noun of a compared quantity.
func used(c *comparison.Comparison, energy bool) string {
	switch {
	case !energy:
		return "running time"
	case c.Source == record.Estimated:
		return wording.Energy(string(c.Source))
	}
	return wording.Energy("")
}

// changed says how a quantity changed in a part of the program, and how sure that is.
func changed(q *comparison.Quantity, what, where string) string {
	why := ""
	if q.Why != nil {
		why = " (" + wording.Brief.Text(*q.Why) + ")"
	}
	if q.Verdict == comparison.Unchanged {
		return "no significant change in " + where + why
	}
	text := wording.Brief.Than(q.Base, q.Head, what) + " in " + where
	if q.Verdict == comparison.Undecided {
		return text + ", not decided" + why
	}
	return text + ", significant"
}

// newFailures are the tests that passed before a change and do not any more.
func newFailures(before, after *record.Run) []string {
	var names []string
	for i := range after.Tests {
		t := &after.Tests[i]
		if t.Outcome == record.Pass || t.Outcome == record.Skip {
			continue
		}
		if slices.ContainsFunc(before.Tests, func(b record.Test) bool { return b.Name == t.Name && b.Outcome == record.Pass }) {
			names = append(names, fmt.Sprintf("%s (%s)", t.Name, t.Outcome))
		}
	}
	return names
}

// passed says what became of the tests.
func passed(after *record.Run, broken []string) string {
	failed := 0
	for i := range after.Tests {
		if after.Tests[i].LeftOut(false) {
			failed++
		}
	}
	switch {
	case len(broken) > 0:
		return units.Plural(len(broken), "test") + " that passed before: " + strings.Join(shortlist.Of(broken), ", ")
	case failed > 0:
		return units.Plural(failed, "test") + " failed as before"
	}
	return "tests pass"
}
