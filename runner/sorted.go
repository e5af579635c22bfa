package runner

import (
	"cmp"
	"maps"
	"slices"
)

// sortedKeys lists the keys of a map in order: floating-point sums and output depend on it.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
