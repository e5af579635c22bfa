// Package calmness words how far measuring changed a program: the same line on all pages.
package calmness

import (
	"fmt"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Text is one line, as "calm: measuring every 2 ms changed its time by +1.2 % (-0.8 % to +3.2 %) and
// ..."; "" where it was not looked at.
func Text(r *record.Run) string {
	c := r.Calmness
	switch {
	case c == nil:
		return ""
	case c.Rounds == 0:
		return fmt.Sprintf("%s: fewer than three rounds do not tell how far measuring%s changed the program%s", c.Verdict, every(r.PeriodMS), within(others(c)))
	}
	text := c.Verdict
	if text == "undecided" {
		text += ", as the rounds are too few, too short or differ too much"
	}
	text += fmt.Sprintf(": measuring%s changed its time by %s and its CPU time by %s", every(r.PeriodMS), shift(c.TimeChange), shift(c.CPUChange))
	what := "the CPU times of the processors"
	if c.Frequencies {
		what = "the frequencies of the processors"
	}
	if c.OverTime != nil && c.OverCores != nil {
		text += fmt.Sprintf("; %s correlate by %.2f over time and by %.2f over processors", what, *c.OverTime, *c.OverCores)
	}
	return text + within(append([]string{units.Plural(c.Rounds, "unmeasured round")}, others(c)...))
}

// others say what came of other periods.
func others(c *record.Calmness) (list []string) {
	for _, o := range c.Others {
		list = append(list, fmt.Sprintf("with %g ms: %s", o.PeriodMS, o.Verdict))
	}
	return list
}

func every(ms float64) string {
	if ms == 0 {
		return ""
	}
	return fmt.Sprintf(" every %g ms", ms)
}

func within(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

func shift(c record.Change) string {
	text := units.Change(c.Relative)
	if c.CI != nil {
		text += fmt.Sprintf(" (%s to %s)", units.Change(c.CI[0]), units.Change(c.CI[1]))
	}
	return text
}
