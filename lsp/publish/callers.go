package publish

import (
	"slices"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/record"
)

// Diagnostics name callers and link to their places, in other files too. So when a caller
// moves, the files of its callees are published again.

// standings are the places of the components of a file when it was last published.
type standings struct {
	runs []*record.Run // the runs that were shown
	at   map[componentOfRun]standing
}

type componentOfRun struct {
	run       *record.Run
	component int
}

type standing struct {
	result *results.Result
	at     protocol.Position
}

// republishCallees publishes the files whose diagnostics name components of a file as callers,
// if these components have moved, disappeared or come back since the file was last published.
// Standings are kept for files that are or were open. Other files do not change at every key:
// for these it is enough to know whether they changed on disk.
func (p *Publisher) republishCallees(path string, v *view.View, onDisk bool) {
	before, known := p.standings[path]
	open := v != nil && v.Document != nil
	layers := p.snapshots.Current().Results
	if open || known {
		if p.standings[path] = standingsIn(layers, v); !open {
			defer delete(p.standings, path)
		}
	}
	switch {
	case known:
		p.Republish(before.moved(p.standings[path]).calleesFiles()...)
	case open, onDisk: // an opened text may differ from the one that links were made to
		p.Republish(componentsOf(layers, path, v).calleesFiles()...)
	}
}

func standingsIn(layers *results.Layers, v *view.View) standings {
	now := standings{at: map[componentOfRun]standing{}}
	for _, r := range layers.List {
		now.runs = append(now.runs, r.Run)
	}
	if v == nil {
		return now
	}
	for i := range v.Marks {
		m := &v.Marks[i]
		now.at[componentOfRun{m.Result.Run, m.Index}] = standing{m.Result, v.Source.Mapper().Position(m.From)}
	}
	return now
}

// moved returns the components whose place differs, or that are in only one of both standings.
// Runs that are no longer shown do not count.
func (before standings) moved(now standings) components {
	moved := components{}
	for c, was := range before.at {
		if is, ok := now.at[c]; slices.Contains(now.runs, c.run) && (!ok || was.at != is.at) {
			moved.add(was.result, c.component)
		}
	}
	for c, is := range now.at {
		if _, ok := before.at[c]; slices.Contains(before.runs, c.run) && !ok {
			moved.add(is.result, c.component)
		}
	}
	return moved
}

// componentsOf returns the components that are in a file now, or were in it when they were
// measured.
func componentsOf(layers *results.Layers, path string, v *view.View) components {
	all := components{}
	for _, r := range layers.List {
		for _, named := range r.In(path) {
			for _, i := range named {
				all.add(r, i)
			}
		}
	}
	if v != nil {
		for _, m := range v.Marks {
			all.add(m.Result, m.Index)
		}
	}
	return all
}

// components of several results, by index.
type components map[*results.Result]map[int]bool

func (c components) add(r *results.Result, component int) {
	if c[r] == nil {
		c[r] = map[int]bool{}
	}
	c[r][component] = true
}

// calleesFiles lists the files of the functions whose diagnostics name one of the
// components as a caller. Each function is checked once, because many may call the same one.
func (c components) calleesFiles() []string {
	var paths []string
	for r, callers := range c {
		seen := map[int]bool{}
		for caller := range callers {
			for _, callee := range r.Callees(caller) {
				if seen[callee.Component] {
					continue
				}
				seen[callee.Component] = true
				if slices.ContainsFunc(r.Costliest(callee.Component), func(s results.CallShare) bool { return callers[s.Component] }) {
					paths = append(paths, r.Path(r.Run.Components[callee.Component].File))
				}
			}
		}
	}
	return paths
}
