package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// runsFlags are those of runs and of what is below it.
type runsFlags struct {
	dir, format string
	top         int
}

// entry finds the run that a user names among those that can be read.
func (s *savedRuns) entry(ctx context.Context, name string, entries []store.Entry) (*store.Entry, error) {
	id, err := s.find(ctx, name)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e store.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no run %s of %s that can be read", id, s.workspace)
	}
	return &entries[i], nil
}

// unknown stands where a run says nothing.
const unknown = "-"

func energyOf(joules float64) string {
	if joules == 0 {
		return unknown
	}
	return units.Quantity(joules, "J")
}

func timeOf(ms float64) string {
	if ms == 0 {
		return unknown
	}
	return units.Duration(ms)
}

func countOf(n int) string {
	if n == 0 {
		return unknown
	}
	return fmt.Sprint(n)
}

func meterOf(e *store.Entry) string {
	switch e.Source {
	case record.Estimated:
		return e.Meter + " (estimated)"
	case "":
		return e.Meter + " (not known whether measured or estimated)"
	case record.Measured, record.NoEnergy:
		if e.Root != "" {
			return e.Meter + " (measured" + wording.CounterRoot(e.Root) + ")"
		}
	}
	return e.Meter
}

// hostOf is the machine of a run, as far as it is known.
func hostOf(e *store.Entry) string {
	if e.Cores == 0 {
		return cmp.Or(e.Host, unknown)
	}
	return cmp.Or(e.Host, "unknown processor") + ", " + units.Plural(e.Cores, "core")
}

// failedOf follows the number of tests if some of them did not pass.
func failedOf(e *store.Entry) string {
	if e.Failed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d failed)", e.Failed)
}

func revisionOf(e *store.Entry) string {
	switch {
	case e.Revision == "":
		return unknown
	case e.Dirty:
		return fmt.Sprintf("%.12s+", e.Revision)
	}
	return fmt.Sprintf("%.12s", e.Revision)
}

// about lists the baselines that a run is, and its scope.
func about(e *store.Entry) string {
	parts := append([]string{}, e.Baselines...)
	if e.Scope != "" {
		parts = append(parts, "("+e.Scope+")")
	}
	if e.Partial {
		parts = append(parts, "(partial)")
	}
	return strings.Join(parts, " ")
}
