package results

import (
	"cmp"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// An index finds the components of a run, by their indexes in the run. Paths are absolute, names
// are those in the source. The cost of a look-up does not grow with the number of components.
type index struct {
	measured     []bool                             // by component: a test that counts in the analysis ran it
	files        map[string]map[string][]int        // measured components by path and name
	folders      map[string][]string                // the paths in files and lines by folder, sorted
	names        map[string]func() map[string][]int // measured components by folder and name, the first of each file
	bodies       map[string][]Former                // functions by the hash of their bodies
	unranked     map[string]map[string]bool         // functions without measured values, by path and name
	blocks       map[string][]int                   // measured blocks by the ID of their function, in the order of the source
	packageFiles map[int]string                     // see Result.PackageFile, of measured packages
	groups       bool                               // packages, files or types were measured
	lines        map[string][]int                   // components known only by their line, by path
	texts        map[string]string                  // of the files in lines, see Result.RememberTexts
	cells        [][]int                            // cells of the matrix by component
	tests        map[string]map[string]int          // tests whose budgets were recorded, by path and name
}

// A Former is a function as it was when it was measured.
type Former struct {
	Component  int // -1 for a function without measured values
	File, Name string
}

// makeIndex indexes the run.
func (r *Result) makeIndex() {
	run := r.Run
	r.index = index{
		measured: make([]bool, len(run.Components)), files: map[string]map[string][]int{}, folders: map[string][]string{},
		bodies: map[string][]Former{}, unranked: map[string]map[string]bool{}, blocks: map[string][]int{},
		packageFiles: map[int]string{}, lines: map[string][]int{}, texts: map[string]string{}, cells: make([][]int, len(run.Components)),
		tests: map[string]map[string]int{},
	}
	counts := counted(run, r.Settings.IncludeFailed)
	for i := range run.Components {
		c := &run.Components[i]
		r.measured[i] = used(c) && counts(i)
		switch {
		case !r.measured[i]:
			if c.Kind == spell.KindFunction {
				r.addUnranked(c)
			}
		case c.File != "":
			r.add(i, r.Path(c.File))
		case c.Kind == spell.KindPackage:
			if path := r.PackageFile(c); path != "" {
				r.add(i, path)
				r.packageFiles[i] = path
			}
		}
	}
	for _, t := range run.IdenticalBodies {
		r.addUnranked(&record.Component{ID: t.ID, Package: t.Package, File: t.File, Hash: t.Hash})
	}
	for i, cell := range run.Matrix.Cells {
		r.cells[cell.Component] = append(r.cells[cell.Component], i)
	}
	for i := range run.Tests {
		r.addTest(i)
	}
	r.addFolders()
	r.sort()
}

// used reports whether any test ran the component: otherwise its cost is unknown.
func used(c *record.Component) bool { return c.N > 0 || c.TimeMS > 0 || c.EnergyJ.Total() > 0 }

// counted returns a function that reports whether a component ran in a test that counts in the
// analysis. The cost of a component that only failed tests ran is unknown, and an older result
// says more.
func counted(run *record.Run, includeFailed bool) func(component int) bool {
	if len(run.Matrix.Cells) == 0 {
		return func(int) bool { return true } // the record does not have the tests of a component
	}
	ran := make([]bool, len(run.Components))
	for _, cell := range run.Matrix.Cells {
		if run.Tests[cell.Test].InAnalysis(includeFailed) {
			ran[cell.Component] = true
		}
	}
	return func(component int) bool { return ran[component] }
}

// add indexes a component under a path.
func (r *Result) add(component int, path string) {
	c := &r.Run.Components[component]
	name, _ := LocalName(c)
	switch {
	case c.Hash == "" || !strings.HasSuffix(path, ".go"):
		r.lines[path] = append(r.lines[path], component)
		return
	case c.Kind == spell.KindBlock:
		function := BlockOf(c)
		r.blocks[function] = append(r.blocks[function], component)
		return
	case c.Kind == spell.KindFunction:
		r.bodies[c.Hash] = append(r.bodies[c.Hash], Former{component, path, name})
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

// addUnranked adds a function without measured values, which existed during the run but
// is no component.
func (r *Result) addUnranked(c *record.Component) {
	if c.Hash == "" || c.File == "" {
		return
	}
	path := r.Path(c.File)
	name, _ := LocalName(c)
	if r.unranked[path] == nil {
		r.unranked[path] = map[string]bool{}
	}
	r.unranked[path][name] = true
	r.bodies[c.Hash] = append(r.bodies[c.Hash], Former{-1, path, name})
}

// addTest indexes a test whose function is known.
func (r *Result) addTest(test int) {
	t := &r.Run.Tests[test]
	if t.File == "" || t.Hash == "" {
		return
	}
	path := r.Path(t.File)
	if r.tests[path] == nil {
		r.tests[path] = map[string]int{}
	}
	r.tests[path][strings.TrimPrefix(t.Name, t.Package+".")] = test
}

// addFolders indexes the paths by folder. A type may be declared in a file in which none
// of its methods is, so all built files of its folder are included.
func (r *Result) addFolders() {
	for _, paths := range []iter.Seq[string]{maps.Keys(r.files), maps.Keys(r.lines)} {
		for path := range paths {
			dir := filepath.Dir(path)
			r.folders[dir] = append(r.folders[dir], path)
		}
	}
	if r.Run.Granularity == spell.KindType {
		for dir := range r.folders {
			r.folders[dir] = append(r.folders[dir], r.BuiltFiles(dir)...)
		}
	}
	r.names = make(map[string]func() map[string][]int, len(r.folders))
	for dir := range r.folders {
		r.names[dir] = sync.OnceValue(func() map[string][]int { return r.namesIn(dir) })
	}
}

func (r *Result) namesIn(dir string) map[string][]int {
	names := map[string][]int{}
	for _, path := range r.folders[dir] {
		for name, components := range r.files[path] {
			names[name] = append(names[name], components[0])
		}
	}
	return names
}

// sort orders init functions and literals by their numbers, and blocks by their places.
func (r *Result) sort() {
	byNumber := func(a, b int) int {
		_, x := LocalName(&r.Run.Components[a])
		_, y := LocalName(&r.Run.Components[b])
		return cmp.Compare(x, y)
	}
	byPlace := func(a, b int) int {
		x, y := &r.Run.Components[a], &r.Run.Components[b]
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	}
	for _, names := range r.files {
		for _, components := range names {
			slices.SortFunc(components, byNumber)
		}
	}
	for _, components := range r.blocks {
		slices.SortFunc(components, byPlace)
	}
	for dir, paths := range r.folders {
		slices.Sort(paths)
		r.folders[dir] = slices.Compact(paths)
	}
}

// Measured reports whether a test that counts in the analysis ran a component.
func (x *index) Measured(component int) bool { return x.measured[component] }

// In returns the measured components of a file by name. Init functions and literals outside
// functions share a name, and are in the order of the source.
func (x *index) In(path string) map[string][]int { return x.files[path] }

// Named lists the measured components of a name in a folder, the first of each file.
func (x *index) Named(name, dir string) []int {
	if names := x.names[dir]; names != nil {
		return names()[name]
	}
	return nil
}

// WithBody lists the functions whose body has this hash, including those without
// measured values.
func (x *index) WithBody(hash string) []Former { return x.bodies[hash] }

// KnowsBodies reports whether there are any functions with bodies.
func (x *index) KnowsBodies() bool { return len(x.bodies) > 0 }

// Unranked reports whether a file had a function of this name without measured values.
func (x *index) Unranked(path, name string) bool { return x.unranked[path][name] }

// Blocks lists the measured blocks of a function, by its ID, in the order of the source.
func (x *index) Blocks(function string) []int { return x.blocks[function] }

// ByLine lists the components of a file that are known by their line only.
func (x *index) ByLine(path string) []int { return x.lines[path] }

// Text returns the text that such a file had when the result was made.
func (x *index) Text(path string) string { return x.texts[path] }

// Folders returns the folders that have components.
func (x *index) Folders() iter.Seq[string] { return maps.Keys(x.folders) }

// FilesIn lists the files of a folder that had components, sorted. The caller must not change
// the list.
func (x *index) FilesIn(dir string) []string { return x.folders[dir] }

// HasPackages reports whether packages are shown at the package clause of a file.
func (x *index) HasPackages() bool { return len(x.packageFiles) > 0 }

// Tests returns the tests of a file whose budgets were recorded, by name.
func (x *index) Tests(path string) map[string]int { return x.tests[path] }

// Cells lists the cells of the matrix that a component has.
func (x *index) Cells(component int) []int { return x.cells[component] }

// File is the file in which a component was.
func (r *Result) File(component int) string {
	if path := r.packageFiles[component]; path != "" {
		return path
	}
	return r.Path(r.Run.Components[component].File)
}

var numbered = regexp.MustCompile(`^(init)\.(\d+)$|^(init\.func)(\d+)$`)

// BlockOf returns the ID of the function that contains a block; "" if the component is not a
// block.
func BlockOf(c *record.Component) string {
	if c.Kind != spell.KindBlock {
		return ""
	}
	function, _ := spell.SplitBlock(c.ID)
	return function
}

// LocalName returns the name of a component in the source of its file. Init functions and
// literals outside functions also have a number in their package, which gives only their order.
func LocalName(c *record.Component) (name string, number int) {
	name, ok := strings.CutPrefix(c.ID, c.Package+".")
	if !ok || c.Package == "" { // the linker names a main package main
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
