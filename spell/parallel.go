package spell

import (
	"runtime"
	"sync"
)

// workersFor is how many goroutines go through cells where each has rows of sums
// of its own: there are enough cells for each that it is worth a goroutine, and
// that the sums take a small part of the memory that the cells take.
func workersFor(cells, rows int) int {
	const worthwhile = 1 << 15 // cells
	return max(1, min(runtime.GOMAXPROCS(0), cells/max(worthwhile, 16*rows)))
}

// inParts divides 0 to n-1 into parts and calls f for each, at the same time;
// a part is from to to-1. It returns when all have.
func inParts(n, parts int, f func(part, from, to int)) {
	var all sync.WaitGroup
	for part := 1; part < parts; part++ {
		all.Go(func() { f(part, n*part/parts, n*(part+1)/parts) })
	}
	if parts > 0 {
		f(0, 0, n/parts)
	}
	all.Wait()
}
