package view

import (
	"slices"
	"sync"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
)

// surroundings hold the declarations of the files around the views of one snapshot. Each file is
// read once for all views, functions and results.
type surroundings struct {
	goFiles func(dir string) []string               // the Go files of a folder
	read    func(path string) []outline.Declaration // the declarations of a file, none if it is missing

	mu      sync.Mutex
	files   map[string][]outline.Declaration // results of read, by path
	folders map[string]*inventory
	built   map[builtFolder][]string
}

// A builtFolder is a folder in a result: the settings of the result decide which of its files are
// built.
type builtFolder struct {
	*results.Result
	dir string
}

func newSurroundings(goFiles func(dir string) []string, read func(path string) []outline.Declaration) *surroundings {
	return &surroundings{goFiles: goFiles, read: read, files: map[string][]outline.Declaration{}, folders: map[string]*inventory{}, built: map[builtFolder][]string{}}
}

type declaration struct {
	path string
	outline.Declaration
}

// An inventory holds the declarations of the files of a folder.
type inventory struct {
	names  map[string][]declaration
	hashes map[string][]declaration // functions only, by the hash of their bodies
}

// has reports whether a file declares a name.
func (a *surroundings) has(path, name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.declarations(path), func(d outline.Declaration) bool { return d.Name == name })
}

// in returns the inventory of a folder.
func (a *surroundings) in(dir string) *inventory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.folders[dir]; known != nil {
		return known
	}
	paths, count := a.goFiles(dir), 0
	for _, path := range paths {
		count += len(a.declarations(path))
	}
	found := &inventory{names: make(map[string][]declaration, count), hashes: make(map[string][]declaration, count)}
	for _, path := range paths {
		for _, d := range a.declarations(path) {
			found.names[d.Name] = append(found.names[d.Name], declaration{path, d})
			if d.Kind == spell.KindFunction {
				found.hashes[d.Hash] = append(found.hashes[d.Hash], declaration{path, d})
			}
		}
	}
	a.folders[dir] = found
	return found
}

// builtFiles is results.Result.BuiltFiles with a cache.
func (a *surroundings) builtFiles(r *results.Result, dir string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths, ok := a.built[builtFolder{r, dir}]
	if !ok {
		paths = r.BuiltFiles(dir)
		a.built[builtFolder{r, dir}] = paths
	}
	return paths
}

// declarations returns the declarations of a file. The caller holds mu.
func (a *surroundings) declarations(path string) []outline.Declaration {
	list, ok := a.files[path]
	if !ok {
		list = a.read(path)
		a.files[path] = list
	}
	return list
}
