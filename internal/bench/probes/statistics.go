package main

import (
	"cmp"
	"math"
	"slices"
)

// median is that of the values; the lower one of two in the middle, so that it
// is a value that was seen. Without values it is zero.
func median[T cmp.Ordered](values []T) T {
	if len(values) == 0 {
		var zero T
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// geometricMean of positive values; without values it is NaN.
func geometricMean(values []float64) float64 {
	var logs float64
	for _, v := range values {
		logs += math.Log(v)
	}
	return math.Exp(logs / float64(len(values)))
}
