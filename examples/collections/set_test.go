package collections

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// All implementations do the same: each agrees with a map after every step of a long random history.
func TestImplementationsAgree(t *testing.T) {
	for _, impl := range Implementations() {
		t.Run(impl.Name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			set, want := impl.New(), map[int]bool{}
			for step := range 5000 {
				v := random.IntN(60)
				switch random.IntN(3) {
				case 0:
					if got := set.Insert(v); got == want[v] {
						t.Fatalf("step %d: Insert(%d) is %v", step, v, got)
					}
					want[v] = true
				case 1:
					if got := set.Remove(v); got != want[v] {
						t.Fatalf("step %d: Remove(%d) is %v", step, v, got)
					}
					delete(want, v)
				default:
					if got := set.Contains(v); got != want[v] {
						t.Fatalf("step %d: Contains(%d) is %v", step, v, got)
					}
				}
				if step%100 == 0 {
					same(t, set, want)
				}
			}
			same(t, set, want)
		})
	}
}

func same(t *testing.T, set Set, want map[int]bool) {
	t.Helper()
	got, values := slices.Sorted(set.All()), make([]int, 0, len(want))
	for v := range want {
		values = append(values, v)
	}
	slices.Sort(values)
	if !slices.Equal(got, values) {
		t.Fatalf("the values are %v, want %v", got, values)
	}
}

// A loop may end early.
func TestLoopEnds(t *testing.T) {
	for _, impl := range Implementations() {
		set, seen := filled(impl.New, shuffled(20)), 0
		for range set.All() {
			if seen++; seen == 3 {
				break
			}
		}
		if seen != 3 {
			t.Errorf("%s: the loop ran %d times, want 3", impl.Name, seen)
		}
	}
}

// shuffled are the even numbers from 0 to 2n in an order that depends on n alone.
func shuffled(n int) []int {
	values := rand.New(rand.NewPCG(5, uint64(n))).Perm(n)
	for i := range values {
		values[i] *= 2
	}
	return values
}

func filled(empty func() Set, values []int) Set {
	set := empty()
	for _, v := range values {
		set.Insert(v)
	}
	return set
}

// each runs a benchmark for all implementations and sizes.
func each(b *testing.B, run func(b *testing.B, empty func() Set, values []int)) {
	for _, n := range []int{10, 100, 1000} {
		for _, impl := range Implementations() {
			b.Run(fmt.Sprintf("impl=%s/n=%d", impl.Name, n), func(b *testing.B) { run(b, impl.New, shuffled(n)) })
		}
	}
}

// An operation fills an empty set with n values.
func BenchmarkInsert(b *testing.B) {
	each(b, func(b *testing.B, empty func() Set, values []int) {
		for b.Loop() {
			filled(empty, values)
		}
	})
}

// An operation looks for n values that the set has, and n that it does not have.
func BenchmarkLookup(b *testing.B) {
	each(b, func(b *testing.B, empty func() Set, values []int) {
		set := filled(empty, values)
		for b.Loop() {
			for _, v := range values {
				if !set.Contains(v) || set.Contains(v+1) {
					b.Fatal("the set is wrong")
				}
			}
		}
	})
}

// An operation visits all n values.
func BenchmarkIterate(b *testing.B) {
	each(b, func(b *testing.B, empty func() Set, values []int) {
		set := filled(empty, values)
		for b.Loop() {
			sum := 0
			for v := range set.All() {
				sum += v
			}
			if n := len(values); sum != n*(n-1) {
				b.Fatal("the set is wrong")
			}
		}
	})
}

// An operation removes each of n values, and puts it back.
func BenchmarkRemove(b *testing.B) {
	each(b, func(b *testing.B, empty func() Set, values []int) {
		set := filled(empty, values)
		for b.Loop() {
			for _, v := range values {
				if !set.Remove(v) || !set.Insert(v) {
					b.Fatal("the set is wrong")
				}
			}
		}
	})
}
