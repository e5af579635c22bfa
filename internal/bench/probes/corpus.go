package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"spell-lsp/internal/bench/harness"
)

// corpusModules are programs of many kinds: containers, parsers, a router, a
// consensus protocol, a lexer.
var corpusModules = []string{
	"github.com/google/btree@v1.1.3",
	"github.com/tidwall/gjson@v1.20.0",
	"github.com/BurntSushi/toml@v1.6.0",
	"github.com/gorilla/mux@v1.8.1",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/pelletier/go-toml/v2@v2.4.3",
	"go.etcd.io/raft/v3@v3.7.0",
	"github.com/alecthomas/chroma/v2@v2.27.0",
}

const (
	meanBar  = 1.20
	worstBar = 1.6
)

// corpus compares CPU time and outcomes of the modules' own tests.
func (b *bench) corpus(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Corpus: CPU time and outcomes of the modules' own tests",
		About:  fmt.Sprintf("CPU time (user and system) of all test programs of a module, median of %d runs each, plain and instrumented in turns, after a warm-up. Counted are functions whose time comes from samples alone. Compared are the tests that end alike in all plain runs.", b.rounds),
		Header: []string{"module", "packages", "functions", "counted", "tests", "end otherwise", "plain, ms", "instrumented, ms", "ratio", "lowest", "highest"},
	}
	var ratios []float64
	differ := 0
	for _, module := range b.modules {
		s, c, err := b.compareModule(ctx, module)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			t.Missed(module + ": " + err.Error())
			continue
		}
		r := c.ratios()
		ratios = append(ratios, r.median)
		differ += len(c.differences)
		t.Notes = append(t.Notes, c.differences...)
		functions, counted := s.functions()
		t.Row(module, fmt.Sprint(len(s.programs)), fmt.Sprint(functions), fmt.Sprint(counted), fmt.Sprint(c.compared), fmt.Sprint(len(c.differences)),
			milliseconds(harness.Median(c.plain)), milliseconds(harness.Median(c.probed)), ratio(r.median), ratio(r.low), ratio(r.high))
	}
	if len(ratios) > 0 {
		t.AtMost("ratio, geometric mean", "%.2f", geometricMean(ratios), meanBar)
		t.AtMost("ratio, worst", "%.2f", slices.Max(ratios), worstBar)
		t.AtMost("tests that end otherwise", "%.0f", float64(differ), 0)
	}
	return t, nil
}

// compareModule fetches, builds and compares one module, and removes it again.
func (b *bench) compareModule(ctx context.Context, module string) (*suite, *comparison, error) {
	harness.Progress("corpus: %s", module)
	dir, err := b.fetch(ctx, module)
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the whole folder will be removed
	s, err := b.buildSuite(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer s.counting.close() //nolint:errcheck // nothing of it is kept
	c, err := b.compare(ctx, s, b.rounds)
	return s, c, err
}

// A spread is a ratio with what it could have been: the lowest and the highest
// of the rounds.
type spread struct{ median, low, high float64 }

// ratios are instrumented/plain: of the medians, and of neighbouring runs.
func (c *comparison) ratios() spread {
	var all []float64
	for i, probed := range c.probed {
		all = append(all, float64(probed)/float64(c.plain[i]))
	}
	return spread{float64(harness.Median(c.probed)) / float64(harness.Median(c.plain)), slices.Min(all), slices.Max(all)}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/1e6) }

func ratio(r float64) string { return fmt.Sprintf("%.2f", r) }
