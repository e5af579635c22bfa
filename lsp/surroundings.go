package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"spell-lsp/lsp/outline"
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
	*result
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
func (a *surroundings) compiled(r *result, dir string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths, ok := a.built[builtFolder{r, dir}]
	if !ok {
		paths = r.compiled(dir)
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

// surroundings gives those of views that are made when so many changes have been
// counted.
func (s *session) surroundings(at int) *surroundings {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.around == nil || s.aroundAt != at {
		s.around, s.aroundAt = newSurroundings(s.goFilesIn, s.traitsOf), at
	}
	return s.around
}

// goFilesIn lists the Go files of a folder, those on disk and those that are open.
func (s *session) goFilesIn(dir string) []string {
	var paths []string
	entries, _ := os.ReadDir(dir) // in one that is gone, files may be open
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	s.mu.Lock()
	for path := range s.documents {
		if filepath.Dir(path) == dir && strings.HasSuffix(path, ".go") {
			paths = append(paths, path)
		}
	}
	s.mu.Unlock()
	slices.Sort(paths)
	return slices.Compact(paths)
}

// traitsOf lists what a file declares as it stands: in the editor, or else on disk.
func (s *session) traitsOf(path string) []outline.Declaration {
	if d := s.document(path); d != nil {
		return d.source.Declarations()
	}
	return s.disk.Declarations(path)
}
