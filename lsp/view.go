package lsp

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

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

// view matches what was measured with the text of a file as it stands, or
// returns nil if there is no such file. Views of open documents are kept until
// something changes.
func (s *session) view(path string) *view {
	s.mu.Lock()
	v, d, rs, at := s.views[path], s.documents[path], s.results, s.changes
	s.mu.Unlock()
	if v != nil {
		return v
	}
	v = s.viewOf(path, d, rs, at)
	s.keep(path, v, at)
	return v
}

// keep keeps the view of a file that was made when so many changes had been counted,
// and notes what it shows. If there were more meanwhile, the view is outdated: it is
// shown all the same, so what it shows, or may have come to show, is published again.
func (s *session) keep(path string, v *view, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.changes == at
	if current && v != nil && v.document != nil {
		s.views[path] = v
	}
	note(s.strays, path, v != nil && v.stray, current)
	note(s.marked, path, v != nil && len(v.marks) > 0, current)
	if !current && v != nil && (len(v.marks) > 0 || v.stray) {
		s.due[path] = true
		s.publishSoon()
	}
}

// note puts a file into a set or, if what is known of it is current, takes it out:
// a view that is outdated may be shown all the same, and must be taken back.
func note(set map[string]bool, path string, in, current bool) {
	if in {
		set[path] = true
	} else if current {
		delete(set, path)
	}
}

// viewOf makes the view of a file when so many changes have been counted.
func (s *session) viewOf(path string, d *document, rs *results, at int) *view {
	v := &view{document: d}
	if d != nil {
		v.source = d.source
	} else if v.source = s.sourceOf(path); v.source == nil {
		return nil
	}
	around := s.surroundings(at)
	for _, r := range rs.list {
		if rs.hides(r, path) {
			continue
		}
		if strings.HasSuffix(path, ".go") && r.knows(path) {
			marks, stray := r.match(path, v.source.Outline(), s.sourceOf, around)
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

// changed forgets the views of the given files, which are due to be published
// again. The caller holds mu.
func (s *session) changed(paths []string) {
	s.changes++
	for _, p := range paths {
		delete(s.views, p)
		s.due[p] = true
	}
}

// breather is how long after the last edit the files beside the edited one are
// published again: hardly any edit makes them look different, and who types waits
// for what is asked meanwhile.
const breather = 250 * time.Millisecond

// changedBeside forgets the views of files that an edit of another may change, and
// makes them due when nobody has typed for a while. What is due already stays so.
// The caller holds mu.
func (s *session) changedBeside(paths []string) {
	s.changes++
	for _, p := range paths {
		delete(s.views, p)
		s.later[p] = !s.due[p]
	}
	maps.DeleteFunc(s.later, func(_ string, waits bool) bool { return !waits })
	if s.quiet == nil {
		s.quiet = time.AfterFunc(breather, s.release)
		return
	}
	s.quiet.Reset(breather)
}

// release makes due what waited for a pause.
func (s *session) release() {
	s.mu.Lock()
	maps.Copy(s.due, s.later)
	clear(s.later)
	s.mu.Unlock()
	s.publishSoon()
}

// setResults shows other results than before, and says which files that
// changes: those of the results, what had something that had moved there, and what
// is open, where something may have moved. The caller holds mu.
func (s *session) setResults(rs *results) {
	rs = &results{list: rs.list, folders: s.folders}
	s.changed(append(s.results.paths(), rs.paths()...))
	s.changed(slices.Collect(maps.Keys(s.marked)))
	s.changed(slices.Collect(maps.Keys(s.documents)))
	clear(s.views)
	clear(s.rewritten)
	s.results, s.restyle = rs, true
	select {
	case s.measured <- struct{}{}:
	default: // it is told already
	}
}
