// Package view says what a file shows: which measured components stand where in its text,
// whether they are stale, and which other files that depends on. A view is made from one
// snapshot and never changes; a Memo keeps it while later snapshots give the same one.
//
// Nothing here knows a client, a log or a task, and no goroutine outlives a call.
package view

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell"
)

// A View is what a file shows in one snapshot.
type View struct {
	Document  *snapshot.Document // nil if it is not open
	Source    *outline.Source
	Marks     []Mark // in the order of the text
	CrossFile bool   // it depends on what other files declare: a change of one may give it a mark or take one

	once  sync.Once
	shown []*Mark // see Visible
}

// newView matches results with the text of a file as it stands, the newest result first.
// It returns nil if there is no such file.
func newView(n *snapshot.Snapshot, path string, rs *results.Layers, around *surroundings) *View {
	v := &View{Document: n.Documents[path], Source: n.Source(path)}
	if v.Source == nil {
		return nil
	}
	for _, r := range rs.List {
		if rs.Hides(r, path) {
			continue
		}
		if strings.HasSuffix(path, ".go") && mayHave(r, path) {
			marks, crossFile := match(r, path, v.Source.Outline(), n.Source, around)
			v.CrossFile = v.CrossFile || crossFile
			v.add(marks)
		}
		v.add(matchLines(r, path, v.Source))
	}
	return v
}

// mayHave reports whether components of a result may stand in a Go file: it has some in
// the file's folder, or functions in the measured folder, which may have moved.
func mayHave(r *results.Result, path string) bool {
	return len(r.FilesIn(filepath.Dir(path))) > 0 || location.Within(path, r.Dir) && r.KnowsBodies()
}

// add adds the marks of an older result. They are covered where a newer mark stands
// already. Functions of a run that has blocks are covered too: the functions' own figures
// lack what the blocks used, so they would look harmless.
func (v *View) add(marks []Mark) {
	taken := map[int]bool{}
	for _, m := range v.Marks {
		taken[m.From] = taken[m.From] || !m.covered
	}
	for _, m := range marks {
		m.covered = taken[m.From] || m.Kind == spell.KindFunction && m.Result.HasBlocks()
		v.Marks = append(v.Marks, m)
	}
	slices.SortStableFunc(v.Marks, func(a, b Mark) int { return cmp.Compare(a.From, b.From) })
}

// Visible lists the marks that are shown, in the order of the text: those that nothing
// newer covers and that the settings do not exclude.
func (v *View) Visible() []*Mark {
	v.once.Do(func() {
		for i := range v.Marks {
			if m := &v.Marks[i]; !m.covered && !m.hidden() {
				v.shown = append(v.shown, m)
			}
		}
	})
	return v.shown
}

// NamedAt finds the mark whose name is at a byte offset, the one with the shortest name
// if there are several, nil if there is none.
func (v *View) NamedAt(at int) *Mark {
	var found *Mark
	for _, m := range v.Visible() {
		if m.From <= at && at <= m.To && (found == nil || m.To-m.From < found.To-found.From) {
			found = m
		}
	}
	return found
}

// MarkAt finds the mark whose declaration a range of bytes begins in, the innermost one,
// or else the first that the range touches; nil if it touches none. Blocks do not count:
// what can be done in a block can be done with its function.
func (v *View) MarkAt(from, to int) *Mark {
	var inner, touched *Mark
	for _, m := range v.Visible() {
		if m.Component().Kind == spell.KindBlock {
			continue
		}
		if m.Start <= from && from <= m.End && (inner == nil || m.End-m.Start < inner.End-inner.Start) {
			inner = m
		}
		if touched == nil && m.Start <= to && from <= m.End {
			touched = m
		}
	}
	if inner != nil {
		return inner
	}
	return touched
}

// TestAt finds the test or benchmark that a range of bytes touches, nil if there is none.
func (v *View) TestAt(path string, from, to int) *outline.Function {
	if !strings.HasSuffix(path, "_test.go") {
		return nil
	}
	functions := v.Source.Outline().Functions
	for i := range functions {
		if f := &functions[i]; f.Test && f.Start <= to && from <= f.End {
			return f
		}
	}
	return nil
}
