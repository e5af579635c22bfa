package main

import (
	"fmt"
	"time"

	"spell-lsp/internal/bench/harness"
)

func p99(values []time.Duration) time.Duration { return harness.Quantile(values, 0.99) }

// inMS converts to milliseconds; ms formats them.
func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func ms(d time.Duration) string    { return fmt.Sprintf("%.2f", inMS(d)) }

// spread returns the columns of a row of times: their number, and their median, 99th
// percentile and maximum in milliseconds.
func spread(values []time.Duration) []string {
	return []string{fmt.Sprint(len(values)), ms(harness.Median(values)), ms(p99(values)), ms(harness.Quantile(values, 1))}
}
