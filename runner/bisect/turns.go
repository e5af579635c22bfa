package bisect

import (
	"cmp"
	"slices"

	"spell-lsp/spell/record"
)

// A turn is a run of each of two commits, one taken directly after the other.
type turn [2]*record.Run

// The turns of two commits are kept in memory as they are measured: from those of a commit and its
// parent the function is found.
type turns struct {
	first, second string
	list          []turn
}

// add keeps the runs of two commits. Those of any other two are forgotten.
func (t *turns) add(commits []string, runs []*record.Run) {
	if len(commits) != 2 {
		return
	}
	switch [2]string(commits) {
	case [2]string{t.first, t.second}:
	case [2]string{t.second, t.first}:
		runs = []*record.Run{runs[1], runs[0]}
	default:
		*t = turns{first: commits[0], second: commits[1]}
	}
	t.list = append(t.list, turn{runs[0], runs[1]})
}

// of are the turns of two commits, with the runs in that order.
func (t *turns) of(first, second string) (list []turn) {
	switch [2]string{first, second} {
	case [2]string{t.first, t.second}:
		list = t.list
	case [2]string{t.second, t.first}:
		for _, pair := range t.list {
			list = append(list, turn{pair[1], pair[0]})
		}
	}
	return list
}

// withLines is a component with its time and lines of all turns together; nil if it ran in none.
func withLines(list []turn, of int, id string) *record.Component {
	var all *record.Component
	times := make(map[int]int) // where a line is in all.Lines
	for _, t := range list {
		c := componentOf(t[of], id)
		if c == nil {
			continue
		}
		if all == nil {
			first := *c
			all = &first
			all.TimeMS, all.Lines = 0, nil
		}
		all.TimeMS += c.TimeMS
		for _, l := range c.Lines {
			i, known := times[l.Line]
			if !known {
				times[l.Line] = len(all.Lines)
				all.Lines = append(all.Lines, l)
				continue
			}
			all.Lines[i].TimeMS += l.TimeMS
		}
	}
	if all != nil {
		slices.SortStableFunc(all.Lines, func(a, b record.Line) int { return cmp.Compare(b.TimeMS, a.TimeMS) })
	}
	return all
}
