// Package render writes the texts about a marked component: hovers, titles of lenses, messages of
// diagnostics, and the figures in them. Only this package of the server does, so the same figure
// looks the same everywhere.
package render

import (
	"strings"
	"time"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// unresolved is the text for a component whose energy the meter cannot resolve.
const unresolved = "below resolution"

// staleness returns the text for a stale mark: it was measured before an edit.
func staleness() string { return wording.Text(note.BodyEdited()) }

// Joules writes an energy of the run in all its domains, see Energy.
func Joules(r *results.Result, e record.Energy) string { return Energy(r, e.Total()) }

// perCall writes the energy of one execution.
func perCall(r *results.Result, c *record.Component) string { return Energy(r, c.EPIJ) + " a call" }

// Energy writes an energy in joules. It always says that an estimate is one, and writes no number
// if the energy is unknown.
func Energy(r *results.Result, j float64) string {
	if !r.KnowsEnergy() {
		return "energy unknown"
	}
	switch r.Run.Meter.Origin() {
	case record.Estimated:
		return units.Quantity(j, "J") + " estimated"
	case record.Measured:
		return units.Quantity(j, "J")
	default:
		return units.Quantity(j, "J") + " of unknown origin"
	}
}

// share writes a share from 0 to 1 with its sign, as tables and explanations do.
func share(x float64) string { return units.Percent(x) + " %" }

// ago writes an age, which follows the time itself; "" if the clock was set back since.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	unit, thing := day, "day"
	switch {
	case d < 0:
		return ""
	case d < time.Minute:
		return ", just now"
	case d < time.Hour:
		unit, thing = time.Minute, "minute"
	case d < 2*day:
		unit, thing = time.Hour, "hour"
	}
	return ", " + units.Plural(int(d/unit), thing) + " ago"
}

// day returns the day (UTC) on which a result of an earlier session was measured, for texts that
// stay on the screen; "" where age is.
func day(r *results.Result) string {
	if age(r, time.Now()) == "" {
		return ""
	}
	return "measured " + r.Run.Started.UTC().Format(time.DateOnly)
}

// age says how long ago a result of an earlier session was measured; "" if it was measured in this
// session, or the time is unknown.
func age(r *results.Result, now time.Time) string {
	if !r.Restored || r.Run.Started.IsZero() || r.Run.Meter.OfMatrix() {
		return ""
	}
	past := strings.TrimPrefix(ago(now.Sub(r.Run.Started)), ", ")
	if past == "" {
		return ""
	}
	return "measured " + past
}

// spent names the total of the shares of callers and callees.
func spent(r *results.Result) string {
	if !r.KnowsEnergy() {
		return "running time"
	}
	return "energy"
}
