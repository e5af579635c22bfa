package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
)

// A document is a text as it stands in the editor. It does not change: an
// edit makes a new one.
type document struct {
	uri     uri.URI // as the client writes it: some compare URIs as text
	key     string  // see location.Key
	path    string  // of a file without symbolic links, otherwise the key
	version int32   // as the client counts; it may jump
	source  *outline.Source
}

// A snapshot is the state that answers are made from. Neither it nor what it refers to
// ever changes. The text of a file that is not open is not in it, but on disk.
type snapshot struct {
	version   int // grows with each change
	folders   []folder
	trusted   bool
	open      map[string]*document // by key
	documents map[string]*document // by path; of two that are the same file the one last touched
	results   *results
	clears    int // how often the user took all results from view
	texts     int // the version in which a text changed last, in the editor or on disk
}

// Snapshots hold the current one, which is replaced as a whole.
type snapshots struct {
	updating sync.Mutex // held while a snapshot is replaced
	current  atomic.Pointer[snapshot]
}

func newSnapshots() *snapshots {
	s := new(snapshots)
	s.current.Store(&snapshot{trusted: true, results: &results{}})
	return s
}

// now is the current snapshot.
func (s *snapshots) now() *snapshot { return s.current.Load() }

// update replaces the current snapshot by a copy that change has changed: fields, not
// what they refer to. Where change reports false it stays, and after is before.
func (s *snapshots) update(change func(next *snapshot) bool) (before, after *snapshot) {
	s.updating.Lock()
	defer s.updating.Unlock()
	before = s.now()
	next := *before
	next.version++
	if !change(&next) {
		return before, before
	}
	s.current.Store(&next)
	return before, &next
}

// put adds a document, or replaces the one of the same key.
func (n *snapshot) put(d *document) {
	n.open, n.documents = with(n.open, d.key, d), with(n.documents, d.path, d)
	n.texts = n.version
}

func with[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

// close removes a document. Its file is shown by another document of it, if there is
// one: the editor may have it open under the names of a folder and of a link to that.
func (n *snapshot) close(closed *document) {
	n.open, n.documents = maps.Clone(n.open), maps.Clone(n.documents)
	delete(n.open, closed.key)
	delete(n.documents, closed.path)
	for _, key := range slices.Sorted(maps.Keys(n.open)) {
		if d := n.open[key]; d.path == closed.path {
			n.documents[d.path] = d
		}
	}
	n.texts = n.version
}

// show replaces the results.
func (n *snapshot) show(rs *results) { n.results = &results{list: rs.list, folders: n.folders} }

// setFolders replaces the open folders, some of which were closed. Results of closed
// folders are taken from view, those that were loaded are shown in the folders that are
// open now.
func (n *snapshot) setFolders(folders []folder, gone []string) {
	n.folders = folders
	kept := slices.DeleteFunc(slices.Clone(n.results.list), func(r *result) bool { return n.closed(r.dir, gone) })
	if len(kept) < len(n.results.list) || slices.ContainsFunc(kept, (*result).loaded) {
		n.show(&results{list: kept})
	}
}

// closed reports whether a folder was closed with one of those that are gone.
func (n *snapshot) closed(dir string, gone []string) bool {
	in := func(folder string) bool { return location.Within(dir, folder) }
	return slices.ContainsFunc(gone, in) && n.openFolder(dir) == ""
}

// stillOpen leaves out the results of folders that were closed since they were measured.
func (n *snapshot) stillOpen(list []*result) []*result {
	return slices.DeleteFunc(slices.Clone(list), func(r *result) bool { return r.inside && n.openFolder(r.dir) == "" })
}

// openFolder is the open folder that a file or folder is in, "" if there is none.
func (n *snapshot) openFolder(path string) string { return folderOf(path, n.folders).path }

// someFolder is the first workspace folder, or where the server was started.
func (n *snapshot) someFolder() string {
	if len(n.folders) > 0 {
		return n.folders[0].path
	}
	return "."
}

// uriOf gives the URI of a file as the client would write it: below the folder
// that it has opened, whatever that links to.
func (n *snapshot) uriOf(path string) uri.URI {
	best := folderOf(path, n.folders)
	if rel, err := filepath.Rel(best.path, path); best.path != "" && err == nil {
		path = filepath.Join(best.named, rel)
	}
	return uri.File(path)
}

// goFilesIn lists the Go files of a folder, those on disk and those that are open.
func (n *snapshot) goFilesIn(dir string) []string {
	var paths []string
	entries, _ := os.ReadDir(dir) // in one that is gone, files may be open
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range n.openIn(dir) {
		if strings.HasSuffix(path, ".go") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// openIn lists the open files of a folder.
func (n *snapshot) openIn(dir string) []string {
	var paths []string
	for path := range n.documents {
		if filepath.Dir(path) == dir {
			paths = append(paths, path)
		}
	}
	return paths
}
