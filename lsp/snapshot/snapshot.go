// Package snapshot holds the state that answers are made from: the open documents, the folders of
// the workspace, and the results that are shown. It is one immutable value, replaced as a whole,
// so all answers from one snapshot agree.
//
// It does not say what changed: the caller that replaces a snapshot compares the two.
package snapshot

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
	"spell-lsp/lsp/results"
)

// A Snapshot is the state at one time. It never changes, nor do the values that it refers to, with
// one exception: the texts of files that are not open are on disk. When one of them has changed,
// a new snapshot has another TextsVersion.
type Snapshot struct {
	Version      int // grows with each change
	Folders      []location.Folder
	Open         map[string]*Document // by key
	Documents    map[string]*Document // by path; if a file is open twice, the document that changed last
	Results      *results.Layers
	Clears       int // how often the user cleared the results
	TextsVersion int // the version in which a text changed last, in the editor or on disk

	disk *outline.Cache
}

// A Store holds the current snapshot, which is replaced as a whole.
type Store struct {
	updating sync.Mutex // held while a snapshot is replaced
	current  atomic.Pointer[Snapshot]
}

// NewStore returns a store whose snapshot is empty.
func NewStore() *Store {
	s := new(Store)
	s.current.Store(&Snapshot{Results: &results.Layers{}, disk: new(outline.Cache)})
	return s
}

// Current returns the current snapshot.
func (s *Store) Current() *Snapshot { return s.current.Load() }

// Update replaces the current snapshot by a copy whose fields change may set; it must not modify
// the values that they refer to. If change returns false, the snapshot stays, and after equals
// before.
func (s *Store) Update(change func(next *Snapshot) bool) (before, after *Snapshot) {
	s.updating.Lock()
	defer s.updating.Unlock()
	before = s.Current()
	next := *before
	next.Version++
	if !change(&next) {
		return before, before
	}
	s.current.Store(&next)
	return before, &next
}

// Put adds a document, or replaces the document with the same key.
func (n *Snapshot) Put(d *Document) {
	n.Open, n.Documents = with(n.Open, d.Key, d), with(n.Documents, d.Path, d)
	n.TextsVersion = n.Version
}

func with[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

// Close removes a document. If its file is open under another name too, for example below a link
// to its folder, that document takes its place.
func (n *Snapshot) Close(closed *Document) {
	n.Open, n.Documents = maps.Clone(n.Open), maps.Clone(n.Documents)
	delete(n.Open, closed.Key)
	delete(n.Documents, closed.Path)
	for _, key := range slices.Sorted(maps.Keys(n.Open)) {
		if d := n.Open[key]; d.Path == closed.Path {
			n.Documents[d.Path] = d
		}
	}
	n.TextsVersion = n.Version
}

// Touch records that texts changed on disk.
func (n *Snapshot) Touch() { n.TextsVersion = n.Version }

// Show replaces the results.
func (n *Snapshot) Show(rs *results.Layers) {
	n.Results = &results.Layers{List: rs.List, Folders: n.Folders}
}

// SetFolders replaces the open folders. Results of closed folders are no longer shown;
// loaded results are shown in the folders that are open now.
func (n *Snapshot) SetFolders(folders []location.Folder, gone []string) {
	n.Folders = folders
	kept := slices.DeleteFunc(slices.Clone(n.Results.List), func(r *results.Result) bool { return n.Closed(r.Dir, gone) })
	if len(kept) < len(n.Results.List) || slices.ContainsFunc(kept, (*results.Result).Loaded) {
		n.Show(&results.Layers{List: kept})
	}
}

// Closed reports whether a folder is in one of the closed folders, gone, and in no open one.
func (n *Snapshot) Closed(dir string, gone []string) bool {
	in := func(folder string) bool { return location.Within(dir, folder) }
	return slices.ContainsFunc(gone, in) && n.OpenFolder(dir) == ""
}

// StillOpen leaves out the results of folders that were closed since they were measured.
func (n *Snapshot) StillOpen(list []*results.Result) []*results.Result {
	return slices.DeleteFunc(slices.Clone(list), func(r *results.Result) bool { return r.InWorkspace && n.OpenFolder(r.Dir) == "" })
}

// OpenFolder returns the open folder that contains a file or folder, or "".
func (n *Snapshot) OpenFolder(path string) string { return location.Innermost(path, n.Folders).Path }

// SomeFolder returns the first workspace folder, or the working folder of the server.
func (n *Snapshot) SomeFolder() string {
	if len(n.Folders) > 0 {
		return n.Folders[0].Path
	}
	return "."
}

// URI returns the URI of a file as the client would write it: below the name of the open folder,
// which may be a link.
func (n *Snapshot) URI(path string) uri.URI {
	best := location.Innermost(path, n.Folders)
	if rel, err := filepath.Rel(best.Path, path); best.Path != "" && err == nil {
		path = filepath.Join(best.Named, rel)
	}
	return uri.File(path)
}

// Source returns the current text of a file: the text in the editor, else the text on disk, else
// nil.
func (n *Snapshot) Source(path string) *outline.Source {
	if d := n.Documents[path]; d != nil {
		return d.Source
	}
	return n.disk.Source(path)
}

// Declarations lists the declarations in the current text of a file, none if there is no such file.
func (n *Snapshot) Declarations(path string) []outline.Declaration {
	if d := n.Documents[path]; d != nil {
		return d.Source.Declarations()
	}
	return n.disk.Declarations(path)
}

// GoFiles lists the Go files of a folder, those on disk and those that are open.
func (n *Snapshot) GoFiles(dir string) []string {
	var paths []string
	entries, _ := os.ReadDir(dir) // a missing folder may still have open files
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range n.OpenIn(dir) {
		if strings.HasSuffix(path, ".go") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// OpenIn lists the open files of a folder.
func (n *Snapshot) OpenIn(dir string) []string {
	var paths []string
	for path := range n.Documents {
		if filepath.Dir(path) == dir {
			paths = append(paths, path)
		}
	}
	return paths
}
