package growth

import (
	"iter"
	"slices"
)

// Counts are how often a list has each value (Guava's HashMultiset).
func Counts(values []int) map[int]int {
	counts := make(map[int]int)
	for _, v := range values {
		counts[v]++
	}
	return counts
}

// Sorted is a sorted copy (Guava's Ordering.sortedCopy).
func Sorted(values []int) []int {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted
}

// Subsets are all subsets (Guava's Sets.powerSet). The slice is the same each time.
func Subsets(values []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		subset := make([]int, 0, len(values))
		for set := range 1 << len(values) {
			subset = subset[:0]
			for i, v := range values {
				if set>>i&1 == 1 {
					subset = append(subset, v)
				}
			}
			if !yield(subset) {
				return
			}
		}
	}
}

// LargestSum is the largest sum of a subset that is not above a limit.
func LargestSum(values []int, limit int) (largest int) {
	for subset := range Subsets(values) {
		sum := 0
		for _, v := range subset {
			sum += v
		}
		if sum <= limit {
			largest = max(largest, sum)
		}
	}
	return largest
}
