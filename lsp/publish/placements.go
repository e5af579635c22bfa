package publish

import (
	"slices"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
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
	result *results.Result
	at     protocol.Position
}

// follow makes due what names components of a file as callers, where these have
// moved, gone or come back since it was last published. Where they stood is kept of
// files that are or were open: others do not change at every key, of them it is known
// whether they were rewritten on disk. Only run calls it.
func (p *Publisher) follow(path string, v *view.View, rewritten bool) {
	before, known := p.placements[path]
	open := v != nil && v.Document != nil
	if !open && !known {
		if rewritten {
			p.Republish(naming(p.snapshots.Current().Results, path, v)...)
		}
		return
	}
	now := p.placement(v)
	if p.placements[path] = now; !open {
		delete(p.placements, path)
	}
	if !known { // it may be opened as it was not on disk when links to it were made
		p.Republish(naming(p.snapshots.Current().Results, path, v)...)
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
	p.Republish(moved.named()...)
}

func (p *Publisher) placement(v *view.View) placement {
	now := placement{at: map[placed]standing{}}
	for _, r := range p.snapshots.Current().Results.List {
		now.runs = append(now.runs, r.Run)
	}
	if v == nil {
		return now
	}
	for i := range v.Marks {
		m := &v.Marks[i]
		now.at[placed{m.Result.Run, m.Index}] = standing{m.Result, v.Source.Mapper().Position(m.From)}
	}
	return now
}
