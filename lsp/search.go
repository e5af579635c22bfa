package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/spell"
)

// folderFiles lists the Go files of a folder, those on disk and those that are
// open.
type folderFiles func(dir string) []string

// A search finds out, for one view of a file, what became of components that are
// not where they were. A function takes one over that has its name in another file
// of the folder, or its body: under another name in the same file, or under the
// same name in another folder. Where several may have become it, none does.
// What is in a test or is not built was not measured, and takes over nothing.
type search struct {
	*result
	file     string // of the view
	sourceOf sources
	folder   folderFiles

	listed  map[string][]string // what folder gave
	matched map[string]bool     // what builds found
}

// maxAlike is how many functions of the same body are looked at for one that was
// renamed. Of more it can hardly be told which, as of empty functions.
const maxAlike = 8

// moved finds the component of a function's name in another file of the folder
// that has no such function any more. Otherwise it returns -1, and whether there
// is a component of that name.
func (s *search) moved(f function) (component int, known bool) {
	if f.name == "init" || f.name == "init.func" || f.name == packageClause {
		return -1, false
	}
	for _, home := range s.folders[filepath.Dir(s.file)] {
		indices := s.files[home][f.name]
		if home == s.file || len(indices) == 0 {
			continue
		}
		known = true
		if s.has(home, f.name) {
			continue
		}
		if s.takes(indices[0], f, home) {
			return indices[0], true
		}
	}
	return -1, known
}

// takes reports whether a function takes over the component of the same name: it is
// the only one of that name, or of those the only one that is as it was measured.
func (s *search) takes(component int, f function, home string) bool {
	if !s.measurable(s.file) {
		return false
	}
	others, hash := 0, s.run.Components[component].Hash
	for _, path := range s.goFiles(filepath.Dir(s.file)) {
		if path == s.file || path == home {
			continue
		}
		for _, g := range s.look(path) {
			if g.name != f.name || !s.measurable(path) {
				continue
			}
			if others++; g.hash == hash {
				return false
			}
		}
	}
	return others == 0 || f.hash == hash
}

// renamed finds the component of a function whose name is not known: one of the
// same body that is not where it was, if no other may have become the function,
// nor the component another function. Otherwise it returns -1, and whether a
// change elsewhere may make it one.
func (s *search) renamed(f function, strangers []function) (component int, known bool) {
	same := func(g function) bool { return g.hash == f.hash }
	first := slices.IndexFunc(strangers, same)
	if f.kind != spell.KindFunction || f.touched || slices.ContainsFunc(strangers[first+1:], same) {
		return -1, false
	}
	alike := s.hashes[f.hash]
	if len(alike) > maxAlike {
		return -1, false
	}
	var gone []former
	for _, was := range alike {
		if was.home != s.file && was.name != f.name {
			continue
		}
		known = true
		if !s.declared(was.name, was.home) {
			gone = append(gone, was)
		}
	}
	if len(gone) != 1 || gone[0].component < 0 || !s.measurable(s.file) || s.claimed(gone[0], f.hash) {
		return -1, known
	}
	return gone[0].component, true
}

// declared reports whether a name that a file declared is there still, or in
// another file of the folder.
func (s *search) declared(name, home string) bool {
	if s.has(home, name) {
		return true
	}
	return slices.ContainsFunc(s.goFiles(filepath.Dir(home)), func(path string) bool {
		return path != home && s.has(path, name) && s.builds(path)
	})
}

// claimed reports whether a function with a body of that hash may have become one of
// another file, in its folder or in that of the search.
func (s *search) claimed(was former, hash string) bool {
	for _, dir := range slices.Compact([]string{filepath.Dir(s.file), filepath.Dir(was.home)}) {
		for _, path := range s.goFiles(dir) {
			claims := func(g function) bool {
				return g.hash == hash && g.kind == spell.KindFunction && !s.idle[path][g.name] && !s.isComponent(g.name, dir)
			}
			if path != s.file && slices.ContainsFunc(s.look(path), claims) && s.measurable(path) {
				return true
			}
		}
	}
	return false
}

// isComponent reports whether a folder has a component of that name.
func (s *search) isComponent(name, dir string) bool {
	return slices.ContainsFunc(s.folders[dir], func(path string) bool { return len(s.files[path][name]) > 0 })
}

func (s *search) has(path, name string) bool {
	return slices.ContainsFunc(s.look(path), func(g function) bool { return g.name == name })
}

// look lists the functions of a file, none if it is not there.
func (s *search) look(path string) []function {
	if source := s.sourceOf(path); source != nil {
		return source.look().functions
	}
	return nil
}

func (s *search) goFiles(dir string) []string {
	list, ok := s.listed[dir]
	if !ok {
		if s.listed == nil {
			s.listed = map[string][]string{}
		}
		list = s.folder(dir)
		s.listed[dir] = list
	}
	return list
}

// builds reports whether a file is built, as far as its name and its head tell.
func (s *search) builds(path string) bool {
	match, ok := s.matched[path]
	if !ok {
		if s.matched == nil {
			s.matched = map[string]bool{}
		}
		match = s.result.builds(path)
		s.matched[path] = match
	}
	return match
}

// measurable reports whether the functions of a file are those of a package as it
// is measured.
func (s *search) measurable(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && s.builds(path)
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
