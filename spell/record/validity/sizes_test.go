package validity_test

import (
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
)

// What reads calls by size relies on their form: at most two sizes of a function, each with calls.
func TestFormOfSizedCalls(t *testing.T) {
	for want, change := range map[string]func(*record.Component){
		"is of a package":      func(c *record.Component) { c.Kind, c.Lines, c.LinesHash = spell.KindPackage, nil, "" },
		"has 3 items":          func(c *record.Component) { c.SizedCalls = slices.Repeat(c.SizedCalls, 3) },
		"a second time":        func(c *record.Component) { c.SizedCalls = slices.Repeat(c.SizedCalls, 2) },
		"buckets is empty":     func(c *record.Component) { c.SizedCalls[0].Buckets = nil },
		"cum_energy_j.fans is": func(c *record.Component) { c.SizedCalls[0].Buckets[0].CumEnergyJ = record.Energy{spell.Fans: 1} },
	} {
		r := recordtest.Complete()
		i := slices.IndexFunc(r.Components, func(c record.Component) bool { return len(c.SizedCalls) > 0 })
		change(&r.Components[i])
		if err := validity.Run(r); err == nil || !strings.Contains(err.Error(), "sized_calls") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a fault of sized_calls that %s", err, want)
		}
	}
}
