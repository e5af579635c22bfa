package collections

import (
	"container/list"
	"iter"
)

// linked is a set in a doubly linked list of the standard library.
type linked struct{ values list.List }

func (s *linked) find(v int) *list.Element {
	for e := s.values.Front(); e != nil; e = e.Next() {
		if e.Value == v {
			return e
		}
	}
	return nil
}

func (s *linked) Insert(v int) bool {
	if s.find(v) != nil {
		return false
	}
	s.values.PushBack(v)
	return true
}

func (s *linked) Remove(v int) bool {
	e := s.find(v)
	if e == nil {
		return false
	}
	s.values.Remove(e)
	return true
}

func (s *linked) Contains(v int) bool { return s.find(v) != nil }

func (s *linked) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for e := s.values.Front(); e != nil && yield(e.Value.(int)); e = e.Next() {
		}
	}
}
