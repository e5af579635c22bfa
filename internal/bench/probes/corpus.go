package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/runner"
)

// otherModules are programs that no probe was tuned for: interpreters, parsers, sets, numbers.
var otherModules = []string{
	"github.com/d5/tengo/v2@v2.17.0",
	"github.com/yuin/gopher-lua@v1.1.2",
	"go.starlark.net@v0.0.0-20260908191801-89a6a09411d5",
	"github.com/expr-lang/expr@v1.17.8",
	"github.com/alecthomas/participle/v2@v2.1.4",
	"github.com/yuin/goldmark@v1.8.7",
	"github.com/hashicorp/hcl/v2@v2.25.0",
	"github.com/bits-and-blooms/bitset@v1.29.0",
	"github.com/deckarep/golang-set/v2@v2.9.0",
	"github.com/shopspring/decimal@v1.6.0",
}

// Bars of the CPU time of a mode to that without it: geometric means and the worst of the modules.
const (
	corpusBar, corpusWorst = 1.10, 1.6
	othersBar, othersWorst = 1.15, 1.3
	sampledBar             = 1.03
	autoBar, autoWorst     = 1.05, 1.15
)

func (b *bench) corpus(ctx context.Context) (*harness.Table, error) {
	t, found, err := b.modes(ctx, "Corpus: CPU time and outcomes of the modules' own tests", b.modules)
	if len(found.probes) > 0 {
		t.AtMost("with probes, geometric mean", "%.2f", geometricMean(found.probes), corpusBar)
		t.AtMost("with probes, worst", "%.2f", slices.Max(found.probes), corpusWorst)
	}
	return t, err
}

func (b *bench) others(ctx context.Context) (*harness.Table, error) {
	t, found, err := b.modes(ctx, "Other modules: CPU time and outcomes of their own tests", otherModules)
	if len(found.probes) > 0 {
		t.AtMost("with probes, geometric mean", "%.2f", geometricMean(found.probes), othersBar)
		t.AtMost("with probes, worst", "%.2f", slices.Max(found.probes), othersWorst)
	}
	return t, err
}

// overheads are ratios of CPU times to those without the mode, by module.
type overheads struct{ probes, samples, auto []float64 }

// modes compares CPU time and outcomes of the modules' own tests in the modes of a measurement.
func (b *bench) modes(ctx context.Context, title string, modules []string) (*harness.Table, overheads, error) {
	t := &harness.Table{
		Title: title,
		About: fmt.Sprintf("CPU time (user and system) of all test programs of a module, median of %d runs each, plain, with probes and with samples each %v, in turns, after a warm-up. Ratios are to the plain programs; behind them the lowest and the highest of the runs of one round. All are run with -test.v. Counted are functions whose time comes from samples alone. Compared are the tests that end alike in all plain runs. Auto is the mode that --mode auto takes.",
			b.rounds, samplePeriod),
		Header: []string{"module", "packages", "functions", "counted", "tests", "end otherwise", "plain, ms", "probes", "samples", "auto"},
	}
	var all overheads
	differ := 0
	for _, module := range modules {
		m, err := b.compareModule(ctx, module)
		if ctx.Err() != nil {
			return nil, all, ctx.Err()
		}
		if err != nil {
			t.Missed(module + ": " + err.Error())
			continue
		}
		probes, samples := m.ratios(withProbes), m.ratios(withSamples)
		chosen := probes
		if m.auto == runner.ModeSample {
			chosen = samples
		}
		all.probes, all.samples, all.auto = append(all.probes, probes.median), append(all.samples, samples.median), append(all.auto, chosen.median)
		differ += len(m.differences)
		t.Notes = append(t.Notes, m.differences...)
		functions, counted := m.suite.functions()
		t.Row(module, fmt.Sprint(len(m.suite.programs)), fmt.Sprint(functions), fmt.Sprint(counted), fmt.Sprint(m.compared), fmt.Sprint(len(m.differences)),
			milliseconds(harness.Median(m.cpu[asIs])), probes.String(), samples.String(), m.auto+" "+ratio(chosen.median))
	}
	if len(all.probes) > 0 {
		t.AtMost("with samples, geometric mean", "%.2f", geometricMean(all.samples), sampledBar)
		t.AtMost("auto, geometric mean", "%.2f", geometricMean(all.auto), autoBar)
		t.AtMost("auto, worst", "%.2f", slices.Max(all.auto), autoWorst)
		t.AtMost("tests that end otherwise", "%.0f", float64(differ), 0)
	}
	return t, all, nil
}

// A compared module.
type compared struct {
	*comparison
	suite *suite
	auto  string // the mode that --mode auto takes
}

// compareModule fetches, builds and compares one module, and removes it again.
func (b *bench) compareModule(ctx context.Context, module string) (*compared, error) {
	harness.Progress("%s: plain, with probes and with samples", module)
	dir, err := b.fetch(ctx, module)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the whole folder will be removed
	m := &compared{}
	if m.suite, err = b.buildSuite(ctx, dir); err != nil {
		return nil, err
	}
	defer m.suite.counting.close() //nolint:errcheck // nothing of it is kept
	if m.comparison, err = b.compare(ctx, m.suite, b.rounds, asIs, withProbes, withSamples); err != nil {
		return nil, err
	}
	run, err := b.record(ctx, dir, nil, "--mode", "auto")
	if err != nil {
		return nil, err
	}
	m.auto = run.Mode
	return m, nil
}

// A spread is a ratio with what it could have been: the lowest and the highest
// of the rounds.
type spread struct{ median, low, high float64 }

func (s spread) String() string {
	return fmt.Sprintf("%s (%s to %s)", ratio(s.median), ratio(s.low), ratio(s.high))
}

// ratios are those of a kind to plain: of the medians, and of the runs of each round.
func (c *comparison) ratios(k kind) spread {
	var all []float64
	for i, cpu := range c.cpu[k] {
		all = append(all, float64(cpu)/float64(c.cpu[asIs][i]))
	}
	return spread{float64(harness.Median(c.cpu[k])) / float64(harness.Median(c.cpu[asIs])), slices.Min(all), slices.Max(all)}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/1e6) }

func ratio(r float64) string { return fmt.Sprintf("%.2f", r) }
