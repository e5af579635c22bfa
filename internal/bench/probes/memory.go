package main

import (
	"context"
	"fmt"

	"spell-lsp/internal/bench/harness"
)

const memoryBar = 64.0 // MiB

// memory measures the memory that probes add to goroutines, and checks that a deep
// recursion still ends.
func (b *bench) memory(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title:  "Memory",
		About:  fmt.Sprintf("Resident memory with 100,000 goroutines that wait inside an instrumented function, and a recursion of 1,000,000 frames: medians of %d runs each.", b.rounds),
		Header: []string{"what", "plain", "instrumented", "difference"},
	}
	all, _, err := b.alternate(ctx, "memory")
	if err != nil {
		return nil, err
	}
	plain, probed := harness.Median(all.plain["resident"])/1024, harness.Median(all.probed["resident"])/1024
	if plain == 0 || probed == 0 {
		return nil, fmt.Errorf("the program did not say how much memory it has")
	}
	t.Row("resident, MiB", fmt.Sprintf("%.1f", plain), fmt.Sprintf("%.1f", probed), fmt.Sprintf("%+.1f", probed-plain))
	sum, sumProbed := harness.Median(all.plain["sum"]), harness.Median(all.probed["sum"])
	t.Row("sum of the recursion", fmt.Sprintf("%.0f", sum), fmt.Sprintf("%.0f", sumProbed), fmt.Sprintf("%+.0f", sumProbed-sum))
	t.AtMost("added, MiB", "%.1f", probed-plain, memoryBar)
	t.Must("recursion", fmt.Sprintf("%.0f", sumProbed), fmt.Sprintf("%.0f", sum), sum != 0 && sum == sumProbed)
	return t, nil
}
