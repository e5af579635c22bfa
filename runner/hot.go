package runner

import (
	"cmp"
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/note"
)

const (
	// probeBudget is the part of a program's CPU time that the probes of timed calls may take.
	probeBudget = 0.03
	// worthTiming is the ratio of a call's time to that of its probes from which on it stays
	// timed.
	worthTiming = 20
)

// learn decides which functions are hot: their calls are only counted from now on. These are the
// functions that the program found itself, and those with the most time in probes, until the
// others are within the budget.
func (m *measurement) learn(log *probe.Log, programNS float64) {
	for i, hot := range log.Hot {
		m.setUp.Hot[i] |= hot
		if hot&probe.HotBlocks != 0 {
			m.note(note.BlocksTooShort(m.build.Components[i].ID))
		}
	}
	cost := log.InnerNS + log.OuterNS
	calls := timedCalls(log, cost)
	var load float64
	for _, c := range calls {
		load += c.load
	}
	for _, c := range calls {
		if load <= probeBudget*programNS {
			break
		}
		load -= c.load
		if ofBlocks := m.setUp.LastBlock > 0 && c.component == m.setUp.Owner; c.cheap && !ofBlocks {
			m.setUp.Hot[c.component] |= c.entries
		}
	}
}

// timed is the time of the probes of one component.
type timed struct {
	component int
	entries   probe.Hot
	load      float64 // ns
	cheap     bool    // a call takes little longer than its probes
}

// timedCalls lists the timed components of a log by decreasing load.
func timedCalls(log *probe.Log, cost float64) []timed {
	sums := make(map[int]probe.Count)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			sums[row] = sums[row].Plus(c)
		}
	}
	var list []timed
	for _, row := range sortedKeys(sums) {
		c := sums[row]
		if row == 0 || row > len(log.Hot) {
			continue
		}
		entries := float64(c.Timed + c.Literals)
		add := func(n uint64, what probe.Hot) {
			list = append(list, timed{row - 1, what, float64(n) * cost, float64(c.SelfNS) < (1+worthTiming)*cost*entries})
		}
		add(c.Timed, probe.HotCalls)
		add(c.Literals, probe.HotLiterals)
	}
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(b.load, a.load) })
	return list
}
