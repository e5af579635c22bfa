package view

import (
	"slices"
	"sync"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
)

// Surroundings are what the files around views declare. Each file is looked at once
// for all of them, however many functions and results ask.
type surroundings struct {
	list   func(dir string) []string               // the Go files of a folder
	traits func(path string) []outline.Declaration // what a file declares, none if it is not there

	mu      sync.Mutex
	files   map[string][]outline.Declaration // what traits gave
	folders map[string]*inventory
	built   map[builtFolder][]string
}

// A builtFolder is a folder as a result has it: what is built of it depends on its
// settings.
type builtFolder struct {
	*results.Result
	dir string
}

func newSurroundings(list func(dir string) []string, traits func(path string) []outline.Declaration) *surroundings {
	return &surroundings{list: list, traits: traits, files: map[string][]outline.Declaration{}, folders: map[string]*inventory{}, built: map[builtFolder][]string{}}
}

type declaration struct {
	path string
	outline.Declaration
}

// An inventory is what the files of a folder declare, by name and by hash.
type inventory struct {
	names, hashes map[string][]declaration
}

// has reports whether a file declares a name.
func (a *surroundings) has(path, name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.look(path), func(t outline.Declaration) bool { return t.Name == name })
}

// in gives what a folder declares.
func (a *surroundings) in(dir string) *inventory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.folders[dir]; known != nil {
		return known
	}
	paths, many := a.list(dir), 0
	for _, path := range paths {
		many += len(a.look(path))
	}
	found := &inventory{names: make(map[string][]declaration, many), hashes: make(map[string][]declaration, many)}
	for _, path := range paths {
		for _, t := range a.look(path) {
			found.names[t.Name] = append(found.names[t.Name], declaration{path, t})
			if t.Kind == spell.KindFunction {
				found.hashes[t.Hash] = append(found.hashes[t.Hash], declaration{path, t})
			}
		}
	}
	a.folders[dir] = found
	return found
}

// compiled is result.compiled, looked for once.
func (a *surroundings) compiled(r *results.Result, dir string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths, ok := a.built[builtFolder{r, dir}]
	if !ok {
		paths = r.BuiltFiles(dir)
		a.built[builtFolder{r, dir}] = paths
	}
	return paths
}

// look is the way to a file's traits. The caller holds mu.
func (a *surroundings) look(path string) []outline.Declaration {
	list, ok := a.files[path]
	if !ok {
		list = a.traits(path)
		a.files[path] = list
	}
	return list
}
