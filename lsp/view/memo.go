package view

import (
	"path/filepath"
	"slices"
	"sync"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
)

// A Memo builds the views of files. It keeps the views of open documents as long as later snapshots
// would give the same view, and knows which files a change of another file may affect. Its lock is
// never held while a view is built.
type Memo struct {
	snapshots *snapshot.Store
	// outdated is called with a file whose view was built from a snapshot that was replaced
	// before the view was ready. The caller shows that view all the same, so the file must be
	// published again.
	outdated func(path string)

	mu             sync.Mutex
	made           map[string]made    // by path; files that are not open only if they have a mark or may get one
	surroundings   *surroundings      // of surroundingsOf; nil when no views are being built
	surroundingsOf *snapshot.Snapshot // only compared
}

// made describes the last view of a file and its inputs.
type made struct {
	view            *View // nil for a file that is not open
	results         *results.Layers
	textsVersion    int  // see snapshot.Snapshot
	dependsOnOthers bool // it also depends on the texts of other files
	crossFile       bool // see View
	marked          bool // the file shows something, or may do so
}

// NewMemo returns a memo for the views of a store's snapshots. outdated is called with a file whose
// view was outdated before it was ready.
func NewMemo(snapshots *snapshot.Store, outdated func(path string)) *Memo {
	return &Memo{snapshots: snapshots, outdated: outdated, made: map[string]made{}}
}

// View returns the current view of a file, or nil if there is no such file.
func (m *Memo) View(path string) *View {
	n := m.snapshots.Current()
	if v := m.kept(n, path); v != nil {
		return v
	}
	v := m.in(n, path, n.Results)
	if m.keep(n, path, v) {
		m.outdated(path)
	}
	return v
}

func (m *Memo) kept(n *snapshot.Snapshot, path string) *View {
	m.mu.Lock()
	defer m.mu.Unlock()
	if last := m.made[path]; last.view != nil && last.view.Document == n.Documents[path] && last.holds(n) {
		return last.view
	}
	return nil
}

// holds reports whether a snapshot with the same document gives the same view.
func (v *made) holds(n *snapshot.Snapshot) bool {
	return v.results == n.Results && (!v.dependsOnOthers || v.textsVersion == n.TextsVersion)
}

// in builds the view of a file in a snapshot, with the given results.
func (m *Memo) in(n *snapshot.Snapshot, path string, of *results.Layers) *View {
	return newView(n, path, of, m.around(n))
}

// keep records what a view shows, and keeps the view if its document is open. It reports whether the
// view is outdated by now. The marks of an outdated view may be on the screen, so they count as
// shown until a current view was built.
func (m *Memo) keep(n *snapshot.Snapshot, path string, v *View) (outdated bool) {
	d := n.Documents[path]
	is := made{results: n.Results, textsVersion: n.TextsVersion, dependsOnOthers: d == nil || n.Results.GroupedIn(filepath.Dir(path))}
	if v != nil {
		is.crossFile, is.marked, is.dependsOnOthers = v.CrossFile, len(v.Marks)+len(v.Tests) > 0, is.dependsOnOthers || v.CrossFile
		if d != nil && len(n.Results.List) > 0 { // without results, a view costs nothing
			is.view = v
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// A caller that replaces the snapshot calls Beside or Marked afterwards: either that call
	// finds this view, or the new snapshot is found here.
	now := m.snapshots.Current()
	if now.Documents[path] != d || !is.holds(now) {
		outdated = is.crossFile || is.marked
		was := m.made[path]
		was.crossFile, was.marked = was.crossFile || is.crossFile, was.marked || is.marked
		is = was
	}
	if is.view == nil && !is.crossFile && !is.marked {
		delete(m.made, path)
	} else {
		m.made[path] = is
	}
	return outdated
}

// around returns the surroundings of the views of a snapshot.
func (m *Memo) around(n *snapshot.Snapshot) *surroundings {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.surroundings == nil || m.surroundingsOf != n {
		m.surroundings, m.surroundingsOf = newSurroundings(n.GoFiles, n.Declarations), n
	}
	return m.surroundings
}

// Release drops the surroundings of views, which may be large.
func (m *Memo) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.surroundings, m.surroundingsOf = nil, nil
}

// Marked lists the files that show something, or may do so.
func (m *Memo) Marked() []string {
	return m.which(func(v made) bool { return v.marked })
}

// Beside lists the files that may render differently after a change of other files: all files with
// cross-file views, and the files in the same folders that show packages or types.
func (m *Memo) Beside(n *snapshot.Snapshot, paths []string) []string {
	list := m.crossFile()
	folders := map[string]bool{}
	for _, path := range paths {
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		list = append(list, n.Results.Grouped(dir)...)
	}
	return list
}

func (m *Memo) crossFile() []string { return m.which(func(v made) bool { return v.crossFile }) }

func (m *Memo) which(holds func(made) bool) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var paths []string
	for path, v := range m.made {
		if holds(v) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Siblings lists the files to which a component may have moved from its file: the files of the
// folder that have components or are open, and all files with cross-file views.
func (m *Memo) Siblings(r *results.Result, path string) []string {
	dir := filepath.Dir(path)
	paths := slices.Concat(r.FilesIn(dir), m.crossFile(), m.snapshots.Current().OpenIn(dir))
	slices.Sort(paths)
	return paths
}

// ViewOf returns the view of a file in which the components of a result are looked up, or nil if
// there is no such file. If the result has no marks there, the view is built with this result
// alone. If the results have changed since they were listed, it is built with the listed ones.
func (m *Memo) ViewOf(listed *results.Layers, r *results.Result, path string) *View {
	n := m.snapshots.Current()
	switch {
	case listed.Hides(r, path):
	case n.Results != listed:
		return m.in(n, path, listed)
	default:
		return m.View(path)
	}
	alone := *r
	alone.InWorkspace = false
	return m.in(n, path, &results.Layers{List: []*results.Result{&alone}})
}
