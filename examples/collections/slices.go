package collections

import (
	"iter"
	"slices"
)

// sorted is a set in an ascending slice, which is searched by halving.
type sorted struct{ values []int }

func (s *sorted) Insert(v int) bool {
	at, found := slices.BinarySearch(s.values, v)
	if !found {
		s.values = slices.Insert(s.values, at, v)
	}
	return !found
}

func (s *sorted) Remove(v int) bool {
	at, found := slices.BinarySearch(s.values, v)
	if found {
		s.values = slices.Delete(s.values, at, at+1)
	}
	return found
}

func (s *sorted) Contains(v int) bool {
	_, found := slices.BinarySearch(s.values, v)
	return found
}

func (s *sorted) All() iter.Seq[int] { return slices.Values(s.values) }

// unsorted is a set in a slice in any order.
type unsorted struct{ values []int }

func (s *unsorted) Insert(v int) bool {
	if slices.Contains(s.values, v) {
		return false
	}
	s.values = append(s.values, v)
	return true
}

// Remove puts the last value in the place of the one that goes.
func (s *unsorted) Remove(v int) bool {
	at := slices.Index(s.values, v)
	if at < 0 {
		return false
	}
	last := len(s.values) - 1
	s.values[at] = s.values[last]
	s.values = s.values[:last]
	return true
}

func (s *unsorted) Contains(v int) bool { return slices.Contains(s.values, v) }

func (s *unsorted) All() iter.Seq[int] { return slices.Values(s.values) }
