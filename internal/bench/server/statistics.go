package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// quantile is the smallest of the values that at least a part q of them do not
// exceed, so that it is a value that was seen; without values it is zero.
func quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(len(values))))
	return slices.Sorted(slices.Values(values))[max(rank-1, 0)]
}

func median(values []time.Duration) time.Duration { return quantile(values, 0.5) }
func p99(values []time.Duration) time.Duration    { return quantile(values, 0.99) }

// inMS are milliseconds; ms writes them.
func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func ms(d time.Duration) string    { return fmt.Sprintf("%.2f", inMS(d)) }

// spread are the columns of a row of times: how many, median, 99th percentile
// and the longest, in milliseconds.
func spread(values []time.Duration) []string {
	return []string{fmt.Sprint(len(values)), ms(median(values)), ms(p99(values)), ms(quantile(values, 1))}
}
