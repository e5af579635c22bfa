package harness

import (
	"cmp"
	"math"
	"slices"
)

// Median is the middle value, or the mean of the two middle ones; 0 without values.
func Median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}

// Quantile is the smallest of the values that is not exceeded by at least a fraction q
// of them, and hence one of the values itself; without values it is zero.
func Quantile[T cmp.Ordered](values []T, q float64) T {
	if len(values) == 0 {
		var zero T
		return zero
	}
	rank := int(math.Ceil(q * float64(len(values))))
	return slices.Sorted(slices.Values(values))[max(rank-1, 0)]
}
