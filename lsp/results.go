package lsp

import (
	"cmp"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// A result is a run that is shown. It does not change.
type result struct {
	dir      string // the folder that was measured, absolute
	root     string // what the components' files are relative to, absolute
	scope    string // what of the folder was measured, "" for all of it
	earlier  bool   // it was not measured since the server started
	inside   bool   // a folder was open when it came: what is in none is not shown
	run      *record.Run
	settings settings.Settings
	baseline *baseline     // nil if there is none
	apart    *incomparable // why the result is not compared, nil if nothing is against it

	known   []bool                             // by component: a test ran it that counts in the analysis
	files   map[string]map[string][]int        // measured components by absolute path and name in the file
	folders map[string][]string                // those paths by folder, sorted
	names   map[string]func() map[string][]int // see namesIn, by folder
	groups  bool                               // there are packages, files or types
	hashes  map[string][]former                // functions that were there by the hash of their bodies
	idle    map[string]map[string]bool         // those of which nothing is known, by absolute path and name
	blocks  map[string][]int                   // measured blocks by the ID of their function, in the order of the source
	clauses map[int]string                     // where measured packages are shown
	lines   map[string][]int                   // what is known by its line only, by absolute path
	texts   map[string]string                  // of the files in lines, as they were when the result came
	cells   [][]int                            // cells of the matrix by component
	calls   func() *calltree.Calls             // who called whom; made before a result is shown, or the first hover waits for it
	ids     func() map[string]bool             // of its components
	counted func() *record.Run                 // with the values to show beside psi
}

// newResult indexes a run of the folder dir, whose files are below root, as it is
// ranked under the settings.
func newResult(dir, root, scope string, run *record.Run, s settings.Settings) *result {
	run = ranked(run, s)
	r := &result{
		dir: dir, root: root, scope: scope, run: run, settings: s,
		files: map[string]map[string][]int{}, folders: map[string][]string{}, hashes: map[string][]former{}, idle: map[string]map[string]bool{},
		blocks: map[string][]int{}, clauses: map[int]string{}, lines: map[string][]int{}, texts: map[string]string{},
	}
	counted := counted(run, s.IncludeFailed)
	r.counted, r.ids = sync.OnceValue(func() *record.Run { return ranking.Counted(run) }), sync.OnceValue(r.allIDs)
	r.calls = sync.OnceValue(func() *calltree.Calls { return callsOf(r.counted()) })
	r.known = make([]bool, len(run.Components))
	for i := range run.Components {
		c := &run.Components[i]
		r.known[i] = measured(c) && counted(i)
		switch {
		case !r.known[i]:
			if c.Kind == spell.KindFunction {
				r.note(c)
			}
		case c.File != "":
			r.index(i, r.path(c.File))
		case c.Kind == spell.KindPackage:
			if path := r.clause(c); path != "" {
				r.index(i, path)
				r.clauses[i] = path
			}
		}
	}
	for _, t := range run.Twins {
		r.note(&record.Component{ID: t.ID, Package: t.Package, File: t.File, Hash: t.Hash})
	}
	for _, paths := range []iter.Seq[string]{maps.Keys(r.files), maps.Keys(r.lines)} {
		for path := range paths {
			dir := filepath.Dir(path)
			r.folders[dir] = append(r.folders[dir], path)
		}
	}
	r.types()
	r.sort()
	r.names = make(map[string]func() map[string][]int, len(r.folders))
	for dir := range r.folders {
		r.names[dir] = sync.OnceValue(func() map[string][]int { return r.namesIn(dir) })
	}
	r.cells = make([][]int, len(run.Components))
	for i, cell := range run.Matrix.Cells {
		r.cells[cell.Component] = append(r.cells[cell.Component], i)
	}
	return r
}

// callsOf goes through the call tree of a run. Tests look when that is done.
var callsOf = calltree.Of

// A former is a function as it was when it was measured.
type former struct {
	component  int // -1 of one of which nothing is known
	home, name string
}

// note notes a function of which nothing is known: it did not become a component
// by being there.
func (r *result) note(c *record.Component) {
	if c.Hash == "" || c.File == "" {
		return
	}
	path := r.path(c.File)
	name, _ := localName(c)
	if r.idle[path] == nil {
		r.idle[path] = map[string]bool{}
	}
	r.idle[path][name] = true
	r.hashes[c.Hash] = append(r.hashes[c.Hash], former{-1, path, name})
}

// ranked gives a run as it is ranked under the settings: itself, if it was analysed
// so, else a copy.
func ranked(run *record.Run, s settings.Settings) *record.Run {
	was, is := run.Analysis, ranking.AnalysisOf(s.Analysis(), s.IncludeFailed, run.Matrix.Domains)
	if was != nil && was.Oracle == is.Oracle && maps.Equal(was.Weights, is.Weights) && was.Zones == is.Zones &&
		was.IncludeFailed == is.IncludeFailed && was.Inclusive == is.Inclusive {
		return run
	}
	run = run.Clone()
	ranking.Analyze(run, s.Analysis(), s.IncludeFailed)
	return run
}

// index notes where a component is to be looked for.
func (r *result) index(component int, path string) {
	c := &r.run.Components[component]
	name, _ := localName(c)
	switch {
	case c.Hash == "" || !strings.HasSuffix(path, ".go"):
		r.lines[path] = append(r.lines[path], component)
		return
	case c.Kind == spell.KindBlock:
		function, _, _ := strings.Cut(c.ID, "#")
		r.blocks[function] = append(r.blocks[function], component)
		return
	case c.Kind == spell.KindFunction:
		r.hashes[c.Hash] = append(r.hashes[c.Hash], former{component, path, name})
	case c.Kind == spell.KindType:
		name, r.groups = outline.TypePrefix+name, true
	case c.Kind == spell.KindFile, c.Kind == spell.KindPackage:
		name, r.groups = outline.PackageClause, true
	}
	names := r.files[path]
	if names == nil {
		names = map[string][]int{}
		r.files[path] = names
	}
	names[name] = append(names[name], component)
}

// types adds the files of folders whose types are ranked: one may be declared where
// none of its methods is.
func (r *result) types() {
	if r.run.Granularity != spell.KindType {
		return
	}
	for dir := range r.folders {
		r.folders[dir] = append(r.folders[dir], r.compiled(dir)...)
	}
}

func (r *result) allIDs() map[string]bool {
	ids := make(map[string]bool, len(r.run.Components))
	for i := range r.run.Components {
		ids[r.run.Components[i].ID] = true
	}
	return ids
}

func (r *result) sort() {
	for _, names := range r.files {
		for _, indices := range names {
			slices.SortFunc(indices, r.byNumber)
		}
	}
	for _, indices := range r.blocks {
		slices.SortFunc(indices, r.byLine)
	}
	for dir, paths := range r.folders {
		slices.Sort(paths)
		r.folders[dir] = slices.Compact(paths)
	}
}

// byNumber orders init functions and literals as they stand in the source.
func (r *result) byNumber(a, b int) int {
	_, x := localName(&r.run.Components[a])
	_, y := localName(&r.run.Components[b])
	return cmp.Compare(x, y)
}

func (r *result) byLine(a, b int) int {
	x, y := &r.run.Components[a], &r.run.Components[b]
	return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
}

// rootOf gives the workspace root of a run of the folder dir without symbolic
// links.
func rootOf(dir, root string) string {
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, filepath.FromSlash(root))
	}
	return location.Resolve(root)
}

