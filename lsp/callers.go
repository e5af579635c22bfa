package lsp

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/wire"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// A part is what of a component's use, its callees included, went by way of
// another component.
type part struct {
	component int     // -1 is what is no component, as a test
	share     float64 // of the energy or, where none is known, of the running time; 0 to 1
}

// callers lists on whose behalf a component used what it did, most first.
func (r *result) callers(component int) []part {
	calls := r.calls()
	return r.parts(calls.Callers(component), r.used(calls.Total(component)))
}

// costliest lists the first callers of a component that are components.
func (r *result) costliest(component int) []part {
	list := slices.DeleteFunc(r.callers(component), func(p part) bool { return p.component < 0 })
	return list[:min(len(list), maxCallers)]
}

// callees lists what used something on the component's behalf, most first.
func (r *result) callees(component int) []part {
	calls := r.calls()
	return r.parts(calls.Callees(component), r.used(calls.Total(component)))
}

// parts gives the edges as parts of a whole. Those that samples saw too little
// of to say a share are left out.
func (r *result) parts(edges []calltree.Edge, whole float64) []part {
	var list []part
	for _, e := range edges {
		if used := r.used(e); used > 0 && whole > 0 {
			list = append(list, part{e.Component, used / whole})
		}
	}
	return list
}

func (r *result) used(e calltree.Edge) float64 {
	if !r.knowsEnergy() {
		return e.TimeMS
	}
	return e.EnergyJ
}

// spent is what shares of callers and callees are of.
func (r *result) spent() string {
	if !r.knowsEnergy() {
		return "running time"
	}
	return "energy"
}

// A locator finds where components stand now. It keeps what it saw of files, so
// it is of use for one answer or one round of publishing.
type locator struct {
	from    *views
	views   map[string]func() *view // nil for a file that is not there
	found   map[*record.Run]map[int]protocol.Location
	indexed map[string]bool // files whose marks are in found
	// searched are the folders around files of which all marks are in found.
	searched map[around]bool
}

// An around is a folder in which components of a result were, with all files to which
// they may have moved.
type around struct {
	*result
	dir string
}

func newLocator(from *views) *locator {
	return &locator{
		from: from, views: map[string]func() *view{},
		found: map[*record.Run]map[int]protocol.Location{}, indexed: map[string]bool{}, searched: map[around]bool{},
	}
}

// find gives the place of a component's name: in its file or, as it may have
// moved, in another one. There is none if the component is gone.
func (l *locator) find(r *result, component int) (protocol.Location, bool) {
	path := r.path(r.run.Components[component].File)
	l.index(path)
	if at, ok := l.found[r.run][component]; ok {
		return at, true
	}
	if beside := (around{r, filepath.Dir(path)}); !l.searched[beside] {
		l.searched[beside] = true
		for _, other := range l.from.siblings(r, path) {
			l.index(other)
		}
	}
	at, ok := l.found[r.run][component]
	return at, ok
}

func (l *locator) view(path string) *view {
	v := l.views[path]
	if v == nil {
		v = sync.OnceValue(func() *view { return l.from.of(path) })
		l.views[path] = v
	}
	return v()
}

func (l *locator) index(path string) {
	if l.indexed[path] {
		return
	}
	l.indexed[path] = true
	v := l.view(path)
	if v == nil {
		return
	}
	u := l.from.snapshots.now().uriOf(path)
	if v.document != nil {
		u = v.document.uri
	}
	for i := range v.marks {
		m := &v.marks[i]
		places := l.found[m.result.run]
		if places == nil {
			places = map[int]protocol.Location{}
			l.found[m.result.run] = places
		}
		places[m.component] = protocol.Location{URI: u, Range: v.source.Mapper().Span(m.From, m.To)}
	}
}

// ahead begins to make the views of files, on the processors that publishing
// leaves: most of the work is parsing.
func (l *locator) ahead(ctx context.Context, paths []string, tasks *wire.Tasks) {
	var next atomic.Int64
	views := make([]func() *view, len(paths))
	for i, path := range paths {
		views[i] = sync.OnceValue(func() *view { return l.from.of(path) })
		l.views[path] = views[i]
	}
	for range min(len(paths), runtime.GOMAXPROCS(0)) - 1 {
		tasks.Go(ctx, "looking at files", func(ctx context.Context) {
			for i := next.Add(1); int(i) < len(views) && ctx.Err() == nil; i = next.Add(1) {
				views[i]()
			}
		})
	}
}

// largest gives the n elements of list that come first, in their order, without
// sorting all of it.
func largest[T any](list []T, n int, compare func(a, b T) int) []T {
	var first []T
	for _, x := range list {
		if len(first) == n && compare(first[n-1], x) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, x, func(a, b T) int {
			if compare(a, b) <= 0 {
				return -1
			}
			return 1
		})
		if first = slices.Insert(first, at, x); len(first) > n {
			first = first[:n]
		}
	}
	return first
}
