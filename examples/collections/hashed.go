package collections

import (
	"iter"
	"maps"
)

// hashed is a set on top of Go's map.
type hashed map[int]struct{}

func (s hashed) Insert(v int) bool {
	before := len(s)
	s[v] = struct{}{}
	return len(s) > before
}

func (s hashed) Remove(v int) bool {
	before := len(s)
	delete(s, v)
	return len(s) < before
}

func (s hashed) Contains(v int) bool {
	_, ok := s[v]
	return ok
}

func (s hashed) All() iter.Seq[int] { return maps.Keys(s) }