// home is the file in which a component was.
func (r *result) home(component int) string {
	if path := r.clauses[component]; path != "" {
		return path
	}
	return r.path(r.run.Components[component].File)
}

func (r *result) path(file string) string {
	file = filepath.FromSlash(file)
	if filepath.IsAbs(file) { // of another tool
		return filepath.Clean(file)
	}
	return filepath.Join(r.root, file)
}

// under gives the result as it is under other settings.
func (r *result) under(now settings.Settings) *result {
	changed := *r
	if run := ranked(r.run, now); run != r.run {
		changed = *newResult(r.dir, r.root, r.scope, run, now)
		changed.earlier, changed.inside, changed.apart, changed.texts = r.earlier, r.inside, r.apart, r.texts
		changed.calls()
		if b := r.baseline; b != nil {
			changed.baseline, changed.apart = changed.against(b.name, b.run)
		}
	}
	changed.settings = now
	return &changed
}

// measured reports whether any test ran the component: of one that none ran
// nothing is known.
func measured(c *record.Component) bool { return c.N > 0 || c.TimeMS > 0 || c.EnergyJ.Total() > 0 }

// counted reports of components whether a test ran them that counts in the
// analysis: of what only failed tests ran nothing is known, and an older result
// says more.
func counted(run *record.Run, includeFailed bool) func(component int) bool {
	if len(run.Matrix.Cells) == 0 {
		return func(int) bool { return true } // the record does not say
	}
	ran := make([]bool, len(run.Components))
	for _, cell := range run.Matrix.Cells {
		if run.Tests[cell.Test].InAnalysis(includeFailed) {
			ran[cell.Component] = true
		}
	}
	return func(component int) bool { return ran[component] }
}

// maxNarrow is how many results of a measured part of a folder are kept.
const maxNarrow = 16

