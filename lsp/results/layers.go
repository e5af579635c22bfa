package results

import (
	"slices"

	"spell-lsp/lsp/location"
)

// maxNarrow is how many results of parts of folders are kept.
const maxNarrow = 16

// Layers are the results that are shown, the newest first. Each function shows the first result
// that has it: so a measurement of one test leaves the results of other functions, while a
// measurement of a whole folder replaces all results of it. Layers do not change.
type Layers struct {
	List    []*Result
	Folders []location.Folder // the open folders
}

// Hides reports whether a result shows nothing in a file or folder, even if it has components
// there: a loaded result shows nothing outside the open folders.
func (rs *Layers) Hides(r *Result, path string) bool {
	return r.Loaded() && r.InWorkspace && location.Innermost(path, rs.Folders).Path == ""
}

// Hidden reports whether a result shows nothing in any file.
func (rs *Layers) Hidden(r *Result) bool {
	for dir := range r.folders {
		if !rs.Hides(r, dir) {
			return false
		}
	}
	return true
}

// With adds results at the front, and removes those that they replace. The last of list is the
// newest.
func (rs *Layers) With(list ...*Result) *Layers {
	kept, narrow := slices.Clone(list), 0
	slices.Reverse(kept)
	for _, old := range rs.List {
		replaced := slices.ContainsFunc(list, func(r *Result) bool { return r.replaces(old) })
		if old.Scope != "" && !old.Loaded() && !replaced {
			narrow++
			replaced = narrow > maxNarrow
		}
		if !replaced {
			kept = append(kept, old)
		}
	}
	return &Layers{List: kept}
}

// Beneath inserts a saved result: behind all results that were measured or loaded since the
// server started, and behind those that were measured after it. It is left out if it was
// replaced meanwhile.
func (rs *Layers) Beneath(r *Result) *Layers {
	newer := func(other *Result) bool {
		return !other.Restored || other.Loaded() || other.Run.Started.After(r.Run.Started)
	}
	after := &Layers{}
	placed := false
	for _, other := range rs.List {
		switch {
		case newer(other) && other.replaces(r):
			return rs
		case !newer(other) && r.replaces(other):
			continue
		case !placed && !newer(other):
			after.List = append(after.List, r)
			placed = true
		}
		after.List = append(after.List, other)
	}
	if !placed {
		after.List = append(after.List, r)
	}
	return after
}

// replaces reports whether a newer result hides an older one completely: both have the same
// scope, or the newer one is of a whole folder that contains the older one's folder. A module
// does not contain a module inside it, nor does a go.work a module that it does not name.
//
// Tests say nothing of what a program does, nor the other way round: neither replaces the other. A run
// of programs replaces those of the folder that ran no other program.
func (r *Result) replaces(old *Result) bool {
	if programs := OfPrograms(r.Run); programs || OfPrograms(old.Run) {
		return programs && OfPrograms(old.Run) && old.Dir == r.Dir && (old.Scope == r.Scope || r.ranAll(old))
	}
	if r.Scope != "" || old.Dir == r.Dir {
		return old.Dir == r.Dir && (old.Scope == r.Scope || r.Scope == "" && !old.Loaded())
	}
	if !location.Within(old.Dir, r.Dir) || old.Loaded() {
		return false
	}
	for dir := range r.folders {
		if location.Within(dir, old.Dir) {
			return true
		}
	}
	return false
}

// At returns the newest result of a file or folder: one with components in it or in the file's
// folder, else the result of the innermost measured folder around it, else one of a folder below
// it, else nil. An empty path means the newest result of all.
func (rs *Layers) At(path string) *Result {
	if path == "" {
		return rs.First(func(*Result) bool { return true })
	}
	folder := location.FolderFor(path)
	if r := rs.First(func(r *Result) bool { return len(r.files[path]) > 0 || len(r.lines[path]) > 0 }); r != nil {
		return r
	}
	if r := rs.First(func(r *Result) bool { return len(r.folders[folder]) > 0 }); r != nil {
		return r
	}
	var best *Result
	for _, r := range rs.List {
		if location.Within(path, r.Dir) && (best == nil || len(r.Dir) > len(best.Dir)) {
			best = r
		}
	}
	if best != nil {
		return best
	}
	return rs.First(func(r *Result) bool { return location.Within(r.Dir, path) })
}

// First returns the newest result for which a condition holds, or nil.
func (rs *Layers) First(holds func(*Result) bool) *Result {
	if i := slices.IndexFunc(rs.List, holds); i >= 0 {
		return rs.List[i]
	}
	return nil
}

// Grouped lists the files of a folder that show packages, files or types: these are stale when
// any of their functions is.
func (rs *Layers) Grouped(dir string) []string {
	var paths []string
	for _, r := range rs.List {
		if r.groups {
			paths = append(paths, r.folders[dir]...)
		}
	}
	return paths
}

// GroupedIn reports whether a folder has such files.
func (rs *Layers) GroupedIn(dir string) bool {
	return slices.ContainsFunc(rs.List, func(r *Result) bool { return r.groups && len(r.folders[dir]) > 0 })
}

// Paths lists all files that may have marks.
func (rs *Layers) Paths() []string {
	var paths []string
	for _, r := range rs.List {
		for dir, inside := range r.folders {
			if !rs.Hides(r, dir) {
				paths = append(paths, inside...)
			}
		}
		for path := range r.tests {
			if !rs.Hides(r, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
