// Package budgets decides whether the functions and tests of a run keep their budgets, which are
// comments in the source; see package budget.
//
// Values are means of the tests that count. Energy and time of a function include what it calls,
// or are its own where no more is known, and that is said. What a function uses per test is that of
// the test in which it uses most; benchmarks are left out, whose values are those of one operation.
// Those of a test are its whole energy, the idle machine included,
// and its time from start to end; its calls are those of all components.
package budgets

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// A Result says what became of one limit.
type Result struct {
	Subject string // ID of the component, or name of the test
	File    string
	Line    int // of the comment
	Hash    string
	Limit   budget.Limit
	Verdict budget.Verdict
	// Measured is the value beside the limit, with its interval.
	Measured note.Note
}

// Note is the result as a fact; subject is whose budget it is, or "" where that is seen.
func (r *Result) Note(subject string) note.Note {
	switch r.Verdict {
	case budget.Broken:
		return note.BudgetBroken(subject, r.Limit.String(), r.Measured)
	case budget.Undecided:
		return note.BudgetUndecided(subject, r.Limit.String(), r.Measured)
	default:
		return note.BudgetKept(subject, r.Limit.String(), r.Measured)
	}
}

// Check decides the budgets of a run as they stood when it was measured: those of components by
// rank, then those of tests. What was not measured has no result. Budgets that cannot be read have
// none either: see [Ignored].
func Check(r *record.Run) []Result {
	var list []Result
	cells := make(map[int][]int) // by component with budgets
	for i := range r.Components {
		if len(r.Components[i].Budgets) > 0 {
			cells[i] = nil
		}
	}
	if len(cells) > 0 {
		for k, cell := range r.Matrix.Cells {
			if of, ok := cells[int(cell.Component)]; ok {
				cells[int(cell.Component)] = append(of, k)
			}
		}
		counted := ranking.Counted(r)
		for i := range r.Components {
			for _, b := range r.Components[i].Budgets {
				list = append(list, placed(OfComponent(counted, i, cells[i], limits(b)), b)...)
			}
		}
	}
	tests := NewTests(r)
	for i := range r.Tests {
		for _, b := range r.Tests[i].Budgets {
			list = append(list, placed(tests.Decide(i, limits(b)), b)...)
		}
	}
	return list
}

// Amounts is how many limits the budgets of a run have, with those that have no result.
func Amounts(r *record.Run) (n int) {
	for i := range r.Components {
		n += amounts(r.Components[i].Budgets)
	}
	for i := range r.Tests {
		n += amounts(r.Tests[i].Budgets)
	}
	return n
}

func amounts(list []record.Budget) (n int) {
	for _, b := range list {
		n += len(limits(b))
	}
	return n
}

// limits are those of a comment; none if it cannot be read.
func limits(b record.Budget) []budget.Limit {
	list, err := budget.Parse(b.Text)
	if err != nil {
		return nil
	}
	return list
}

func placed(list []Result, b record.Budget) []Result {
	for i := range list {
		list[i].Line = b.Line
	}
	return list
}

// Ignored are notes about comments that were not understood, or belong to no function: those of the
// run, and one for each budget in it that another version of this program understood.
func Ignored(r *record.Run) []note.Note {
	var list []note.Note
	for _, n := range r.Notes {
		if n.Code == note.BudgetIgnoredCode {
			list = append(list, n)
		}
	}
	add := func(file string, of []record.Budget) {
		for _, b := range of {
			if _, err := budget.Parse(b.Text); err != nil {
				list = append(list, note.BudgetIgnored(fmt.Sprintf("%s:%d", file, b.Line), err.Error()))
			}
		}
	}
	for i := range r.Components {
		add(r.Components[i].File, r.Components[i].Budgets)
	}
	for i := range r.Tests {
		add(r.Tests[i].File, r.Tests[i].Budgets)
	}
	return list
}

// With selects the results with a verdict.
func With(list []Result, v budget.Verdict) []Result {
	var some []Result
	for _, r := range list {
		if r.Verdict == v {
			some = append(some, r)
		}
	}
	return some
}

// counts tells whether a test is one of the analysis.
func counts(r *record.Run, test int) bool {
	return r.Tests[test].InAnalysis(r.Analysis != nil && r.Analysis.IncludeFailed)
}

// source is what stands behind an energy: how far it is known.
func source(r *record.Run) string {
	switch r.Meter.Origin() {
	case record.Measured:
		return ""
	case "":
		return "of unknown origin"
	default:
		return string(r.Meter.Origin())
	}
}

// total adds up series by domain; nil if one is not known.
func total(of map[spell.Domain][]float64, domains []spell.Domain) []float64 {
	var list [][]float64
	for _, d := range domains {
		list = append(list, of[d])
	}
	return record.AddSeries(list)
}