// Results is what is shown, the newest first: of a function, what the first of
// them has of it. So a measurement of one test leaves what is known of all else,
// and one of a whole folder replaces all that was known of it.
type results struct {
	list    []*result
	folders []folder // that are open
}

// hides reports whether a result has no marks in a file or folder, whatever it
// knows of it: what was loaded has none outside of the open folders, because
// nobody asked for them.
func (rs *results) hides(r *result, path string) bool {
	return r.loaded() && r.inside && folderOf(path, rs.folders).path == ""
}

// hidden reports whether a result has no marks anywhere.
func (rs *results) hidden(r *result) bool {
	for dir := range r.folders {
		if !rs.hides(r, dir) {
			return false
		}
	}
	return true
}

// with puts results in front, in place of those that measured nothing else.
func (rs *results) with(list ...*result) *results {
	kept, narrow := slices.Clone(list), 0
	slices.Reverse(kept) // the last of them is the newest
	for _, old := range rs.list {
		replaced := slices.ContainsFunc(list, func(r *result) bool { return r.replaces(old) })
		if old.scope != "" && !old.loaded() && !replaced {
			narrow++
			replaced = narrow > maxNarrow
		}
		if !replaced {
			kept = append(kept, old)
		}
	}
	return &results{list: kept}
}

// beneath puts a saved result among the others: behind all that was measured or
// loaded since the server started, and behind what was measured after it. It is
// left out where it has been replaced since.
func (rs *results) beneath(r *result) *results {
	newer := func(other *result) bool {
		return !other.earlier || other.loaded() || other.run.Started.After(r.run.Started)
	}
	after := &results{}
	placed := false
	for _, other := range rs.list {
		switch {
		case newer(other) && other.replaces(r):
			return rs
		case !newer(other) && r.replaces(other):
			continue
		case !placed && !newer(other):
			after.list = append(after.list, r)
			placed = true
		}
		after.list = append(after.list, other)
	}
	if !placed {
		after.list = append(after.list, r)
	}
	return after
}

// replaces reports whether a newer result leaves nothing to be seen of an older
// one: it measured the same, or all of a folder that the other is in. A module
// inside of a module is not in that, nor is what a go.work does not name.
func (r *result) replaces(old *result) bool {
	if r.scope != "" || old.dir == r.dir {
		return old.dir == r.dir && (old.scope == r.scope || r.scope == "" && !old.loaded())
	}
	if !location.Within(old.dir, r.dir) || old.loaded() {
		return false
	}
	for dir := range r.folders {
		if location.Within(dir, old.dir) {
			return true
		}
	}
	return false
}

// loaded reports whether a result was read from a file: it stays until it is cleared.
func (r *result) loaded() bool { return strings.HasPrefix(r.scope, store.Loaded) }

// at finds the newest result of a file or folder: one that knows components in
// it or in the file's folder, or else that of the innermost measured folder around
// it, or else one of a folder below it. An empty path is for the newest of all. It
// is nil if there is none.
func (rs *results) at(path string) *result {
	if path == "" {
		return rs.first(func(*result) bool { return true })
	}
	folder := folderFor(path)
	if r := rs.first(func(r *result) bool { return len(r.files[path]) > 0 || len(r.lines[path]) > 0 }); r != nil {
		return r
	}
	if r := rs.first(func(r *result) bool { return len(r.folders[folder]) > 0 }); r != nil {
		return r
	}
	var best *result
	for _, r := range rs.list {
		if location.Within(path, r.dir) && (best == nil || len(r.dir) > len(best.dir)) {
			best = r
		}
	}
	if best != nil {
		return best
	}
	return rs.first(func(r *result) bool { return location.Within(r.dir, path) })
}

// first is the newest result of which something holds, nil if it holds of none.
func (rs *results) first(holds func(*result) bool) *result {
	if i := slices.IndexFunc(rs.list, holds); i >= 0 {
		return rs.list[i]
	}
	return nil
}

// grouped lists the files of a folder in which packages or types of it may stand.
func (rs *results) grouped(dir string) []string {
	var paths []string
	for _, r := range rs.list {
		if r.groups {
			paths = append(paths, r.folders[dir]...)
		}
	}
	return paths
}

// groupedIn reports whether there are such files.
func (rs *results) groupedIn(dir string) bool {
	return slices.ContainsFunc(rs.list, func(r *result) bool { return r.groups && len(r.folders[dir]) > 0 })
}

// paths lists all files that may have marks.
func (rs *results) paths() []string {
	var paths []string
	for _, r := range rs.list {
		for dir, inside := range r.folders {
			if !rs.hides(r, dir) {
				paths = append(paths, inside...)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
