package view

import (
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
)

// A search finds, for one view of a file, the components that have moved into it. A
// function takes over a component of the same name in another file of the folder, or one
// with the same body: under another name in the same file, or under the same name in
// another folder. If several functions could take it over, none does: a mark on the wrong function
// is worse than none. Functions in tests, or in files that are not built, were not measured, and
// take over nothing.
type search struct {
	*results.Result
	file   string // of the view
	around *surroundings
	built  map[string]bool // see builds, by path
}

// maxAlike is the largest number of functions with the same body among which a renamed one is
// looked for. Among more, for example empty functions, it could not be identified.
const maxAlike = 8

// moved finds a component of the function's name in another file of the folder that no
// longer declares it; -1 if there is none. known reports whether there is a component of
// that name at all.
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

// takes reports whether a function takes over a component of its name: no other function
// could, or this one alone has the measured body.
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

// renamed finds the component that was renamed to a function without a component of its own name.
// The component has the same body and is no longer at its old place, and there is neither another
// such component nor another such function. It returns -1 if there is none. known reports whether
// a change in another file may change that. unknown counts the functions of the file without a
// component of their name, by body.
func (s *search) renamed(f outline.Function, unknown map[string]int) (component int, known bool) {
	if f.Kind != spell.KindFunction || f.Touched || unknown[f.Hash] > 1 {
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

// declared reports whether the file home, or a built file of its folder, declares a name.
func (s *search) declared(name, home string) bool {
	if s.around.has(home, name) {
		return true
	}
	return slices.ContainsFunc(s.around.in(filepath.Dir(home)).names[name], func(g declaration) bool {
		return g.path != home && s.builds(g.path)
	})
}

// claimed reports whether a function of another file, in the folder of the search or of the former
// function, has that body and no component of its own: it may be the former function.
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

// builds reports whether a file is built, according to its name and build constraints.
func (s *search) builds(path string) bool {
	match, ok := s.built[path]
	if !ok {
		if s.built == nil {
			s.built = map[string]bool{}
		}
		match = s.Builds(path)
		s.built[path] = match
	}
	return match
}

// measurable reports whether a measurement includes the functions of a file.
func (s *search) measurable(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && s.builds(path)
}
