package main

import (
	"context"
	"fmt"
	"strings"

	"spell-lsp/internal/bench/harness"
)

const (
	timedBar   = 1.6
	countedBar = 0.25
)

// A series has the values that a small program printed, by name and run, plain and
// with probes.
type series struct{ plain, probed map[string][]float64 }

// alternate runs the tests of testdata/NAME.txtar in turns, after a warm-up,
// and returns what they printed and the suite.
func (b *bench) alternate(ctx context.Context, name string) (*series, *suite, error) {
	harness.Progress("%s: plain and instrumented", name)
	dir, err := b.unpack(name)
	if err != nil {
		return nil, nil, err
	}
	s, err := b.buildSuite(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer s.counting.close() //nolint:errcheck // nothing of it is kept
	if len(s.programs) != 1 {
		return nil, nil, fmt.Errorf("%d test programs, not one", len(s.programs))
	}
	all := &series{make(map[string][]float64), make(map[string][]float64)}
	for i := range 2*b.rounds + 1 {
		k := withProbes
		if i%2 == 1 {
			k = asIs
		}
		e, err := b.runTests(ctx, s, s.programs[0], k)
		if err != nil {
			return nil, nil, err
		}
		if e.status != "ok" {
			return nil, nil, fmt.Errorf("%s: %s\n%s", k, e.status, strings.TrimSpace(e.output))
		}
		into := all.plain
		if i == 0 {
			continue // the warm-up
		} else if k == withProbes {
			into = all.probed
		}
		for what, v := range values(e.output) {
			into[what] = append(into[what], v)
		}
	}
	return all, s, nil
}

// probe compares the cost of a call with each kind of probe with the cost of reading
// the clock.
func (b *bench) probe(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Cost of a probe",
		About:  fmt.Sprintf("ns a call of a function that does nothing, in a loop: medians of %d runs each, plain and instrumented in turns. The clock is the runtime's nanotime, read by the instrumented program in the same run.", b.rounds),
		Header: []string{"call", "plain, ns", "instrumented, ns", "added, ns", "of nanotime"},
	}
	all, s, err := b.alternate(ctx, "probe")
	if err != nil {
		return nil, err
	}
	clock := harness.Median(all.probed["nanotime"])
	if clock <= 0 {
		return nil, fmt.Errorf("the program did not say what nanotime takes")
	}
	t.Row("nanotime", ns(harness.Median(all.plain["nanotime"])), ns(clock), "", "1.00")
	for _, kind := range []struct {
		name string
		bar  float64
	}{{"timed", timedBar}, {"hot", countedBar}, {"counted", countedBar}} {
		plain, probed := harness.Median(all.plain[kind.name]), harness.Median(all.probed[kind.name])
		t.Row(kind.name, ns(plain), ns(probed), ns(probed-plain), ratio((probed-plain)/clock))
		t.AtMost(kind.name+" call, of nanotime", "%.2f", (probed-plain)/clock, kind.bar)
	}
	hot := s.counting.hot()
	t.Must("what turned out to be hot", strings.Join(hot, " "), "Frequent", len(hot) == 1 && hot[0] == "Frequent")
	return t, nil
}

func ns(v float64) string { return fmt.Sprintf("%.2f", v) }
