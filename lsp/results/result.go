package results

import (
	"cmp"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
	"strconv"
	"strings"
	"sync"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// A Result is a run that is shown. It does not change.
type Result struct {
	Dir          string // the folder that was measured, absolute
	Root         string // what the components' files are relative to, absolute
	Scope        string // what of the folder was measured, "" for all of it
	Restored     bool   // it was not measured since the server started
	InWorkspace  bool   // a folder was open when it came: what is in none is not shown
	Run          *record.Run
	Settings     settings.Settings
	Baseline     *Baseline     // nil if there is none
	Incomparable *Incomparable // why the result is not compared, nil if nothing is against it

	Measured     []bool                             // by component: a test ran it that counts in the analysis
	Files        map[string]map[string][]int        // measured components by absolute path and name in the file
	Folders      map[string][]string                // those paths by folder, sorted
	names        map[string]func() map[string][]int // see namesIn, by folder
	groups       bool                               // there are packages, files or types
	Hashes       map[string][]Former                // functions that were there by the hash of their bodies
	Unranked     map[string]map[string]bool         // those of which nothing is known, by absolute path and name
	Blocks       map[string][]int                   // measured blocks by the ID of their function, in the order of the source
	PackageFiles map[int]string                     // where measured packages are shown
	Lines        map[string][]int                   // what is known by its line only, by absolute path
	Texts        map[string]string                  // of the files in lines, as they were when the result came
	Cells        [][]int                            // cells of the matrix by component
	Calls        func() *calltree.Calls             // who called whom; made before a result is shown, or the first hover waits for it
	IDs          func() map[string]bool             // of its components
	Counted      func() *record.Run                 // with the values to show beside psi
}

// New indexes a run of the folder dir, whose files are below root, as it is
// ranked under the settings.
func New(dir, root, scope string, run *record.Run, s settings.Settings) *Result {
	run = ranked(run, s)
	r := &Result{
		Dir: dir, Root: root, Scope: scope, Run: run, Settings: s,
		Files: map[string]map[string][]int{}, Folders: map[string][]string{}, Hashes: map[string][]Former{}, Unranked: map[string]map[string]bool{},
		Blocks: map[string][]int{}, PackageFiles: map[int]string{}, Lines: map[string][]int{}, Texts: map[string]string{},
	}
	counted := counted(run, s.IncludeFailed)
	r.Counted, r.IDs = sync.OnceValue(func() *record.Run { return ranking.Counted(run) }), sync.OnceValue(r.allIDs)
	r.Calls = sync.OnceValue(func() *calltree.Calls { return CallTree(r.Counted()) })
	r.Measured = make([]bool, len(run.Components))
	for i := range run.Components {
		c := &run.Components[i]
		r.Measured[i] = measured(c) && counted(i)
		switch {
		case !r.Measured[i]:
			if c.Kind == spell.KindFunction {
				r.note(c)
			}
		case c.File != "":
			r.index(i, r.Path(c.File))
		case c.Kind == spell.KindPackage:
			if path := r.Clause(c); path != "" {
				r.index(i, path)
				r.PackageFiles[i] = path
			}
		}
	}
	for _, t := range run.IdenticalBodies {
		r.note(&record.Component{ID: t.ID, Package: t.Package, File: t.File, Hash: t.Hash})
	}
	for _, paths := range []iter.Seq[string]{maps.Keys(r.Files), maps.Keys(r.Lines)} {
		for path := range paths {
			dir := filepath.Dir(path)
			r.Folders[dir] = append(r.Folders[dir], path)
		}
	}
	r.types()
	r.sort()
	r.names = make(map[string]func() map[string][]int, len(r.Folders))
	for dir := range r.Folders {
		r.names[dir] = sync.OnceValue(func() map[string][]int { return r.namesIn(dir) })
	}
	r.Cells = make([][]int, len(run.Components))
	for i, cell := range run.Matrix.Cells {
		r.Cells[cell.Component] = append(r.Cells[cell.Component], i)
	}
	return r
}

// CallTree goes through the call tree of a run. Tests look when that is done.
var CallTree = calltree.Of

// A Former is a function as it was when it was measured.
type Former struct {
	Component  int // -1 of one of which nothing is known
	File, Name string
}

// note notes a function of which nothing is known: it did not become a component
// by being there.
func (r *Result) note(c *record.Component) {
	if c.Hash == "" || c.File == "" {
		return
	}
	path := r.Path(c.File)
	name, _ := LocalName(c)
	if r.Unranked[path] == nil {
		r.Unranked[path] = map[string]bool{}
	}
	r.Unranked[path][name] = true
	r.Hashes[c.Hash] = append(r.Hashes[c.Hash], Former{-1, path, name})
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
func (r *Result) index(component int, path string) {
	c := &r.Run.Components[component]
	name, _ := LocalName(c)
	switch {
	case c.Hash == "" || !strings.HasSuffix(path, ".go"):
		r.Lines[path] = append(r.Lines[path], component)
		return
	case c.Kind == spell.KindBlock:
		function, _, _ := strings.Cut(c.ID, "#")
		r.Blocks[function] = append(r.Blocks[function], component)
		return
	case c.Kind == spell.KindFunction:
		r.Hashes[c.Hash] = append(r.Hashes[c.Hash], Former{component, path, name})
	case c.Kind == spell.KindType:
		name, r.groups = outline.TypePrefix+name, true
	case c.Kind == spell.KindFile, c.Kind == spell.KindPackage:
		name, r.groups = outline.PackageClause, true
	}
	names := r.Files[path]
	if names == nil {
		names = map[string][]int{}
		r.Files[path] = names
	}
	names[name] = append(names[name], component)
}

// types adds the files of folders whose types are ranked: one may be declared where
// none of its methods is.
func (r *Result) types() {
	if r.Run.Granularity != spell.KindType {
		return
	}
	for dir := range r.Folders {
		r.Folders[dir] = append(r.Folders[dir], r.BuiltFiles(dir)...)
	}
}

func (r *Result) allIDs() map[string]bool {
	ids := make(map[string]bool, len(r.Run.Components))
	for i := range r.Run.Components {
		ids[r.Run.Components[i].ID] = true
	}
	return ids
}

func (r *Result) sort() {
	for _, names := range r.Files {
		for _, indices := range names {
			slices.SortFunc(indices, r.byNumber)
		}
	}
	for _, indices := range r.Blocks {
		slices.SortFunc(indices, r.byLine)
	}
	for dir, paths := range r.Folders {
		slices.Sort(paths)
		r.Folders[dir] = slices.Compact(paths)
	}
}

// byNumber orders init functions and literals as they stand in the source.
func (r *Result) byNumber(a, b int) int {
	_, x := LocalName(&r.Run.Components[a])
	_, y := LocalName(&r.Run.Components[b])
	return cmp.Compare(x, y)
}

func (r *Result) byLine(a, b int) int {
	x, y := &r.Run.Components[a], &r.Run.Components[b]
	return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
}

// RootOf gives the workspace root of a run of the folder dir without symbolic
// links.
func RootOf(dir, root string) string {
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, filepath.FromSlash(root))
	}
	return location.Resolve(root)
}

