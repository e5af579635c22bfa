package view

import (
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
)

// A search finds out, for one view of a file, what became of components that are
// not where they were. A function takes one over that has its name in another file
// of the folder, or its body: under another name in the same file, or under the
// same name in another folder. Where several may have become it, none does.
// What is in a test or is not built was not measured, and takes over nothing.
type search struct {
	*results.Result
	file    string // of the view
	around  *surroundings
	matched map[string]bool // what builds found
}

// maxAlike is how many functions of the same body are looked at for one that was
// renamed. Of more it can hardly be told which, as of empty functions.
const maxAlike = 8

// moved finds the component of a function's name in another file of the folder
// that has no such function any more. Otherwise it returns -1, and whether there
// is a component of that name.
func (s *search) moved(f outline.Function) (component int, known bool) {
	if f.Name == "init" || f.Name == "init.func" || f.Name == outline.PackageClause {
		return -1, false
	}
	for _, i := range s.Named(f.Name, filepath.Dir(s.file)) {
		known = true
		if home := s.File(i); !s.around.has(home, f.Name) && s.takes(i, f, home) {
			return i, true
		}
	}
	return -1, known
}

// takes reports whether a function takes over the component of the same name: it is
// the only one of that name, or of those the only one that is as it was measured.
func (s *search) takes(component int, f outline.Function, home string) bool {
	if !s.measurable(s.file) {
		return false
	}
	others, hash := 0, s.Run.Components[component].Hash
	for _, g := range s.around.in(filepath.Dir(s.file)).names[f.Name] {
		if g.path == s.file || g.path == home || !s.measurable(g.path) {
			continue
		}
		if others++; g.Hash == hash {
			return false
		}
	}
	return others == 0 || f.Hash == hash
}

// renamed finds the component of a function whose name is not known: one of the
// same body that is not where it was, if no other may have become the function,
// nor the component another function. Otherwise it returns -1, and whether a
// change elsewhere may make it one. Strangers counts the functions of the file whose
// names are not known, by their bodies.
func (s *search) renamed(f outline.Function, strangers map[string]int) (component int, known bool) {
	if f.Kind != spell.KindFunction || f.Touched || strangers[f.Hash] > 1 {
		return -1, false
	}
	alike := s.WithBody(f.Hash)
	if len(alike) > maxAlike {
		return -1, false
	}
	var gone []results.Former
	for _, was := range alike {
		if was.File != s.file && was.Name != f.Name {
			continue
		}
		known = true
		if !s.declared(was.Name, was.File) {
			gone = append(gone, was)
		}
	}
	if len(gone) != 1 || gone[0].Component < 0 || !s.measurable(s.file) || s.claimed(gone[0], f.Hash) {
		return -1, known
	}
	return gone[0].Component, true
}

// declared reports whether a name that a file declared is there still, or in
// another file of the folder.
func (s *search) declared(name, home string) bool {
	if s.around.has(home, name) {
		return true
	}
	return slices.ContainsFunc(s.around.in(filepath.Dir(home)).names[name], func(g declaration) bool {
		return g.path != home && s.builds(g.path)
	})
}

// claimed reports whether a function with a body of that hash may have become one of
// another file, in its folder or in that of the search.
func (s *search) claimed(was results.Former, hash string) bool {
	for _, dir := range slices.Compact([]string{filepath.Dir(s.file), filepath.Dir(was.File)}) {
		claims := func(g declaration) bool {
			return g.path != s.file && !s.Unranked(g.path, g.Name) && len(s.Named(g.Name, dir)) == 0 && s.measurable(g.path)
		}
		if slices.ContainsFunc(s.around.in(dir).hashes[hash], claims) {
			return true
		}
	}
	return false
}

// builds reports whether a file is built, as far as its name and its head tell.
func (s *search) builds(path string) bool {
	match, ok := s.matched[path]
	if !ok {
		if s.matched == nil {
			s.matched = map[string]bool{}
		}
		match = s.Result.Builds(path)
		s.matched[path] = match
	}
	return match
}

// measurable reports whether the functions of a file are those of a package as it
// is measured.
func (s *search) measurable(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && s.builds(path)
}
