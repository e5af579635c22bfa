package collections

import (
	"iter"
	"sync"
)

// synced is a set that several goroutines may use, on top of sync.Map.
type synced struct{ values sync.Map }

func (s *synced) Insert(v int) bool {
	_, had := s.values.LoadOrStore(v, struct{}{})
	return !had
}

func (s *synced) Remove(v int) bool {
	_, had := s.values.LoadAndDelete(v)
	return had
}

func (s *synced) Contains(v int) bool {
	_, ok := s.values.Load(v)
	return ok
}

func (s *synced) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		s.values.Range(func(v, _ any) bool { return yield(v.(int)) })
	}
}

// locked is a set that several goroutines may use, on top of a map with a lock.
type locked struct {
	mu     sync.RWMutex
	values hashed
}

func (s *locked) Insert(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values.Insert(v)
}

func (s *locked) Remove(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values.Remove(v)
}

func (s *locked) Contains(v int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.values.Contains(v)
}

// All holds the lock: the loop must not change the set.
func (s *locked) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		for v := range s.values {
			if !yield(v) {
				return
			}
		}
	}
}
