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
// whether they were rewritten on disk. Only run calls it.
func (p *publisher) follow(path string, v *view, rewritten bool) {
	before, known := p.placements[path]
	open := v != nil && v.document != nil
	if !open && !known {
		if rewritten {
			p.republish(p.snapshots.now().results.naming(path, v)...)
		}
		return
	}
	now := p.placement(v)
	if p.placements[path] = now; !open {
		delete(p.placements, path)
	}
	if !known { // it may be opened as it was not on disk when links to it were made
		p.republish(p.snapshots.now().results.naming(path, v)...)
		return
	}
	moved := callers{}
	for of, a := range before.at {
		if b, ok := now.at[of]; slices.Contains(now.runs, of.run) && (!ok || a.at != b.at) {
			moved.add(a.result, of.component)
		}
	}
	for of, b := range now.at {
		if _, ok := before.at[of]; slices.Contains(before.runs, of.run) && !ok {
			moved.add(b.result, of.component)
		}
	}
	p.republish(moved.named()...)
}

func (p *publisher) placement(v *view) placement {
	now := placement{at: map[placed]standing{}}
	for _, r := range p.snapshots.now().results.list {
		now.runs = append(now.runs, r.run)
	}
	if v == nil {
		return now
	}
	for i := range v.marks {
		m := &v.marks[i]
		now.at[placed{m.result.run, m.component}] = standing{m.result, v.source.Mapper().Position(m.From)}
	}
	return now
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
