package probe

import (
	"cmp"
	"maps"
	"slices"
)

const (
	// probeBudget is the part of a program's CPU time that the probes of timed calls may take.
	probeBudget = 0.03
	// worthTiming is the ratio of a call's time to that of its probes from which on it stays
	// timed.
	worthTiming = 20
)

// Frequent says by component which entries are better only counted when the program runs next: what
// the program found itself, and short calls with the most time in probes, until all others are within
// a budget. programNS is the CPU time of the program. Calls of the function with blocks stay timed;
// its component is owner, -1 if there is none.
func (l *Log) Frequent(programNS float64, owner int) []Hot {
	hot := slices.Clone(l.Hot)
	calls := l.timedCalls()
	var load float64
	for _, c := range calls {
		load += c.load
	}
	for _, c := range calls {
		if load <= probeBudget*programNS {
			break
		}
		load -= c.load
		if c.short && c.component != owner {
			hot[c.component] |= c.entries
		}
	}
	return hot
}

// timed is the time of the probes of one component.
type timed struct {
	component int
	entries   Hot
	load      float64 // ns
	short     bool    // a call takes less than worthTiming times as long as its probes
}

// sums are the counts of all windows, by row.
func (l *Log) sums() map[int]Count {
	sums := make(map[int]Count)
	for _, w := range l.Windows {
		for row, c := range w.Counts {
			sums[row] = sums[row].Plus(c)
		}
	}
	return sums
}

// timedCalls lists the timed components by decreasing load.
func (l *Log) timedCalls() []timed {
	sums := l.sums()
	cost := l.InnerNS + l.OuterNS
	var list []timed
	for _, row := range slices.Sorted(maps.Keys(sums)) {
		c := sums[row]
		if row == 0 || row > len(l.Hot) {
			continue
		}
		short := float64(c.SelfNS) < (1+worthTiming)*cost*float64(c.Timed+c.Literals)
		list = append(list,
			timed{row - 1, HotCalls, float64(c.Timed) * cost, short},
			timed{row - 1, HotLiterals, float64(c.Literals) * cost, short})
	}
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(b.load, a.load) })
	return list
}
