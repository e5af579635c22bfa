package suspects

import (
	"fmt"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A fact is a line at the head of a page.
type fact struct{ label, text string }

func (r *Result) facts() []fact {
	var list []fact
	if r.Name != "" {
		list = append(list, fact{"spectrum", r.Name})
	}
	components := strconv.Itoa(len(r.Components))
	if n := r.Diagnosability.NotRun; n > 0 {
		components += fmt.Sprintf(", %d not run by any test", n)
	}
	return append(list,
		fact{"tests", fmt.Sprintf("%d, of which %s failed", len(r.Tests), choose(r.Failed == 0, "none", strconv.Itoa(r.Failed)))},
		fact{"components", components},
		fact{"ranked by", string(r.Coefficient) + ": " + formula(r.Coefficient)})
}

// formula explains a coefficient in the words of the table.
func formula(c spell.Coefficient) string {
	switch c {
	case spell.Tarantula:
		return "share of the failed that ran it / (that + share of the passed that ran it)"
	case spell.JaccardCoefficient:
		return "failed that ran it / (all failed + passed that ran it)"
	default:
		return "failed that ran it / sqrt(all failed x all that ran it)"
	}
}

// suite describes the test suite.
func (r *Result) suite() string {
	return wording.TestSuite("", r.Diagnosability, r.component, r.test, 0)[0]
}

// caveat returns a warning to show before the ranking; "" = none.
func (r *Result) caveat(rows int) string {
	switch {
	case len(r.Tests) == 0:
		return "There are no tests: nothing can be localised."
	case r.Failed == 0:
		return "No test failed: there is nothing to localise."
	case rows == 0:
		return fmt.Sprintf("No component was run by %s: what made %s fail is not in this spectrum.",
			theFailed(r.Failed), choose(r.Failed == 1, "it", "them"))
	case r.Failed == len(r.Tests):
		return "All tests failed: without one that passed nothing clears a component, and the ranking says no more than how many of the tests ran it."
	}
	return ""
}

func theFailed(n int) string {
	if n == 1 {
		return "the test that failed"
	}
	return fmt.Sprintf("any of the %d tests that failed", n)
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// legend explains the table, and says what it leaves out.
func (r *Result) legend(shown, all []row) string {
	text := "The score is from 0 to 1, the higher the more suspicious; beside it is how many tests failed and passed, and ran the component or did not."
	tied, grouped := false, false
	for _, w := range shown {
		tied, grouped = tied || w.tied, grouped || w.group != nil
	}
	if tied {
		text += " = has the same score as another row, either may come first."
	}
	if grouped {
		text += " A group is components that the same tests ran: no coefficient tells them apart."
	}
	if more := len(all) - len(shown); more > 0 {
		text += " " + units.Plural(more, "more row") + " not shown."
	}
	innocent := 0
	for _, s := range r.Suspects {
		if s.Score == 0 {
			innocent++
		}
	}
	if innocent > 0 {
		text += fmt.Sprintf(" No failed test ran %s.", choose(innocent == 1, "1 other component", fmt.Sprintf("the %d other components", innocent)))
	}
	return text
}

// A remark is about an ambiguity group in the table.
type remark struct{ mark, text string }

// remarks says how to split the ambiguity groups in the table.
func (r *Result) remarks(shown []row) []remark {
	var list []remark
	for _, w := range shown {
		if w.group != nil {
			list = append(list, remark{w.mark, r.names(w) + ". " + wording.Advice("", *w.group, r.component, r.test)})
		}
	}
	return list
}

// furtherGroups mentions the groups outside of the table; "" if there are none.
func (r *Result) furtherGroups(shown []remark) string {
	more := len(r.Diagnosability.Groups) - len(shown)
	if more == 0 {
		return ""
	}
	return units.Plural(more, choose(len(shown) > 0, "further group", "group")) +
		" of components that the tests cannot tell apart: CSV and JSON name " + choose(more == 1, "it", "them") + "."
}
