package probe

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A part of the file has the calls of the components of Setup.Sized by their sizes: a table of slots
// like that of calls.go, then four words for each slot. A key has below a test the number of the
// component in Setup.Sized, from 1, which of its sizes it is, and a bucket, in 16, 1 and 15 bits. The second word of a
// slot is how many calls there were; the four are their time with callees and their own, ticks, the
// sum of the sizes, and one that is not used.
const (
	sizeSlots = 1 << 14
	sizeWords = 4
	sizesSize = sizeSlots * (callWords + sizeWords) * wordSize

	sizedWord = 7 // of what samples say of a row: the number of the component
	exact     = 64

	bucketBits = 1<<15 - 1
	mostBucket = exact + 8*(32-6) - 1 // sizes have 32 bits
)

// MostSized is how many components may note sizes.
const MostSized = 64

// A Sized is calls of a component that had about the same size. Of calls within each other only the
// outermost counts.
type Sized struct {
	Row           int
	Size          int    // 0 or 1: which of its sizes
	Low, High     uint64 // sizes from Low to High
	Mean          float64
	N             uint64
	CumNS, SelfNS uint64 // running time with callees, and of its own code
}

// A sizeTable is that part of the file, read.
type sizeTable struct {
	slots, sums []uint64
	sized       []int
	scale       float64
}

func (t *table) sizeTable(sized []int) (*sizeTable, error) {
	s := &sizeTable{sized: sized, scale: t.scale()}
	if len(sized) == 0 {
		return s, nil
	}
	words, err := t.words(t.sizes(), sizeSlots*(callWords+sizeWords))
	if err != nil {
		return nil, err
	}
	s.slots, s.sums = words[:sizeSlots*callWords], words[sizeSlots*callWords:]
	return s, nil
}

// since is the table with what was booked after another moment.
func (s *sizeTable) since(from *sizeTable) *sizeTable {
	if len(s.slots) == 0 {
		return s
	}
	later := *s
	later.slots, later.sums = slotsSince(from.slots, s.slots), slices.Clone(s.sums)
	for i := range later.sums {
		later.sums[i] -= min(later.sums[i], from.sums[i])
	}
	return &later
}

// of lists what was booked in each test, whose names are given in the order in which they first
// began, by row, size and bucket. What a program has destroyed is left out.
func (s *sizeTable) of(tests []string) (map[string][]Sized, error) {
	var all map[string][]Sized
	for slot := range len(s.slots) / callWords {
		key, n := s.slots[slot*callWords], s.slots[slot*callWords+1]
		test, number := uint32(key>>32)&^isRoot, int(uint32(key)>>16)
		if n == 0 || uint32(key>>32)&isRoot == 0 || test == 0 || int(test) > len(tests) || number == 0 || number > len(s.sized) || uint32(key)&bucketBits > mostBucket {
			continue
		}
		c := Sized{Row: s.sized[number-1] + 1, Size: int(key >> 15 & 1), N: n}
		c.Low, c.High = bucket(uint32(key) & bucketBits)
		sums := s.sums[slot*sizeWords:]
		cum, self := float64(sums[0])*s.scale, float64(sums[1])*s.scale
		if max(float64(n), cum, self) > mostCounted {
			return nil, fmt.Errorf("row %d ran for %g ns in %d calls of one size", c.Row, max(cum, self), n)
		}
		c.CumNS, c.SelfNS = uint64(math.Round(cum)), uint64(math.Round(min(self, cum)))
		c.Mean = min(float64(c.High), max(float64(c.Low), float64(sums[2])/float64(n)))
		all = withTest(all, tests[test-1], append(all[tests[test-1]], c))
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b Sized) int {
			return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Low, b.Low))
		})
	}
	return all, nil
}

// bucket is the sizes in a bucket: one up to 63, then an eighth of an octave.
func bucket(number uint32) (low, high uint64) {
	if number < exact {
		return uint64(number), uint64(number)
	}
	octave := (number-exact)/8 + 3 // of which an eighth has so many bits
	low = uint64(8+number%8) << octave
	return low, low + 1<<octave - 1
}

const (
	// minSizedPart is the part of a program's CPU time that a component has that notes sizes.
	minSizedPart = 0.01
	// worthSizing is the ratio of a call's time, with callees, to that of its probes from which on it
	// may note its sizes, which takes about as long as they.
	worthSizing = 50
)

// WorthSizing lists the components whose calls may note their sizes when the program runs next, the
// most time first: calls that take long, and together a part of programNS, the CPU time of the program.
func (l *Log) WorthSizing(programNS float64, sizes [][]string) []int {
	sums := l.sums()
	var list []int
	for _, row := range slices.Sorted(maps.Keys(sums)) {
		component := row - 1
		if component < 0 || component >= min(len(sizes), len(l.Hot)) || len(sizes[component]) == 0 || l.Hot[component]&HotCalls != 0 {
			continue
		}
		c := sums[row]
		if ns := float64(c.CumNS); c.Timed > 0 && ns >= minSizedPart*programNS && ns >= worthSizing*(l.InnerNS+l.OuterNS)*float64(c.Timed) {
			list = append(list, component)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(sums[b+1].CumNS, sums[a+1].CumNS) })
	return list
}
