package bisect

import (
	"slices"
	"testing"

	"spell-lsp/spell/record"
)

// Turns of two commits are those in either order, until there are turns of two others.
func TestTurns(t *testing.T) {
	run := func(id string) *record.Run { return &record.Run{ID: id} }
	var have turns
	have.add([]string{"good", "a", "bad"}, []*record.Run{run("g"), run("a"), run("b")})
	have.add([]string{"good", "bad"}, []*record.Run{run("g1"), run("b1")})
	have.add([]string{"bad", "a"}, []*record.Run{run("b2"), run("a2")})
	have.add([]string{"a", "bad"}, []*record.Run{run("a3"), run("b3")})
	ids := func(list []turn) (ids []string) {
		for _, t := range list {
			ids = append(ids, t[0].ID, t[1].ID)
		}
		return ids
	}
	for _, c := range []struct {
		first, second string
		want          []string
	}{
		{"a", "bad", []string{"a2", "b2", "a3", "b3"}},
		{"bad", "a", []string{"b2", "a2", "b3", "a3"}},
		{"good", "bad", nil},
	} {
		if got := ids(have.of(c.first, c.second)); !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: %v, want %v", c.first, c.second, got, c.want)
		}
	}
}

// The time in a line is that of all turns, also of those in which the function did not run.
func TestLinesOfAllTurns(t *testing.T) {
	run := func(lines ...record.Line) *record.Run {
		c := record.Component{ID: "f", Lines: lines}
		for _, l := range lines {
			c.TimeMS += l.TimeMS
		}
		return &record.Run{Components: []record.Component{c}}
	}
	list := []turn{
		{nil, run(record.Line{Line: 3, TimeMS: 7}, record.Line{Line: 4, TimeMS: 6})},
		{nil, &record.Run{}},
		{nil, run(record.Line{Line: 4, TimeMS: 6}, record.Line{Line: 5, TimeMS: 1})},
	}
	got := withLines(list, 1, "f")
	if want := []record.Line{{Line: 4, TimeMS: 12}, {Line: 3, TimeMS: 7}, {Line: 5, TimeMS: 1}}; !slices.EqualFunc(got.Lines, want, func(a, b record.Line) bool { return a.Line == b.Line && a.TimeMS == b.TimeMS }) || got.TimeMS != 20 {
		t.Errorf("%+v", got)
	}
	if got := withLines(list, 1, "g"); got != nil {
		t.Errorf("%+v", got)
	}
}
