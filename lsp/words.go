package lsp

import (
	"math"
	"strconv"
	"time"

	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// What every place says in the same words.
const (
	staleness  = "measured before this edit"
	unresolved = "below resolution"
)

// joules writes an energy of the run, see energy.
func (r *result) joules(e record.Energy) string { return r.energy(e.Total()) }

// perCall writes the energy of one execution.
func (r *result) perCall(c *record.Component) string { return r.energy(c.EPIJ) + " a call" }

// knowsEnergy tells whether components have energy.
func (r *result) knowsEnergy() bool {
	return r.run.Meter.Source != record.NoEnergy && len(r.run.Matrix.Domains) > 0
}

// energy writes every energy of a component that is shown. It never shows an estimate
// without saying so, nor a number where nothing is known.
func (r *result) energy(j float64) string {
	if !r.knowsEnergy() {
		return "energy unknown"
	}
	switch r.run.Meter.Origin() {
	case record.Estimated:
		return units.Quantity(j, "J") + " estimated"
	case record.Measured:
		return units.Quantity(j, "J")
	default:
		return units.Quantity(j, "J") + " of unknown origin"
	}
}

// share writes a number from 0 to 1.
func share(x float64) string {
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

// ago writes how long since something was, to be put behind when it was;
// nothing if the clock was set back since.
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
	return ", " + plural(float64(d/unit), thing) + " ago"
}

// count writes a number of executions, which as a mean may have a fraction.
func count(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}

// plural writes how many things there are.
func plural(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}
