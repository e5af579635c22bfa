package lsp

import (
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/alternatives/rendering"
)

// A chosen function is one of several alternatives, or a benchmark or test whose subtests are alternatives.
type chosen struct {
	at     *outline.Function
	title  string // of its lens
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
		if compared == nil || !r.Settings.Lenses || layers.Hides(r, path) {
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
				list = append(list, chosen{f, title + r.Run.Started.Format(" (2 Jan 2006)"), r})
			}
		}
	}
	return list
}
