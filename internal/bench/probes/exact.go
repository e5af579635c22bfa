package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spell-lsp/internal/bench/harness"
)

// exact compares the calls that the probes counted with those that the program
// counted itself.
func (b *bench) exact(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Exactness of N",
		About:  "A program that counts its own calls, with 8 goroutines, while processors come and go and garbage is collected; N as spell-lsp measure has it.",
		Header: []string{"function", "calls", "N", "difference"},
	}
	run, truths, err := b.measure(ctx, "exact")
	if err != nil {
		return nil, err
	}
	var all, wrong float64
	for _, name := range slices.Sorted(maps.Keys(truths)) {
		c, _ := component(run, name)
		t.Row(name, fmt.Sprintf("%.0f", truths[name]), fmt.Sprintf("%.0f", c.N), fmt.Sprintf("%+.0f", c.N-truths[name]))
		all += truths[name]
		if c.N != truths[name] {
			wrong++
		}
	}
	t.Must("calls in all", fmt.Sprintf("%.0f", all), "100000000", all == 100_000_000)
	t.AtMost("functions whose N is not exact", "%.0f", wrong, 0)
	return t, nil
}
