// Package trend picks, among saved runs, those that can stand in one trend: that were measured
// in the same way. It reads no runs, only what the store lists of them, and shows nothing.
package trend

import (
	"slices"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// A Cause says why a run cannot stand in a trend.
type Cause string

// The causes, in the order in which they are looked for.
const (
	NotComplete    Cause = "not-complete"    // its measurement ended early
	NoComponents   Cause = "no-components"   // no component ran, or an older version saved it
	OtherScope     Cause = "other-scope"     // other packages or tests, or loaded from a file
	OtherSettings  Cause = "other-settings"  // other values of exclude, run or tags
	OtherMode      Cause = "other-mode"      // instrument, sample
	OtherMeter     Cause = "other-meter"     // another meter, or another source of its energy
	OtherDomains   Cause = "other-domains"   // the energy of other domains
	AnotherMachine Cause = "another-machine" // another processor or number of cores
)

// An Omitted run cannot stand in the trend.
type Omitted struct {
	Run   *store.Entry
	Cause Cause
}

// Of picks from entries (newest first) the runs that were measured in the same way as one of
// them, oldest first, and the others with the cause. What is unknown of a run is no cause.
func Of(entries []store.Entry, like *store.Entry) (runs []store.Entry, omitted []Omitted) {
	for i := range entries {
		if cause := difference(&entries[i], like); cause != "" {
			omitted = append(omitted, Omitted{&entries[i], cause})
		} else {
			runs = append(runs, entries[i])
		}
	}
	slices.Reverse(runs)
	return runs, omitted
}

// Newest is the newest complete run of entries (newest first) that was measured here: of all
// packages if there is one, else of a part; nil if there is none.
func Newest(entries []store.Entry) *store.Entry {
	var part *store.Entry
	for i := range entries {
		switch e := &entries[i]; {
		case !Complete(e), loaded(e):
		case e.Scope == "":
			return e
		case part == nil:
			part = e
		}
	}
	return part
}

// Complete tells whether a run can stand in a trend at all.
func Complete(e *store.Entry) bool { return !e.Partial && e.ComponentsMS > 0 }

// Machine is what the store knows of the machine of a run.
func Machine(e *store.Entry) record.Host { return record.Host{CPU: e.Host, Cores: e.Cores} }

func loaded(e *store.Entry) bool { return strings.HasPrefix(e.Scope, store.Loaded) }

func difference(e, like *store.Entry) Cause {
	switch {
	case e.Partial:
		return NotComplete
	case !Complete(e):
		return NoComponents
	case e.Scope != like.Scope, loaded(e) && e.ID != like.ID: // a file may hold anything
		return OtherScope
	case e.Chosen != like.Chosen:
		return OtherSettings
	case e.Mode != like.Mode && e.Mode != "" && like.Mode != "":
		return OtherMode
	case e.Meter != like.Meter || e.Source != like.Source:
		return OtherMeter
	case e.Domains != like.Domains:
		return OtherDomains
	case len(comparison.Differ(Machine(like), Machine(e))) > 0:
		return AnotherMachine
	}
	return ""
}
