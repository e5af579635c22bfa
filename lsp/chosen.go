package lsp

import (
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/alternatives/rendering"
)

// A chosen function is one of several alternatives, or a benchmark or test whose subtests are alternatives.
type chosen struct {
	at     *outline.Function
	title  string               // of its lens
	about  *alternatives.Result // the comparisons that it is in
	result *results.Result
}

// chosenIn lists the functions of a file with alternatives, each by the newest run that compares it.
func (s *session) chosenIn(path string, v *view.View) (list []chosen) {
	if !strings.HasSuffix(path, ".go") {
		return nil
	}
	pkg := ""
	found := make(map[int]bool)
	layers := s.snapshots.Current().Results
	for _, r := range layers.List {
		compared := r.Alternatives()
		if compared == nil || layers.Hides(r, path) {
			continue
		}
		if pkg == "" {
			pkg = importPath(path)
		}
		functions := v.Source.Outline().Functions
		for i := range functions {
			f := &functions[i]
			if title := rendering.Brief(compared, pkg, f.Name); title != "" && !found[f.From] {
				found[f.From] = true
				list = append(list, chosen{f, title + r.Run.Started.Format(" (2 Jan 2006)"), rendering.About(compared, pkg, f.Name), r})
			}
		}
	}
	return list
}

// chosenAt returns the function with alternatives whose name is at a byte offset, or nil.
func (s *session) chosenAt(path string, v *view.View, at int) *chosen {
	for _, c := range s.chosenIn(path, v) {
		if c.at.From <= at && at <= c.at.To {
			return &c
		}
	}
	return nil
}
