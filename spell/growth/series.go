package growth

import (
	"slices"
	"strconv"
	"strings"
)

// Series are sub-benchmarks that differ in one or two sizes alone.
type Series struct {
	Name    string // of the benchmark with * for each size, such as "BenchmarkSort/random/n=*"
	Keys    []string
	Members []Member
}

// Member is a sub-benchmark of a series: its place among the names, and its sizes
// in the order of the keys.
type Member struct {
	Index int
	Sizes []float64
}

// LeastValues is how many values a part of the names must have to be a size.
const LeastValues = 3

// FindSeries groups names of benchmarks, with or without import paths, in the order of the first name of
// each. A size is a part key=value, or a value alone, that is a positive integer in
// all names of the benchmark that have such a part, with at least
// LeastValues values; the first two are sizes, others tell series apart. Names
// without sizes are in no series.
func FindSeries(names []string) []Series {
	var all []Series
	for _, group := range groupBy(names, slots(names)) {
		chosen := map[slot]bool{}
		for _, s := range group.slots {
			if len(group.values[s]) >= LeastValues && len(chosen) < 2 {
				chosen[s] = true
			}
		}
		if len(chosen) == 0 {
			continue
		}
		all = append(all, divide(names, group.members, chosen)...)
	}
	return slices.DeleteFunc(all, func(s Series) bool { return len(s.Members) < LeastValues })
}

// split is the benchmark, with the import path that may stand before it, and the
// parts of its name.
func split(name string) []string {
	function := max(0, strings.Index(name, ".Benchmark"))
	parts := strings.Split(name[function:], "/")
	parts[0] = name[:function] + parts[0]
	return parts
}

// slot is the place of a value in the names of one benchmark.
type slot struct {
	benchmark, key string
	place          int
}

// slotAt is the part of a name at a place as a slot with its value, which is 0
// where it is no positive integer.
func slotAt(parts []string, place int) (slot, uint64) {
	key, value, keyed := strings.Cut(parts[place], "=")
	if !keyed {
		key, value = "", parts[place]
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil || value[0] == '+' {
		n = 0
	}
	return slot{parts[0], key, place}, n
}

// slots are those with integers in all names. Numbers without a key may stand
// beside words, which are parts of names.
func slots(names []string) map[slot]bool {
	integer := map[slot]bool{}
	for _, name := range names {
		parts := split(name)
		for place := 1; place < len(parts); place++ {
			s, n := slotAt(parts, place)
			if s.key == "" && n == 0 {
				continue
			}
			before, seen := integer[s]
			integer[s] = n > 0 && (before || !seen)
		}
	}
	return integer
}

type group struct {
	slots   []slot
	values  map[slot]map[uint64]bool
	members []int
}

// groupBy joins names that are equal but for integers.
func groupBy(names []string, integer map[slot]bool) []*group {
	var all []*group
	byName := map[string]*group{}
	for i, name := range names {
		parts := split(name)
		g := &group{values: map[slot]map[uint64]bool{}}
		common := starred(parts, integer)
		if known := byName[common]; known != nil {
			g = known
		} else {
			byName[common], all = g, append(all, g)
		}
		g.members = append(g.members, i)
		for place := 1; place < len(parts); place++ {
			s, n := slotAt(parts, place)
			if n == 0 || !integer[s] {
				continue
			}
			if g.values[s] == nil {
				g.slots, g.values[s] = append(g.slots, s), map[uint64]bool{}
			}
			g.values[s][n] = true
		}
	}
	return all
}

// starred is the name with * in place of the integers of some slots.
func starred(parts []string, in map[slot]bool) string {
	parts = slices.Clone(parts)
	for place := 1; place < len(parts); place++ {
		if s, n := slotAt(parts, place); n > 0 && in[s] {
			parts[place] = "*"
			if s.key != "" {
				parts[place] = s.key + "=*"
			}
		}
	}
	return strings.Join(parts, "/")
}

// divide makes a series of all members that are equal but for the sizes.
func divide(names []string, members []int, sizes map[slot]bool) []Series {
	var all []Series
	for _, i := range members {
		parts := split(names[i])
		m, keys := Member{Index: i}, []string(nil)
		for place := 1; place < len(parts); place++ {
			if s, n := slotAt(parts, place); n > 0 && sizes[s] {
				m.Sizes, keys = append(m.Sizes, float64(n)), append(keys, s.key)
			}
		}
		name := starred(parts, sizes)
		at := slices.IndexFunc(all, func(s Series) bool { return s.Name == name })
		if at < 0 {
			at, all = len(all), append(all, Series{Name: name, Keys: keys})
		}
		all[at].Members = append(all[at].Members, m)
	}
	return all
}
