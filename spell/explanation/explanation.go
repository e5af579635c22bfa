// Package explanation says in plain sentences what makes the rank of a component, and what
// usually helps. It reads a row of a ranking and knows nothing of runs.
package explanation

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/units"
)

// Ratios from which on one thing counts as far above another.
const (
	farAbove   = 2.0  // shares of cost and of executions
	waiting    = 3.0  // wall time and running time
	dearer     = 1.25 // shares of energy and of running time ...
	dearerBy   = 0.05 // ... which also differ by so much
	negligible = 0.05 // a share that is not worth an effort
)

// Of says in one or two sentences which category makes the rank of row, and what usually
// helps. domains are those of its ranking. wallMS is the time from entry to exit over all
// tests, waiting included, without the running time of callees; 0 if it is not known.
// estimated says that joules are to be called estimated.
func Of(row spell.Row, domains []spell.Domain, wallMS float64, estimated bool) string {
	w := account{row: row, domain: -1, estimated: estimated}
	for d := range domains {
		if w.domain < 0 || row.Joules[d] > row.Joules[w.domain] {
			w.domain, w.name = d, domains[d]
		}
	}
	text := w.carrier()
	if wallMS-row.TimeMS >= 1 && wallMS >= waiting*row.TimeMS && row.N > 0 {
		return text + " " + w.waits(wallMS)
	}
	if d, ok := w.dearState(); ok {
		return text + " " + w.state(domains[d], row.Phi.Energy[d])
	}
	return text
}

// An account is a row with the domain in which it used most joules.
type account struct {
	row    spell.Row
	domain int // index of the domain, -1 if there is none
	name   spell.Domain

	estimated bool
}

func (a *account) knowsEnergy() bool {
	return slices.ContainsFunc(a.row.Joules, func(j float64) bool { return j > 0 })
}

// cost is the larger of the shares of energy and running time.
func (a *account) cost() float64 {
	if a.domain < 0 {
		return a.row.Phi.Time
	}
	return max(a.row.Phi.Energy[a.domain], a.row.Phi.Time)
}

// costs writes the shares of energy and running time.
func (a *account) costs() string {
	time := percent(a.row.Phi.Time) + " of the running time"
	if a.domain < 0 || !a.knowsEnergy() {
		return time
	}
	return percent(a.row.Phi.Energy[a.domain]) + " of the " + string(a.name) + " energy and " + time
}

// each writes the cost of one execution.
func (a *account) each() string {
	switch {
	case a.knowsEnergy() && a.estimated:
		return units.Quantity(a.row.EPI, "J") + " estimated each"
	case a.knowsEnergy():
		return units.Quantity(a.row.EPI, "J") + " each"
	}
	return units.Duration(min(a.row.TimeMS/a.row.N, spell.MaxValue)) + " each"
}

// carrier is the first sentence: the category that makes the rank.
func (a *account) carrier() string {
	n, cost := a.row.Phi.N, a.cost()
	switch {
	case a.row.N == 0 && a.row.TimeMS == 0 && !a.knowsEnergy():
		return "No test ran it, so nothing is known about its energy."
	case a.row.N == 0:
		return fmt.Sprintf("It takes %s, and how often it ran is not known; less work in it, or less of it, helps.", a.costs())
	case a.row.Zone == spell.Green && n < negligible && cost < negligible:
		return fmt.Sprintf("There is little to gain here: %s in %s of the executions.", a.costs(), percent(n))
	case n >= farAbove*cost:
		return fmt.Sprintf("It runs very often: %s of all executions, but %s, %s; running it less often usually helps: batch the calls, keep the result, leave the loop earlier.",
			percent(n), a.costs(), a.each())
	case cost >= farAbove*n:
		return fmt.Sprintf("Each execution is costly: %s in %s of the executions, %s; a better algorithm or data structure usually helps.",
			a.costs(), percent(n), a.each())
	}
	return fmt.Sprintf("No category stands out: %s in %s of the executions, %s; both running it less often and less work in it help.",
		a.costs(), percent(n), a.each())
}

func (a *account) waits(wallMS float64) string {
	return fmt.Sprintf("It mostly waits: it ran for %s of %s, and only that costs it energy; to end sooner, look at what it waits for (locks, channels, input and output, or processors that others kept busy).",
		units.Duration(a.row.TimeMS), units.Duration(wallMS))
}

// dearState returns the domain with the largest share among those whose share of energy is far
// above the share of running time.
func (a *account) dearState() (int, bool) {
	t, found := a.row.Phi.Time, -1
	for d, e := range a.row.Phi.Energy {
		if t > 0 && e >= dearer*t && e-t >= dearerBy && (found < 0 || e > a.row.Phi.Energy[found]) {
			found = d
		}
	}
	return found, found >= 0
}

// stateHelp says what keeps a domain out of a more expensive power state.
var stateHelp = map[spell.Domain]string{
	spell.CPU:  "steadier work on fewer cores may cost less",
	spell.DRAM: "smaller data, or reading it in the order in which it is stored, usually helps",
	spell.GPU:  "fewer and fuller transfers usually help",
	spell.Disk: "fewer and larger reads and writes usually help",
	spell.Net:  "fewer and larger messages usually help",
}

func (a *account) state(d spell.Domain, energy float64) string {
	text := fmt.Sprintf("Its share of the %s energy is %.1f times that of the running time: it drives the machine into a dearer state", d, energy/a.row.Phi.Time)
	if help, ok := stateHelp[d]; ok {
		text += "; " + help
	}
	return text + "."
}

// percent writes a share as tables do.
func percent(share float64) string { return units.Percent(share) + " %" }
