package comparison

import (
	"fmt"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Headline says in a sentence or two what a person wants to know first.
func (c *Comparison) Headline() string {
	if c.empty() {
		return "BASE and HEAD cannot be compared: " + noTest + "."
	}
	main := c.main(&c.Total.Change)
	var b strings.Builder
	b.WriteString(c.before(main) + c.uses(main) + c.details(main))
	if c.hasEnergy() && !c.Total.TimeMS.none() {
		b.WriteString("; " + c.timeChange())
	}
	if !main.none() {
		b.WriteString(c.ratios())
	}
	b.WriteString(".")
	if main.Verdict == Undecided {
		b.WriteString(" " + upper(main.Reason) + ".")
	}
	if c.Total.Of == OfTests {
		fmt.Fprintf(&b, " That is all that is used in the tests that count in both runs (%d), with what belongs to no component.", len(c.Tests))
	}
	return b.String()
}

// About says what became of a component, in a sentence or two.
func (c *Comparison) About(of *Component) string {
	main := c.mainOf(of)
	what := c.word(c.knowsComponents())
	text := "it uses " + main.Than(what)
	if main.none() {
		text = "neither run uses any " + what
	}
	text = upper(c.before(main)+text) + c.details(main) + "."
	if main.Verdict == Undecided {
		text += " " + upper(main.Reason) + "."
	}
	return text
}

func (c *Comparison) uses(main *Quantity) string {
	if main.none() {
		return "neither run uses any " + c.what()
	}
	return "HEAD uses " + main.Than(c.what())
}

// none tells whether there is nothing in either run.
func (a Amount) none() bool { return a.Base == 0 && a.Head == 0 }

// before is how the headline begins where there is no verdict for better or worse.
func (c *Comparison) before(main *Quantity) string {
	switch {
	case main.Verdict == Unchanged && main.Reason != "":
		return "No significant change (" + main.Reason + "): "
	case main.Verdict == Unchanged:
		return "No significant change: "
	case main.Verdict == Undecided:
		return "Not decided: "
	}
	return ""
}

func (c *Comparison) hasEnergy() bool { return len(c.Domains) > 0 }

// knowsComponents tells whether energy was compared by component.
func (c *Comparison) knowsComponents() bool { return len(c.ComponentDomains) > 0 }

// what names the quantity that the headline compares.
func (c *Comparison) what() string { return c.word(c.hasEnergy()) }

func (c *Comparison) word(energy bool) string {
	switch {
	case !energy:
		return "running time"
	case c.Source == record.Estimated:
		return "energy (estimated)"
	}
	return "energy"
}

// details are what the statistics say of a quantity.
func (c *Comparison) details(q *Quantity) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(interval(q))
	if q.Verdict == Better || q.Verdict == Worse {
		add("significant")
	}
	if q.PCorrected != nil {
		add("p " + units.Probability(*q.PCorrected))
	}
	if q.Verdict == Better || q.Verdict == Worse {
		add(q.Effect + " effect")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (c *Comparison) timeChange() string {
	t := &c.Total.TimeMS
	var text string
	switch {
	case t.Change == nil:
		text = t.Than("running time")
	case *t.Change == 0:
		text = "exactly as much time"
	case *t.Change < 0:
		text = units.Extent(-*t.Change) + " % faster"
	case *t.Change >= 2:
		text = "it takes " + units.Factor(1+*t.Change) + " times as long"
	default:
		text = units.Extent(*t.Change) + " % slower"
	}
	switch {
	case t.Verdict == Unchanged:
		text += " (not significant)"
	case t.Verdict == Undecided && c.Total.EnergyJ.Verdict != Undecided:
		text += " (not decided)"
	}
	return text
}

func (c *Comparison) ratios() string {
	var text string
	for _, r := range []struct {
		name  string
		value *float64
	}{{"greenup", c.Total.Greenup}, {"speedup", c.Total.Speedup}, {"powerup", c.Total.Powerup}} {
		switch {
		case r.value != nil:
			text += ", " + r.name + " " + units.Factor(*r.value)
		case c.hasEnergy() || r.name == "speedup":
			text += ", " + r.name + " not defined"
		}
	}
	return "; " + strings.TrimPrefix(text, ", ")
}

// Changed tells whether anything is better or worse: a page can be short where
// nothing is.
func (c *Comparison) Changed() bool {
	list := []*Quantity{&c.Total.EnergyJ, &c.Total.TimeMS}
	for i := range c.Components {
		list = append(list, &c.Components[i].EnergyJ, &c.Components[i].TimeMS)
	}
	for i := range c.Tests {
		list = append(list, &c.Tests[i].EnergyJ, &c.Tests[i].TimeMS)
	}
	for _, q := range list {
		if q.Verdict == Better || q.Verdict == Worse {
			return true
		}
	}
	return false
}

// main is the quantity that decides about a test or the program: the energy, or the
// time where none is known.
func (c *Comparison) main(of *Change) *Quantity { return of.decisive(c.hasEnergy()) }

// mainOf is main for a component.
func (c *Comparison) mainOf(of *Component) *Quantity { return of.decisive(c.knowsComponents()) }

func (c *Change) decisive(energy bool) *Quantity {
	if energy {
		return &c.EnergyJ
	}
	return &c.TimeMS
}

// reasons groups what was not decided by why, in the order of the components.
func (c *Comparison) reasons() (order []string, of map[string][]string) {
	of = make(map[string][]string)
	for i := range c.Components {
		q := c.mainOf(&c.Components[i])
		if q.Verdict != Undecided {
			continue
		}
		if of[q.Reason] == nil {
			order = append(order, q.Reason)
		}
		of[q.Reason] = append(of[q.Reason], c.Components[i].ID)
	}
	return order, of
}
