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

// A View is what is to be seen of a file now.
type View struct {
	Document  *snapshot.Document // nil if it is not open
	Source    *outline.Source
	Marks     []Mark // in the order of the text
	CrossFile bool   // a change of a file elsewhere may give it a mark

	once  sync.Once
	shown []*Mark // see visible
}

// newView matches the results with the text of a file as it stands, or returns nil if
// there is no such file.
func newView(n *snapshot.Snapshot, path string, rs *results.Layers, around *surroundings) *View {
	v := &View{Document: n.Documents[path], Source: n.Source(path)}
	if v.Source == nil {
		return nil
	}
	for _, r := range rs.List {
		if rs.Hides(r, path) {
			continue
		}
		if strings.HasSuffix(path, ".go") && knows(r, path) {
			marks, stray := match(r, path, v.Source.Outline(), n.Source, around)
			v.CrossFile = v.CrossFile || stray
			v.add(marks)
		}
		v.add(matchLines(r, path, v.Source))
	}
	return v
}

// knows reports whether a result may have something of a Go file: of what is
// near, or anywhere within the folder that was measured.
func knows(r *results.Result, path string) bool {
	return len(r.FilesIn(filepath.Dir(path))) > 0 || location.Within(path, r.Dir) && r.KnowsBodies()
}

// add adds the marks of an older result. Of what has one already they are covered,
// and so are functions of a run that looked into one of them: what its blocks used
// is not in the function's figures, so these would look harmless.
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

// Visible lists the marks that the user has not hidden: what the settings
// exclude from the next measurement is not shown of the last one.
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

// NamedAt finds the component whose name is at an offset, the one with the
// shortest if there are several, or nil.
func (v *View) NamedAt(at int) *Mark {
	var found *Mark
	for _, m := range v.Visible() {
		if m.From <= at && at <= m.To && (found == nil || m.To-m.From < found.To-found.From) {
			found = m
		}
	}
	return found
}

// MarkAt finds the component whose declaration the range begins in, the
// innermost one, or else the first that it touches; nil if it touches none.
//
// What can be done in a block can be done with its function.
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
