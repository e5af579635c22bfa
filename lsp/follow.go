package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"spell-lsp/spell/record"
)

// A placement is where the components of an open file stood when it was last
// published.
type placement struct {
	runs []*record.Run // that were shown
	at   map[placed]standing
}

type placed struct {
	run       *record.Run
	component int
}

type standing struct {
	result *result
	at     protocol.Position
}

// follow makes due what names components of a file as callers, where these have
// moved, gone or come back since it was last published. Where they stood is kept of
// files that are or were open: others do not change at every key. Only publishLoop
// calls it.
func (s *session) follow(path string, v *view) {
	before, known := s.placements[path]
	open := v != nil && v.document != nil
	s.mu.Lock()
	rewritten, rs := s.rewritten[path], s.results
	delete(s.rewritten, path)
	s.mu.Unlock()
	if !open && !known {
		if rewritten {
			s.republish(rs.naming(path, v))
		}
		return
	}
	now := s.placement(v)
	if s.placements[path] = now; !open {
		delete(s.placements, path)
	}
	if !known {
		return
	}
	var due []string
	for p, a := range before.at {
		if b, ok := now.at[p]; slices.Contains(now.runs, p.run) && (!ok || a.at != b.at) {
			due = append(due, a.result.named(p.component)...)
		}
	}
	for p, b := range now.at {
		if _, ok := before.at[p]; slices.Contains(before.runs, p.run) && !ok {
			due = append(due, b.result.named(p.component)...)
		}
	}
	s.republish(due)
}

func (s *session) placement(v *view) placement {
	p := placement{at: map[placed]standing{}}
	s.mu.Lock()
	for _, r := range s.results.list {
		p.runs = append(p.runs, r.run)
	}
	s.mu.Unlock()
	if v == nil {
		return p
	}
	for i := range v.marks {
		m := &v.marks[i]
		p.at[placed{m.result.run, m.component}] = standing{m.result, v.source.mapper().position(m.from)}
	}
	return p
}

// republish makes files due that did not change themselves.
func (s *session) republish(paths []string) {
	s.mu.Lock()
	for _, p := range paths {
		s.due[p] = true
	}
	s.mu.Unlock()
	if len(paths) > 0 {
		s.publishSoon()
	}
}

// naming lists the files whose diagnostics may name a component that is in a file
// now or was when it was measured.
func (rs *results) naming(path string, v *view) []string {
	var paths []string
	for _, r := range rs.list {
		for _, components := range r.files[path] {
			for _, i := range components {
				paths = append(paths, r.named(i)...)
			}
		}
	}
	if v == nil {
		return paths
	}
	for _, m := range v.marks {
		paths = append(paths, m.result.named(m.component)...)
	}
	return paths
}

// named lists the files of the functions whose diagnostics name a component as
// a caller.
func (r *result) named(component int) []string {
	var paths []string
	for _, callee := range r.callees(component) {
		is := func(p part) bool { return p.component == component }
		if slices.ContainsFunc(r.costliest(callee.component), is) {
			paths = append(paths, r.path(r.run.Components[callee.component].File))
		}
	}
	return paths
}
