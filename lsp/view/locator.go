package view

import (
	"path/filepath"
	"sync"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/record"
)

// A Locator finds the current places of components. It keeps the views that it has used, so it
// serves only one answer or one batch of files. It is not for concurrent use.
type Locator struct {
	from    *Memo
	views   map[string]func() *View // by path; they return nil for a missing file
	found   map[*record.Run]map[int]protocol.Location
	indexed map[string]bool // files whose marks are in found
	// searched are the folders whose components are in found, wherever they have moved.
	searched map[home]bool
}

// A home is a folder in which components of a result were.
type home struct {
	*results.Result
	dir string
}

// NewLocator returns a locator for the views of a memo.
func NewLocator(from *Memo) *Locator {
	return &Locator{
		from: from, views: map[string]func() *View{},
		found: map[*record.Run]map[int]protocol.Location{}, indexed: map[string]bool{}, searched: map[home]bool{},
	}
}

// Find returns the place of a component's name, in its file or where it has moved; false if it
// was not found.
func (l *Locator) Find(r *results.Result, component int) (protocol.Location, bool) {
	path := r.Path(r.Run.Components[component].File)
	l.index(path)
	if at, ok := l.found[r.Run][component]; ok {
		return at, true
	}
	if beside := (home{r, filepath.Dir(path)}); !l.searched[beside] {
		l.searched[beside] = true
		for _, other := range l.from.Siblings(r, path) {
			l.index(other)
		}
	}
	at, ok := l.found[r.Run][component]
	return at, ok
}

// View returns the view of a file, or nil if there is no such file. It is built once.
func (l *Locator) View(path string) *View {
	v := l.views[path]
	if v == nil {
		v = sync.OnceValue(func() *View { return l.from.View(path) })
		l.views[path] = v
	}
	return v()
}

func (l *Locator) index(path string) {
	if l.indexed[path] {
		return
	}
	l.indexed[path] = true
	v := l.View(path)
	if v == nil {
		return
	}
	u := l.from.snapshots.Current().URI(path)
	if v.Document != nil {
		u = v.Document.URI
	}
	for i := range v.Marks {
		m := &v.Marks[i]
		places := l.found[m.Result.Run]
		if places == nil {
			places = map[int]protocol.Location{}
			l.found[m.Result.Run] = places
		}
		places[m.Index] = protocol.Location{URI: u, Range: v.Source.Mapper().Span(m.From, m.To)}
	}
}

// Prepare returns functions that build the views of files, which other goroutines may call ahead.
// It must be called before all other methods.
func (l *Locator) Prepare(paths []string) []func() *View {
	views := make([]func() *View, len(paths))
	for i, path := range paths {
		views[i] = sync.OnceValue(func() *View { return l.from.View(path) })
		l.views[path] = views[i]
	}
	return views
}
