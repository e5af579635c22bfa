package lsp

// A view is what is to be seen of a file now.
type view struct {
	document *document // nil if it is not open
	source   *source
	marks    []mark // in the order of the text
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
	v = s.viewOf(path, d, rs)
	if d == nil {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == at {
		s.views[path] = v
	}
	return v
}

func (s *session) viewOf(path string, d *document, rs *results) *view {
	v := &view{document: d}
	if d != nil {
		v.source = d.source
	} else if v.source = s.sourceOf(path); v.source == nil {
		return nil
	}
	if r := rs.of(path); r != nil {
		v.marks = r.match(path, v.source.look(), s.sourceOf)
	}
	return v
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

// setResults shows other results than before, and says which files that
// changes. The caller holds mu.
func (s *session) setResults(rs *results) {
	s.changed(append(s.results.paths(), rs.paths()...))
	clear(s.views)
	s.results, s.restyle = rs, true
	select {
	case s.measured <- struct{}{}:
	default: // it is told already
	}
}
