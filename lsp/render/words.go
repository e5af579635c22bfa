// Package render writes what the user reads of a marked component: hovers, titles of
// lenses, messages of diagnostics, and how the figures in them look. It is the only room
// of the server that does, so the same figure looks the same everywhere.
package render

import (
	"math"
	"strconv"
	"strings"
	"time"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// What every place says in the same words.
const (
	Staleness  = "measured before this edit"
	unresolved = "below resolution"
)

// Joules writes an energy of the run in all its domains, see Energy.
func Joules(r *results.Result, e record.Energy) string { return Energy(r, e.Total()) }

// perCall writes the energy of one execution.
func perCall(r *results.Result, c *record.Component) string { return Energy(r, c.EPIJ) + " a call" }

// Energy writes an energy in joules. It never shows an estimate without saying so, nor a
// number where nothing is known.
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

// Share writes a number from 0 to 1.
func Share(x float64) string {
	if x > 0 && x < 0.005 {
		return "<0.01"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// percent writes a number from 0 to 1.
func percent(x float64) string {
	if x > 0 && x < 0.005 {
		return "<1 %"
	}
	return strconv.FormatFloat(x*100, 'f', 0, 64) + " %"
}

// ago writes how long ago something was, to follow the time at which it was; "" if the
// clock was set back since.
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
	return ", " + Plural(float64(d/unit), thing) + " ago"
}

// count writes a number of executions, which as a mean may have a fraction.
func count(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}

// Plural writes how many things there are.
func Plural(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// day is the day (UTC) on which a result of an earlier session was measured, for what
// stays on the screen; "" where age is.
func day(r *results.Result) string {
	if age(r, time.Now()) == "" {
		return ""
	}
	return "measured " + r.Run.Started.UTC().Format(time.DateOnly)
}

// age says how long ago a result of an earlier session was measured; "" if it was measured
// in this session, or the time is not known.
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

// spent names the amount that the shares of callers and callees are portions of.
func spent(r *results.Result) string {
	if !r.KnowsEnergy() {
		return "running time"
	}
	return "energy"
}
