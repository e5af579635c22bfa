package main

import (
	"slices"
	"strings"

	"spell-lsp/internal/leaks/contest"
	"spell-lsp/spell/record"
)

// lineRank is the place of a seeded leak among the lines of its function, the costliest first: of the
// first line that differs from the program without the leak. It is 0 if no line of the leak is there.
// The texts are those of the leak's file with and without it.
func lineRank(l *Leak, e *contest.Evidence, leaky, clean string) int {
	with, without := component(e.Leaky, l), component(e.Clean, l)
	if with == nil || without == nil {
		return 0
	}
	first, last := changed(linesOf(leaky, with), linesOf(clean, without))
	return 1 + slices.IndexFunc(with.Lines, func(line record.Line) bool {
		return line.Line >= with.Line+first && line.Line <= with.Line+last
	})
}

func component(r *record.Run, l *Leak) *record.Component {
	i := slices.IndexFunc(r.Components, func(c record.Component) bool { return slices.Contains(l.Functions, c.ID) })
	if i < 0 {
		return nil
	}
	return &r.Components[i]
}

// linesOf are the lines of a component in the text of its file.
func linesOf(text string, c *record.Component) []string {
	lines := strings.Split(text, "\n")
	end := min(len(lines), c.EndLine)
	return lines[min(end, max(0, c.Line-1)):end]
}

// changed are the first and last of the lines between those that both texts begin and end with.
func changed(lines, before []string) (first, last int) {
	for first < min(len(lines), len(before)) && lines[first] == before[first] {
		first++
	}
	same := 0
	for same < min(len(lines), len(before))-first && lines[len(lines)-1-same] == before[len(before)-1-same] {
		same++
	}
	return first, len(lines) - 1 - same
}
