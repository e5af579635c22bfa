// Package rendering writes the result of a bisection as a page for the terminal and as JSON,
// and what a search is doing as lines. It decides nothing.
package rendering

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"spell-lsp/spell/bisection"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// JSON writes r as indented JSON that ends in a newline.
func JSON(w io.Writer, r *bisection.Result) error {
	return jsonform.Write(w, "the result", r)
}

// Text writes a page for the terminal of that many columns; 0 is page.LineWidth.
func Text(w io.Writer, r *bisection.Result, width int) error {
	if width <= 0 || width > page.LineWidth {
		width = page.LineWidth
	}
	v := &view{Result: r, width: width}
	v.paragraph("", Headline(r))
	v.answer()
	v.function()
	v.b.WriteByte('\n')
	v.paragraph("", v.effort())
	v.unplaced()
	if _, err := w.Write(v.b.Bytes()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

type view struct {
	*bisection.Result
	b     bytes.Buffer
	width int
}

func (v *view) paragraph(first, text string) { page.ParagraphOf(&v.b, v.width, first, text) }

// Headline is the answer in a sentence or two.
func Headline(r *bisection.Result) string {
	switch r.Outcome {
	case bisection.Culprit:
		return fmt.Sprintf("%s made %s more expensive: %s.%s", r.Commits[0].Short, subject(r), change(r, *r.Made), merge(r))
	case bisection.BadCheaper:
		return fmt.Sprintf("BAD (%s) is cheaper than GOOD (%s): %s. There is no commit to look for; exchange the two to find what made %s cheaper the other way round.", r.Bad.Short, r.Good.Short, change(r, r.Change), subject(r))
	case bisection.NoDifference:
		return fmt.Sprintf("Not sure: no difference of %s was found between GOOD (%s) and BAD (%s) in %s of each: %s. More rounds (--max-rounds) can find a smaller one, from %s on.",
			subject(r), r.Good.Short, r.Bad.Short, units.Plural(r.Change.Rounds, "round"), change(r, r.Change), units.Change(bisection.MinChange))
	case bisection.SeveralLeft:
	}
	return unsure(r)
}

func unsure(r *bisection.Result) string {
	last := r.Commits[len(r.Commits)-1]
	switch {
	case len(r.Commits) > 1:
		return fmt.Sprintf("Not sure: one of %d commits made %s more expensive, %s to %s. Those before the last of them are too near to the middle of GOOD and BAD, or cannot be measured.",
			len(r.Commits), subject(r), r.Commits[0].Short, last.Short)
	case r.Unconfirmed:
		return fmt.Sprintf("Not sure: %s is like BAD and the commit before it like GOOD, but no difference between the two was found: %s.%s", last.Short, change(r, *r.Made), merge(r))
	}
	return fmt.Sprintf("Not sure: %s made %s more expensive (%s), or a commit that it merges.%s", last.Short, subject(r), change(r, *r.Made), merge(r))
}

// subject is what was measured.
func subject(r *bisection.Result) string {
	switch {
	case r.Component != "":
		return r.Component
	case len(r.Tests) == 1:
		return testName(r.Tests[0])
	}
	return units.Plural(len(r.Tests), "test")
}

// testName is the name of a test without its package.
func testName(name string) string {
	_, short, found := strings.Cut(path.Base(name), ".")
	if !found {
		return name
	}
	return short
}

func merge(r *bisection.Result) string {
	switch r.Merge {
	case bisection.MergeItself:
		return " It is a merge: the commits that it merges are like GOOD, so that the merge itself did."
	case bisection.MergeUnsure:
		return " It is a merge, and its other side is not like GOOD, but the commit there could not be found: that side does not begin with a commit like GOOD, or could not be measured."
	}
	return ""
}

// change writes a relative change with its interval: +15 % estimated energy (12 to 18 %).
func change(r *bisection.Result, d bisection.Difference) string {
	what := string(r.Quantity)
	if r.Quantity == bisection.Energy && r.Source == "estimated" {
		what = "estimated energy"
	}
	return fmt.Sprintf("%s %s (95 %% interval %s)", units.Change(d.Change), what, interval(d.CI))
}

func interval(ci [2]float64) string {
	low, high := units.Change(ci[0]), units.Change(ci[1])
	return strings.TrimSuffix(low, " %") + " to " + high
}

// answer lists the commits.
func (v *view) answer() {
	if len(v.Commits) > 0 {
		v.b.WriteByte('\n')
	}
	shown := page.Shown(0, len(v.Commits))
	for _, c := range v.Commits[:shown] {
		v.paragraph("  "+Name(c)+"  ", c.Subject)
	}
	if more := len(v.Commits) - shown; more > 0 {
		v.paragraph("  ", fmt.Sprintf("and %s", units.Plural(more, "more commit")))
	}
	if v.Asked != nil {
		v.b.WriteByte('\n')
		v.paragraph("", fmt.Sprintf("GOOD (%s) is no first parent of BAD: the search began with %s, the last commit of that history that GOOD has too.", v.Asked.Short, v.Good.Short))
	}
}

// Name is a commit's hash and date.
func Name(c bisection.Commit) string {
	date, _, _ := strings.Cut(c.Date, "T")
	return page.Clean(c.Short + "  " + date)
}

// function says whose cost grew, and in which line.
func (v *view) function() {
	f := v.Function
	switch {
	case f == nil && v.Explanation != "":
		v.b.WriteByte('\n')
		v.paragraph("", "Which function: "+v.Explanation+".")
		return
	case f == nil:
		return
	}
	v.b.WriteByte('\n')
	v.paragraph("", v.grown(f)+" ("+fmt.Sprintf("%s:%d", f.File, f.Line)+").")
	if l := f.Costly; l != nil {
		why := "the line that it changed and that costs most"
		if !l.Changed {
			why = "the line that grew or costs most; the commit did not change it"
		}
		v.paragraph("  ", fmt.Sprintf("Line %d takes %s %% of the self time, %s:", l.Line, units.Percent(l.Share), why))
		v.b.WriteString("    " + page.Clean(l.Text) + "\n")
	}
}

func (v *view) grown(f *bisection.Function) string {
	amount := func(value float64) string {
		if f.Quantity == bisection.Time {
			return units.Duration(value)
		}
		return units.Quantity(value, "J")
	}
	if f.New {
		return fmt.Sprintf("%s is new and takes most, %s a round", f.ID, amount(f.Head))
	}
	text := fmt.Sprintf("The cost of %s grew most: %s instead of %s a round", f.ID, amount(f.Head), amount(f.Base))
	if f.Change != nil {
		text += ", " + units.Change(*f.Change)
	}
	return text
}

// effort says what the search took.
func (v *view) effort() string {
	measured, skipped := 0, 0
	for _, t := range v.Tried {
		if t.Side == bisection.Skipped {
			skipped++
			continue
		}
		measured++
	}
	text := fmt.Sprintf("%d of %s behind GOOD measured besides BAD", measured, units.Plural(v.History, "commit"))
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	text += fmt.Sprintf("; %s", units.Plural(v.Rounds, "round"))
	if v.Kept > 0 {
		text += fmt.Sprintf(", of which %d from an earlier start", v.Kept)
	}
	text += fmt.Sprintf("; meter %s (%s).", v.Meter, v.Source)
	if v.Outcome != bisection.NoDifference && v.Outcome != bisection.BadCheaper {
		text += fmt.Sprintf(" From GOOD (%s) to BAD (%s): %s.", v.Good.Short, v.Bad.Short, change(v.Result, v.Change))
	}
	return text
}

// unplaced lists the commits of which the side is not known, with reasons.
func (v *view) unplaced() {
	for _, t := range v.Tried {
		switch t.Side {
		case bisection.Skipped:
			v.paragraph("Skipped "+t.Short+": ", t.Reason)
		case bisection.Undecided:
			v.paragraph("Undecided "+t.Short+": ", fmt.Sprintf("too near to the middle of GOOD and BAD for %s", units.Plural(t.Rounds, "round")))
		case bisection.LikeGood, bisection.LikeBad:
		}
	}
}

// Line says what is known of a commit: like GOOD after 9 rounds.
func Line(f *bisection.Finding) string {
	rounds := units.Plural(f.Rounds, "round")
	switch f.Side {
	case bisection.LikeGood:
		return "like GOOD after " + rounds
	case bisection.LikeBad:
		return "like BAD after " + rounds
	case bisection.Undecided:
		return "undecided after " + rounds
	case bisection.Skipped:
		return "skipped: " + strings.Join(strings.Fields(f.Reason), " ") // a few lines, of which the first may only be a heading
	}
	return ""
}
