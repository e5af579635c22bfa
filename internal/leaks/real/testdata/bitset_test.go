//go:build go1.23

package bitset_test

import (
	"testing"

	"github.com/bits-and-blooms/bitset"
)

func set(step uint) *bitset.BitSet {
	s := bitset.New(1 << 18)
	for i := uint(0); i < 1<<18; i += step {
		s.Set(i)
	}
	return s
}

func TestWorkloadSubsets(t *testing.T) {
	twos, fours := set(2), set(4)
	for range 400 {
		if !twos.IsSuperSet(fours) || fours.IsSuperSet(twos) {
			t.Fatal("wrong subset")
		}
	}
}

func TestWorkloadSets(t *testing.T) {
	for range 80 {
		a, b := set(3), set(5)
		for range 40 {
			if a.Intersection(b).Count() == 0 || a.Union(b).None() || a.DifferenceCardinality(b) == 0 {
				t.Fatal("empty")
			}
		}
		for i, ok := a.NextSet(0); ok; i, ok = a.NextSet(i + 1) {
			a.Clear(i)
		}
	}
}
