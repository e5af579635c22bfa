// Package view decides what a file shows: where measured components are in its text, whether they
// are stale, and which other files that depends on. A view is built from one snapshot and never
// changes; a Memo keeps it while later snapshots give the same one.
//
// The package has no client, log or tasks, and no goroutine outlives a call.
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
	Tests     []Test
	CrossFile bool // it depends on the declarations of other files: a change of one may add or remove a mark

	once  sync.Once
	shown []*Mark // see Visible
}

// newView matches results with the current text of a file, the newest result first. It returns nil
// if there is no such file.
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
		v.addTests(r, r.Tests(path))
	}
	return v
}

// mayHave reports whether components of a result may be in a Go file: the result has components in
// the file's folder, or functions that may have moved.
func mayHave(r *results.Result, path string) bool {
	return len(r.FilesIn(filepath.Dir(path))) > 0 || location.Within(path, r.Dir) && r.KnowsBodies()
}

// add adds the marks of an older result. A mark is covered if there is a newer mark at its place.
// Functions of a run with blocks are covered too: their own figures lack those of the blocks, so
// they would look cheap.
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

// Visible lists the marks that are shown, in the order of the text: the marks that are not covered
// and that the settings do not exclude.
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

// NamedAt returns the mark whose name is at a byte offset, the one with the shortest name if there
// are several, or nil.
func (v *View) NamedAt(at int) *Mark {
	var found *Mark
	for _, m := range v.Visible() {
		if m.From <= at && at <= m.To && (found == nil || m.To-m.From < found.To-found.From) {
			found = m
		}
	}
	return found
}

// MarkAt returns the innermost mark whose declaration contains the start of a range of bytes, else
// the first mark that the range touches, else nil. Blocks do not count: in a block the actions of
// its function are offered.
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
