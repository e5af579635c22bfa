package lsp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
)

// A view is what is to be seen of a file now.
type view struct {
	document *document // nil if it is not open
	source   *outline.Source
	marks    []mark // in the order of the text
	stray    bool   // a change of a file elsewhere may give it a mark

	once  sync.Once
	shown []*mark // see visible
}

// viewOf matches the results with the text of a file as it stands, or returns nil if
// there is no such file.
func viewOf(in files, path string, rs *results, around *surroundings) *view {
	v := &view{document: in.snapshot.documents[path], source: in.source(path)}
	if v.source == nil {
		return nil
	}
	for _, r := range rs.list {
		if rs.hides(r, path) {
			continue
		}
		if strings.HasSuffix(path, ".go") && r.knows(path) {
			marks, stray := r.match(path, v.source.Outline(), in.source, around)
			v.stray = v.stray || stray
			v.add(marks)
		}
		v.add(r.matchLines(path, v.source))
	}
	return v
}

// knows reports whether a result may have something of a Go file: of what is
// near, or anywhere within the folder that was measured.
func (r *result) knows(path string) bool {
	return len(r.folders[filepath.Dir(path)]) > 0 || location.Within(path, r.dir) && len(r.hashes) > 0
}

// add adds the marks of an older result. Of what has one already they are covered,
// and so are functions of a run that looked into one of them: what its blocks used
// is not in the function's figures, so these would look harmless.
func (v *view) add(marks []mark) {
	taken := map[int]bool{}
	for _, m := range v.marks {
		taken[m.From] = taken[m.From] || !m.covered
	}
	for _, m := range marks {
		m.covered = taken[m.From] || m.Kind == spell.KindFunction && len(m.result.blocks) > 0
		v.marks = append(v.marks, m)
	}
	slices.SortStableFunc(v.marks, func(a, b mark) int { return cmp.Compare(a.From, b.From) })
}
