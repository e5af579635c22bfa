package lsp

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A result is a run that is shown. It does not change.
type result struct {
	dir      string // the folder that was measured, absolute
	root     string // what the components' files are relative to, absolute
	run      *record.Run
	settings settings.Settings
	files    map[string]map[string][]int // measured components by absolute path and name in the file
	folders  map[string][]string         // those paths by folder, sorted
	cells    [][]int                     // cells of the matrix by component
	calls    func() *record.Calls        // who called whom
}

// newResult indexes a run of the folder dir.
func newResult(dir string, run *record.Run, s settings.Settings) *result {
	r := &result{
		dir: dir, root: rootOf(dir, run.Workspace.Root), run: run, settings: s,
		files: map[string]map[string][]int{}, folders: map[string][]string{},
	}
	r.calls = sync.OnceValue(run.Calls)
	for i := range run.Components {
		if c := &run.Components[i]; c.File != "" && measured(c) {
			r.index(i, r.path(c.File))
		}
	}
	for path, names := range r.files {
		r.folders[filepath.Dir(path)] = append(r.folders[filepath.Dir(path)], path)
		for _, indices := range names {
			slices.SortFunc(indices, r.byNumber)
		}
	}
	for _, paths := range r.folders {
		slices.Sort(paths)
	}
	r.cells = make([][]int, len(run.Components))
	for i, cell := range run.Matrix.Cells {
		r.cells[cell.Component] = append(r.cells[cell.Component], i)
	}
	return r
}

func (r *result) index(component int, path string) {
	names := r.files[path]
	if names == nil {
		names = map[string][]int{}
		r.files[path] = names
	}
	name, _ := localName(&r.run.Components[component])
	names[name] = append(names[name], component)
}

// byNumber orders init functions and literals as they stand in the source.
func (r *result) byNumber(a, b int) int {
	_, x := localName(&r.run.Components[a])
	_, y := localName(&r.run.Components[b])
	return cmp.Compare(x, y)
}

// rootOf gives the workspace root of a run of the folder dir without symbolic
// links.
func rootOf(dir, root string) string {
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, filepath.FromSlash(root))
	}
	return resolve(root)
}

func (r *result) path(file string) string {
	return filepath.Join(r.root, filepath.FromSlash(file))
}

// measured reports whether any test ran the component: of one that none ran
// nothing is known.
func measured(c *record.Component) bool { return c.N > 0 || c.TimeMS > 0 || c.EnergyJ.Total() > 0 }

// Results is what is shown, the newest first. A folder has one at most.
type results struct{ list []*result }

// with puts a result in front, in place of the one of the same folder.
func (rs *results) with(r *result) *results {
	return &results{list: append([]*result{r}, rs.without(r.dir).list...)}
}

func (rs *results) without(dir string) *results {
	return &results{list: slices.DeleteFunc(slices.Clone(rs.list), func(r *result) bool { return r.dir == dir })}
}

// of finds the result that knows functions of the file's folder.
func (rs *results) of(path string) *result {
	for _, r := range rs.list {
		if len(r.folders[filepath.Dir(path)]) > 0 {
			return r
		}
	}
	return nil
}

// at finds the result of a file or folder: the one that its lenses are of, or
// else that of the innermost measured folder around it. An empty path is for
// the newest.
func (rs *results) at(path string) *result {
	if path == "" && len(rs.list) > 0 {
		return rs.list[0]
	}
	inside := path
	if !strings.HasSuffix(path, ".go") {
		inside = filepath.Join(path, "any.go")
	}
	if r := rs.of(inside); r != nil {
		return r
	}
	var best *result
	for _, r := range rs.list {
		if within(path, r.dir) && (best == nil || len(r.dir) > len(best.dir)) {
			best = r
		}
	}
	return best
}

// near lists the files that a change of the given file can make look
// different: a function may have moved from one to the other.
func (rs *results) near(path string) []string {
	var paths []string
	for _, r := range rs.list {
		paths = append(paths, r.folders[filepath.Dir(path)]...)
	}
	if len(paths) == 0 {
		return nil
	}
	paths = append(paths, path)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// paths lists all files with components.
func (rs *results) paths() []string {
	var paths []string
	for _, r := range rs.list {
		paths = slices.AppendSeq(paths, maps.Keys(r.files))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
