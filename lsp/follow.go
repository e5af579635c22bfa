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
// files that are or were open: others do not change at every key, of them it is known
// whether they were rewritten on disk. Only publishLoop calls it.
func (s *session) follow(path string, v *view, rewritten bool) {
	before, known := s.placements[path]
	open := v != nil && v.document != nil
	if !open && !known {
		if rewritten {
			s.mu.Lock()
			rs := s.results
			s.mu.Unlock()
			s.republish(rs.naming(path, v))
		}
		return
	}
	now := s.placement(v)
	if s.placements[path] = now; !open {
		delete(s.placements, path)
	}
	if !known { // it may be opened as it was not on disk when links to it were made
		s.mu.Lock()
		rs := s.results
		s.mu.Unlock()
		s.republish(rs.naming(path, v))
		return
	}
	moved := callers{}
	for p, a := range before.at {
		if b, ok := now.at[p]; slices.Contains(now.runs, p.run) && (!ok || a.at != b.at) {
			moved.add(a.result, p.component)
		}
	}
	for p, b := range now.at {
		if _, ok := before.at[p]; slices.Contains(before.runs, p.run) && !ok {
			moved.add(b.result, p.component)
		}
	}
	s.republish(moved.named())
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
		p.at[placed{m.result.run, m.component}] = standing{m.result, v.source.Mapper().Position(m.From)}
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
	all := callers{}
	for _, r := range rs.list {
		for _, components := range r.files[path] {
			for _, i := range components {
				all.add(r, i)
			}
		}
	}
	if v != nil {
		for _, m := range v.marks {
			all.add(m.result, m.component)
		}
	}
	return all.named()
}

// Callers are components of results that diagnostics may name.
type callers map[*result]map[int]bool

func (c callers) add(r *result, component int) {
	if c[r] == nil {
		c[r] = map[int]bool{}
	}
	c[r][component] = true
}

// named lists the files of the functions whose diagnostics name one of the callers.
// Each function is looked at once, as many may call the same.
func (c callers) named() []string {
	var paths []string
	for r, components := range c {
		seen := map[int]bool{}
		for component := range components {
			for _, callee := range r.callees(component) {
				if seen[callee.component] {
					continue
				}
				seen[callee.component] = true
				if slices.ContainsFunc(r.costliest(callee.component), func(p part) bool { return components[p.component] }) {
					paths = append(paths, r.path(r.run.Components[callee.component].File))
				}
			}
		}
	}
	return paths
}
