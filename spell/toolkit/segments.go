package toolkit

import "slices"

// segments is a list in pieces, so that growing does not copy the items.
type segments[T any] struct {
	full  [][]T
	open  []T
	count int
}

// mostReserved limits the items for which room is made on an estimate.
const mostReserved = 1 << 27

// reserve makes room for n items, if there are none yet. The operating system does not
// back unused memory.
func (s *segments[T]) reserve(n float64) {
	if s.count == 0 && n >= 1 {
		s.open = make([]T, 0, int(min(n, mostReserved)))
	}
}

// add copies items to the end.
func (s *segments[T]) add(items []T) {
	fit := min(len(items), cap(s.open)-len(s.open))
	s.open = append(s.open, items[:fit]...)
	if rest := items[fit:]; len(rest) > 0 {
		if len(s.open) > 0 {
			s.full = append(s.full, s.open)
		}
		s.open = append(make([]T, 0, max(len(rest), s.count/4)), rest...)
	}
	s.count += len(items)
}

// whole returns all items in one piece, nil if there are none. Nothing can be
// added after it.
func (s *segments[T]) whole() []T {
	if len(s.full) == 0 && len(s.open) > cap(s.open)/2 {
		return s.open
	}
	if s.count == 0 {
		return nil
	}
	return slices.Concat(append(s.full, s.open)...)
}
