package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/store/trend"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// widestBar is how many columns the largest value of a trend takes.
const widestBar = 30

func (f *runsFlags) trendCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trend [RUN]",
		Short: "Show how energy and time changed over the saved runs",
		Long: `Trend lists the complete runs that were measured in the same way as RUN: the same
packages, tests and benchmarks, in the same mode, with the same meter, on the same
machine. Without RUN it takes the newest run of all packages. It says how many runs it
leaves out, and why.

Oldest first, it shows the energy and the running time of the components per round,
without unattributed energy and without failed tests, and the change from the run
before. That is no verdict: added or removed tests, load or chance may explain it. The
command compare says what is significant.`,
		Example: `  spell-lsp runs trend
  spell-lsp runs trend 20261120T180000Z-3f9a`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.trend,
	}
}

func (f *runsFlags) trend(cmd *cobra.Command, args []string) error {
	s, err := openRuns(cmd, f.dir)
	if err != nil {
		return err
	}
	entries, bad := s.List(s.workspace)
	like, err := s.trendLike(cmd.Context(), args, entries)
	if err != nil {
		return errors.Join(err, bad)
	}
	runs, omitted := trend.Of(entries, like)
	var b bytes.Buffer
	page.Paragraph(&b, "", fmt.Sprintf("Energy and running time of the components, per round of %s.", scopeName(like)))
	page.Paragraph(&b, "meter  ", meterOf(like))
	page.Paragraph(&b, "host   ", hostOf(like))
	trendOf(runs).Write(&b, false)
	page.Paragraph(&b, "", leftOut(omitted, like))
	if _, err := cmd.OutOrStdout().Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the trend: %w", err)
	}
	return bad
}

// trendLike is the run that all runs of a trend must be comparable with: the named one, or
// the newest complete one that was measured here, of all packages if there is one.
func (s *savedRuns) trendLike(ctx context.Context, args []string, entries []store.Entry) (*store.Entry, error) {
	if len(args) > 0 {
		e, err := s.entry(ctx, args[0], entries)
		if err == nil && !trend.Complete(e) {
			err = fmt.Errorf("%s is not complete, or has no running time of its components, so it has no trend: name another run", e.ID)
		}
		return e, err
	}
	newest := trend.Newest(entries)
	if newest == nil {
		return nil, fmt.Errorf("there is no complete saved run of %s that says what its components used: measure first", s.workspace)
	}
	return newest, nil
}

// cause says in words why a run is left out of the trend of the run like.
func cause(o trend.Omitted, like *store.Entry) string {
	switch e := o.Run; o.Cause {
	case trend.NotComplete:
		return "not complete"
	case trend.NoComponents:
		return "without components that ran (no test passed, or an older version saved it)"
	case trend.OtherScope:
		return "of " + scopeName(e)
	case trend.OtherSettings:
		return "with " + cmp.Or(e.Chosen, "no exclude, run or tags") + " in the settings"
	case trend.OtherMode:
		return "in mode " + e.Mode
	case trend.OtherMeter:
		return "by the meter " + meterOf(e)
	case trend.OtherDomains:
		return "of the energy of " + cmp.Or(e.Domains, "nothing")
	default:
		return "on another machine (" + strings.Join(wording.Texts(comparison.Differ(trend.Machine(like), trend.Machine(e))), "; ") + ")"
	}
}

// scopeName says in words what a run measured of the module.
func scopeName(e *store.Entry) string {
	switch {
	case e.Scope == "":
		return "all packages"
	case strings.HasPrefix(e.Scope, store.Loaded):
		return "what was " + e.Scope
	}
	return fmt.Sprintf("%q", e.Scope)
}

// leftOut says how many runs a trend does not have, and why; "" if it has all.
func leftOut(omitted []trend.Omitted, like *store.Entry) string {
	const most = 5
	left := make(map[string]int)
	for _, o := range omitted {
		left[cause(o, like)]++
	}
	reasons := slices.SortedFunc(maps.Keys(left), func(a, b string) int {
		return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(a, b))
	})
	parts, rest := []string{}, 0
	for i, why := range reasons {
		if i < most {
			parts = append(parts, fmt.Sprintf("%d %s", left[why], why))
		} else {
			rest += left[why]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%d for other reasons", rest))
	}
	if len(omitted) == 0 {
		return ""
	}
	return fmt.Sprintf("Left out: %s, %s. To see the trend of one of them: spell-lsp runs trend RUN", units.Plural(len(omitted), "other run"), strings.Join(parts, ", "))
}

// estimate stands before the name of an energy that was not measured.
func estimate(e *store.Entry) string {
	if e.Source == record.Estimated {
		return "est. "
	}
	return ""
}

// trendOf draws bars of the energy or, where none is known, of the time.
func trendOf(runs []store.Entry) *page.Table {
	value := func(e store.Entry) float64 { return e.ComponentsJ }
	head := "energy"
	if !slices.ContainsFunc(runs, func(e store.Entry) bool { return e.ComponentsJ > 0 }) {
		value, head = func(e store.Entry) float64 { return e.ComponentsMS }, "time"
	}
	largest := 0.0
	for _, e := range runs {
		largest = math.Max(largest, value(e))
	}
	t := &page.Table{Columns: []page.Column{
		{Head: "run"}, {Head: "revision"}, {Head: "tests", Right: true}, {Head: estimate(&runs[0]) + "energy", Right: true}, {Head: "time", Right: true},
		{Head: "change of " + head, Right: true}, {Head: ""},
	}}
	for i := range runs {
		e, change := &runs[i], unknown
		if i > 0 && value(runs[i-1]) > 0 {
			change = fmt.Sprintf("%+.1f %%", 100*(value(*e)/value(runs[i-1])-1))
		}
		bar := strings.Repeat("#", int(math.Round(widestBar*value(*e)/largest)))
		t.Add(page.Cell{Text: e.ID}, page.Cell{Text: revisionOf(e)}, page.Cell{Text: countOf(e.Tests) + failedOf(e)}, page.Cell{Text: energyOf(e.ComponentsJ)},
			page.Cell{Text: timeOf(e.ComponentsMS)}, page.Cell{Text: change}, page.Cell{Text: bar})
	}
	return t
}
