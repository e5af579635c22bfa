package rendering

import (
	"fmt"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Headline says in a sentence or two what became of the whole program, to an audience.
func Headline(c *comparison.Comparison, a wording.Audience) string { return (&view{c, a}).headline() }

func (c *view) headline() string {
	if c.Empty() {
		return c.Audience.Base + " and " + c.Audience.Head + " cannot be compared: " + c.Text(note.NoCommonTest()) + "."
	}
	main := c.DecisiveTotal()
	var b strings.Builder
	b.WriteString(c.before(main) + c.uses(main) + c.details(main))
	if c.HasEnergy() && !c.Total.TimeMS.None() {
		b.WriteString("; " + c.timeChange())
	}
	if !main.None() {
		b.WriteString(c.ratios())
	}
	b.WriteString(".")
	if main.Verdict == comparison.Undecided {
		b.WriteString(" " + wording.Upper(c.reason(main)) + ".")
	}
	if c.Total.Of == comparison.OfTests {
		fmt.Fprintf(&b, " That is all that is used in the tests that count in both runs (%s), with what belongs to no component.", units.Count(len(c.Tests)))
	}
	return b.String()
}

// About says in a sentence or two what became of a component, to an audience.
func About(compared *comparison.Comparison, of *comparison.Component, a wording.Audience) string {
	c := &view{compared, a}
	main := c.Decisive(of)
	what := c.word(c.KnowsComponents())
	text := "it uses " + c.Than(main.Base, main.Head, what)
	if main.None() {
		text = "neither run uses any " + what
	}
	text = wording.Upper(c.before(main)+text) + c.details(main) + "."
	if main.Verdict == comparison.Undecided {
		text += " " + wording.Upper(c.reason(main)) + "."
	}
	if c.redByShare(of) {
		text += fmt.Sprintf(" It was %s and is red: its share of the whole grew, it did not get more expensive.", of.BaseZone)
	}
	return text
}

// redByShare tells whether a component turned red although it did not get dearer: zones are
// shares of a run, and others use less.
func (c *view) redByShare(of *comparison.Component) bool {
	verdict := c.Decisive(of).Verdict
	return of.HeadZone == spell.Red && of.BaseZone != spell.Red && of.BaseZone != "" &&
		(verdict == comparison.Unchanged || verdict == comparison.Better)
}

func (c *view) uses(main *comparison.Quantity) string {
	if main.None() {
		return "neither run uses any " + c.what()
	}
	return c.Audience.Head + " uses " + c.Than(main.Base, main.Head, c.what())
}

// before is the beginning of a headline without better or worse.
func (c *view) before(main *comparison.Quantity) string {
	switch {
	case main.Verdict == comparison.Unchanged && main.Why != nil:
		return "No significant change (" + c.reason(main) + "): "
	case main.Verdict == comparison.Unchanged:
		return "No significant change: "
	case main.Verdict == comparison.Undecided:
		return "Not decided: "
	}
	return ""
}

// reason says why a verdict is neither better nor worse; "" if there is nothing to say.
func (c *view) reason(q *comparison.Quantity) string {
	if q.Why == nil {
		return ""
	}
	return c.Text(*q.Why)
}

// what names the quantity of the headline.
func (c *view) what() string { return c.word(c.HasEnergy()) }

func (c *view) word(energy bool) string {
	switch {
	case !energy:
		return "running time"
	case c.Source == record.Estimated:
		return wording.Energy(string(c.Source))
	}
	return wording.Energy("")
}

// details are interval, significance, p and effect of a quantity.
func (c *view) details(q *comparison.Quantity) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(interval(q))
	if q.Verdict == comparison.Better || q.Verdict == comparison.Worse {
		add("significant")
	}
	if q.PCorrected != nil {
		add("p " + units.Probability(*q.PCorrected))
	}
	if q.Verdict == comparison.Better || q.Verdict == comparison.Worse {
		add(q.Effect + " effect")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (c *view) timeChange() string {
	t := &c.Total.TimeMS
	var text string
	switch {
	case t.Change == nil:
		text = c.Than(t.Base, t.Head, "running time")
	case *t.Change == 0:
		text = "exactly as much time"
	case *t.Change < 0:
		text = units.Extent(-*t.Change) + " % less time"
	case *t.Change >= 2:
		text = "it takes " + units.Factor(1+*t.Change) + " times as long"
	default:
		text = units.Extent(*t.Change) + " % more time"
	}
	switch {
	case t.Verdict == comparison.Unchanged:
		text += " (not significant)"
	case t.Verdict == comparison.Undecided && c.Total.EnergyJ.Verdict != comparison.Undecided:
		text += " (not decided)"
	}
	return text
}

func (c *view) ratios() string {
	var text string
	for _, r := range []struct {
		name  string
		value *float64
	}{{"greenup", c.Total.Greenup}, {"speedup", c.Total.Speedup}, {"powerup", c.Total.Powerup}} {
		switch {
		case r.value != nil:
			text += ", " + r.name + " " + units.Factor(*r.value)
		case c.HasEnergy() || r.name == "speedup":
			text += ", " + r.name + " not defined"
		}
	}
	return "; " + strings.TrimPrefix(text, ", ")
}

// reasons groups undecided components by reason, in the order of the components.
func (c *view) reasons() (order []string, of map[string][]string) {
	of = make(map[string][]string)
	for i := range c.Components {
		q := c.Decisive(&c.Components[i])
		if q.Verdict != comparison.Undecided || q.Is(note.TooSmallCode) {
			continue // the legend says it of what is too small
		}
		reason := c.reason(q)
		if of[reason] == nil {
			order = append(order, reason)
		}
		of[reason] = append(of[reason], c.Components[i].ID)
	}
	return order, of
}
