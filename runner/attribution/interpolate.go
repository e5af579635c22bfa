package attribution

import "sort"

// place finds the last of some instants that is not after t, and the part of the way to the next
// one that t has come. i is -1 if there are no instants.
func place(times []int64, t int64) (i int, part float64) {
	n := len(times)
	i = sort.Search(n, func(i int) bool { return times[i] > t }) - 1
	switch {
	case n == 0:
		return -1, 0
	case i < 0:
		return 0, 0
	case i == n-1:
		return i, 0
	}
	return i, float64(t-times[i]) / float64(times[i+1]-times[i])
}

func between(a, b, part float64) float64 { return a + part*(b-a) }

func last[T int64 | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	return values[len(values)-1]
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}
