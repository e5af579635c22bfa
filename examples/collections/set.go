// Package collections has sets of numbers on top of different data structures, to compare what they cost.
package collections

import "iter"

// A Set is a set of numbers. Its values come in any order.
type Set interface {
	// Insert adds a value. It is false if the set had it.
	Insert(v int) bool
	// Remove takes a value out. It is false if the set did not have it.
	Remove(v int) bool
	Contains(v int) bool
	All() iter.Seq[int]
}

// An Implementation makes empty sets of one kind.
type Implementation struct {
	Name string
	New  func() Set
}

// Implementations are all kinds of sets.
func Implementations() []Implementation {
	return []Implementation{
		{"map", func() Set { return hashed{} }},
		{"sorted", func() Set { return new(sorted) }},
		{"slice", func() Set { return new(unsorted) }},
		{"list", func() Set { return new(linked) }},
		{"treap", func() Set { return newTreap() }},
		{"syncmap", func() Set { return new(synced) }},
		{"rwmutex", func() Set { return &locked{values: hashed{}} }},
	}
}
