package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/spell/page"
	"spell-lsp/spell/store"
)

// widestBar is how many columns the largest value of a trend takes.
const widestBar = 30

func (f *runsFlags) trendCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trend",
		Short: "Show how energy and time of the saved runs went",
		Long: `Trend lists the complete runs of all packages that were measured like the newest
one, with the same meter on the same processor, oldest first: energy and time of a
round, and the change from the run before. It is no verdict: other tests, another
machine load or chance may be behind a change. Compare says what is significant.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openRuns(f.dir)
			if err != nil {
				return err
			}
			entries, bad := s.List(s.workspace)
			alike := likeNewest(entries)
			if len(alike) == 0 {
				if bad == nil {
					bad = fmt.Errorf("there is no complete saved run of all packages of %s: measure first", s.workspace)
				}
				return bad
			}
			var b bytes.Buffer
			trendOf(alike).Write(&b, false)
			if _, err := cmd.OutOrStdout().Write(b.Bytes()); err != nil {
				return fmt.Errorf("writing the trend: %w", err)
			}
			return bad
		},
	}
}

// likeNewest picks from entries, newest first, the newest complete run of everything
// and those that were measured as it was, and puts the oldest first.
func likeNewest(entries []store.Entry) []store.Entry {
	var alike []store.Entry
	for _, e := range entries {
		if e.Scope != "" || e.Partial || e.TimeMS == 0 {
			continue
		}
		if len(alike) == 0 || e.Meter == alike[0].Meter && e.Source == alike[0].Source && e.Host == alike[0].Host {
			alike = append(alike, e)
		}
	}
	slices.Reverse(alike)
	return alike
}

// trendOf draws bars of the energy or, where none is known, of the time.
func trendOf(alike []store.Entry) *page.Table {
	value := func(e store.Entry) float64 { return e.EnergyJ }
	head := "energy"
	if !slices.ContainsFunc(alike, func(e store.Entry) bool { return e.EnergyJ > 0 }) {
		value, head = func(e store.Entry) float64 { return e.TimeMS }, "time"
	}
	largest := 0.0
	for _, e := range alike {
		largest = math.Max(largest, value(e))
	}
	t := &page.Table{Columns: []page.Column{
		{Head: "run"}, {Head: "revision"}, {Head: "energy", Right: true}, {Head: "time", Right: true}, {Head: "change of " + head, Right: true}, {Head: ""},
	}}
	for i := range alike {
		e, change := &alike[i], unknown
		if i > 0 && value(alike[i-1]) > 0 {
			change = fmt.Sprintf("%+.1f %%", 100*(value(*e)/value(alike[i-1])-1))
		}
		bar := strings.Repeat("#", int(math.Round(widestBar*value(*e)/largest)))
		t.Add(page.Cell{Text: e.ID}, page.Cell{Text: revisionOf(e)}, page.Cell{Text: energyOf(e)}, page.Cell{Text: timeOf(e)}, page.Cell{Text: change}, page.Cell{Text: bar})
	}
	return t
}
