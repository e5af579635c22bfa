package render

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A Verdict says what a change of a function did.
type Verdict struct {
	Text string
	// Better: significantly less energy (time, where none is known) in all that the tests run, or in
	// the function if all may have fallen by as much; and every test that ran the function passes as
	// before.
	Better bool
}

// Judge compares the runs before and after a change of a function: its own energy, that of all tests
// that ran it, and what became of these tests.
func Judge(c *comparison.Comparison, id, name string, before, after *record.Run) Verdict {
	total, failures := c.DecisiveTotal(), failuresOf(id, before, after)
	own, better := name+" is in only one of the runs", total.Verdict == comparison.Better
	if i := slices.IndexFunc(c.Components, func(of comparison.Component) bool { return of.ID == id }); i >= 0 {
		q := c.Decisive(&c.Components[i])
		own = changed(q, used(c, c.KnowsComponents()), name)
		better = better && q.Verdict != comparison.Worse || q.Verdict == comparison.Better && mayHaveFallen(total, q.Base-q.Head)
	}
	return Verdict{
		Text:   page.CleanLines(own + "; " + changed(total, used(c, c.HasEnergy()), "all that its "+failures.rows+"s run") + "; " + failures.text()),
		Better: better && total.Verdict != comparison.Worse && len(failures.now) == 0,
	}
}

// mayHaveFallen reports whether a total fell, or may have fallen by an amount as far as its interval
// tells: if it cannot, the amount has only moved to another function.
func mayHaveFallen(total *comparison.Quantity, by float64) bool {
	return total.Head <= total.Base || total.ChangeCI != nil && total.ChangeCI[0]*total.Base <= -by
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

// failures are the tests or programs that do not pass after a change.
type failures struct {
	rows   string   // what they are: test or program
	now    []string // that passed before, or were not there
	before int      // that failed before as well
}

// failuresOf looks at all tests after a change, and at those that ran the function before.
func failuresOf(id string, before, after *record.Run) failures {
	was, is, ran := outcomes(before), outcomes(after), runningTests(before, id)
	f := failures{rows: results.Rows(after)}
	for i := range after.Tests {
		t := &after.Tests[i]
		switch {
		case t.Outcome == record.Pass || t.Outcome == record.Skip && was[t.Name] != record.Pass:
		case was[t.Name] == t.Outcome:
			f.before++
		default:
			f.now = append(f.now, fmt.Sprintf("%s (%s)", t.Name, t.Outcome))
		}
	}
	for _, name := range ran {
		if _, there := is[name]; !there && was[name] == record.Pass {
			f.now = append(f.now, name+" (did not run)")
		}
	}
	return f
}

func outcomes(r *record.Run) map[string]record.Outcome {
	of := make(map[string]record.Outcome, len(r.Tests))
	for i := range r.Tests {
		of[r.Tests[i].Name] = r.Tests[i].Outcome
	}
	return of
}

// runningTests are the tests that ran a component.
func runningTests(r *record.Run, id string) []string {
	var names []string
	for _, cell := range r.Matrix.Cells {
		if r.Components[cell.Component].ID == id {
			names = append(names, r.Tests[cell.Test].Name)
		}
	}
	return names
}

func (f *failures) text() string {
	switch {
	case len(f.now) > 0:
		return "no longer passing: " + strings.Join(shortlist.Of(f.now), ", ")
	case f.before > 0:
		return units.Plural(f.before, f.rows) + " failed as before, all others pass"
	}
	return f.rows + "s pass"
}
