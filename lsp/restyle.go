package lsp

import (
	"fmt"
	"hash/fnv"
)

// A look is how an open file looked when it was last published.
type look struct {
	version int32
	marks   uint64
}

// relooked reports whether an open file looks different although it was not
// edited: its lenses and hints must be asked for again, which a client does by
// itself only for what is edited. Only publishLoop calls it.
func (s *session) relooked(path string, v *view) bool {
	before, known := s.looks[path]
	if v == nil || v.document == nil {
		delete(s.looks, path)
		return false
	}
	h := fnv.New64a()
	for _, m := range v.visible() {
		fmt.Fprintf(h, "%p %d %d %v\n", m.result.run, m.component, m.from, m.stale) //nolint:errcheck // a hash takes everything
	}
	now := look{v.document.version, h.Sum64()}
	s.looks[path] = now
	return known && now.version == before.version && now.marks != before.marks
}