// File is the file in which a component was.
func (r *Result) File(component int) string {
	if path := r.PackageFiles[component]; path != "" {
		return path
	}
	return r.Path(r.Run.Components[component].File)
}

func (r *Result) Path(file string) string {
	file = filepath.FromSlash(file)
	if filepath.IsAbs(file) { // of another tool
		return filepath.Clean(file)
	}
	return filepath.Join(r.Root, file)
}

// Under gives the result as it is under other settings.
func (r *Result) Under(now settings.Settings) *Result {
	changed := *r
	if run := ranked(r.Run, now); run != r.Run {
		changed = *New(r.Dir, r.Root, r.Scope, run, now)
		changed.Restored, changed.InWorkspace, changed.Incomparable, changed.Texts = r.Restored, r.InWorkspace, r.Incomparable, r.Texts
		changed.Calls()
		if b := r.Baseline; b != nil {
			changed.Baseline, changed.Incomparable = changed.CompareWith(b.Name, b.Run)
		}
	}
	changed.Settings = now
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

// Named lists the components of a name in a folder, the first of each file.
func (r *Result) Named(name, dir string) []int {
	if names := r.names[dir]; names != nil {
		return names()[name]
	}
	return nil
}

// namesIn finds the components of the files of a folder by name.
func (r *Result) namesIn(dir string) map[string][]int {
	names := map[string][]int{}
	for _, path := range r.Folders[dir] {
		for name, components := range r.Files[path] {
			names[name] = append(names[name], components[0])
		}
	}
	return names
}

var numbered = regexp.MustCompile(`^(init)\.(\d+)$|^(init\.func)(\d+)$`)

// LocalName gives the name that the source of a component's file has for it.
// Init functions and literals outside of functions have a number of their
// package, which is of use for their order only.
func LocalName(c *record.Component) (name string, number int) {
	name, ok := strings.CutPrefix(c.ID, c.Package+".")
	if !ok || c.Package == "" { // of a main package the linker says main
		_, name, _ = strings.Cut(c.ID[strings.LastIndex(c.ID, "/")+1:], ".")
	}
	m := numbered.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	number, _ = strconv.Atoi(m[2] + m[4]) // a number of more than 18 digits orders like any other
	return m[1] + m[3], number
}

// NameInFile is the name of a component in its file when it was measured. IDs of
// other tools need not have a part that is the name.
func NameInFile(c *record.Component) string {
	name, _ := LocalName(c)
	return cmp.Or(name, c.ID)
}

// RememberTexts notes what the files are whose components are known by their line
// only: they hold to it until the file changes.
func (r *Result) RememberTexts(sourceOf func(path string) *outline.Source) {
	for path := range r.Lines {
		if s := sourceOf(path); s != nil {
			r.Texts[path] = s.Text
		}
	}
}

// Loaded reports whether a result was read from a file: it stays until it is cleared.
func (r *Result) Loaded() bool { return strings.HasPrefix(r.Scope, store.Loaded) }

func (r *Result) Excludes(c *record.Component) bool {
	entries := r.Settings.Exclude
	return len(entries) > 0 && (exclusion.File(entries, c.File) || exclusion.Function(entries, c.ID))
}

// KnowsEnergy tells whether components have energy.
func (r *Result) KnowsEnergy() bool {
	return r.Run.Meter.Source != record.NoEnergy && len(r.Run.Matrix.Domains) > 0
}
