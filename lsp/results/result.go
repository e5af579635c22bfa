// Package results holds the runs that are shown, as layers, the newest first. Each has indexes
// by file, name, body and line, its callers and callees, and its comparison with the baseline.
// Results are values: nothing here has a lock, and a change makes another result.
//
// The package does not know which documents are open, nor the current places of functions.
package results

import (
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// An Origin says what a run measured, and where the run comes from.
type Origin struct {
	Dir      string // the folder that was measured, absolute
	Root     string // the folder that the components' files are relative to, absolute; see RootOf
	Scope    string // the measured part of the folder, in words; "" for all of it
	Restored bool   // it was read from the store or a file, and not measured in this session
	// Sources and MeasuredWith are the code and the settings at the beginning, if it was measured in
	// this session.
	Sources      Sources
	MeasuredWith settings.Settings
	InWorkspace  bool // a folder was open: then a loaded run has no marks outside the open folders
}

// GrowthScope begins the scope of a run that measured how a function grows.
const GrowthScope = "growth of "

// Loaded reports whether a result was read from a file: it stays until it is cleared.
func (o *Origin) Loaded() bool { return strings.HasPrefix(o.Scope, store.Loaded) }

// Path returns the absolute path of a component's file. The runs of other tools may have absolute
// paths already.
func (o *Origin) Path(file string) string {
	file = filepath.FromSlash(file)
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(o.Root, file)
}

// RootOf returns the workspace root that a run of the folder dir names, without symbolic links.
func RootOf(dir, root string) string {
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, filepath.FromSlash(root))
	}
	return location.Resolve(root)
}

// A Result is a run as it is shown, ranked under the settings. It does not change once it
// is shown.
type Result struct {
	Origin
	Run          *record.Run
	Settings     settings.Settings
	Baseline     *Baseline     // the run that it is compared with; nil if there is none
	Incomparable *Incomparable // why it is not compared; nil if there is no reason
	Advice       Advice        // what to change in it; nil = not looked for yet
	asMeasured   *record.Run   // Run as it was measured: intervals and kept zones belong to that ranking
	index

	// Counted is the run with the values to show beside psi: sums over the tests that
	// count in the analysis. It is made on first use.
	Counted func() *record.Run
	// Calls are the callers and callees. They are made on first use, which takes long for a
	// large run: call it before the result is shown, or the first hover waits.
	Calls func() *calltree.Calls
	// Shares are the parts of the components, 0 to 1, in the energy of all; in the running
	// time or the executions where these are not known. They are made on first use.
	Shares func() []float64
	// Powers are the powers of the components, nil where they are not known. They are made on first use.
	Powers func() []record.Power
	// Allocations are what all tests allocated, added up on first use.
	Allocations func() record.Allocations
	// Growths are how the costs of components grow with sizes, see growthsOf. They are found on first use.
	Growths func() map[string][]*scaling.Growth
	// Alternatives is the comparison of the alternatives of the run; nil where it has none, or too many tests. It is made on first use.
	Alternatives func() *alternatives.Result
	// IDs are the IDs of the components, made on first use.
	IDs func() map[string]bool
}

// maxCompared is the largest number of tests with keys in their names among which alternatives are looked for.
const maxCompared = 500

// CallTree indexes the call tree of a run. Tests replace it to observe the call.
var CallTree = calltree.Of

// New ranks a run under the settings and indexes it.
func New(o Origin, run *record.Run, s settings.Settings) *Result {
	r := &Result{Origin: o, Settings: s, asMeasured: run}
	run = Ranked(run, s)
	r.Run = run
	r.Counted = sync.OnceValue(func() *record.Run { return ranking.Counted(run) })
	r.Calls = sync.OnceValue(func() *calltree.Calls { return CallTree(r.Counted()) })
	r.Shares = sync.OnceValue(func() []float64 {
		run := r.Counted()
		shares, _ := run.Shares(run.Tallies())
		return shares
	})
	r.Powers = sync.OnceValue(func() []record.Power { return r.Counted().Powers() })
	r.Allocations = sync.OnceValue(run.Allocations)
	r.Growths = sync.OnceValue(func() map[string][]*scaling.Growth { return growthsOf(run) })
	r.Alternatives = sync.OnceValue(func() *alternatives.Result {
		named := 0
		for i := range run.Tests {
			if strings.Contains(run.Tests[i].Name, "=") {
				named++
			}
		}
		if named > maxCompared {
			return nil // all pairs of a size are compared, before a lens is shown
		}
		compared, err := alternatives.Of(run, alternatives.Options{})
		if err != nil {
			return nil // there are none, or which names they are is not clear
		}
		return compared
	})
	r.IDs = sync.OnceValue(func() map[string]bool {
		ids := make(map[string]bool, len(run.Components))
		for i := range run.Components {
			ids[run.Components[i].ID] = true
		}
		return ids
	})
	r.makeIndex()
	return r
}

// Ranked returns a run ranked under the settings: the run itself if it was analysed with them,
// else a copy.
func Ranked(run *record.Run, s settings.Settings) *record.Run {
	if isRanked(run, s) {
		return run
	}
	run = run.Clone()
	ranking.Analyze(run, s.Analysis(), s.IncludeFailed)
	return run
}

func isRanked(run *record.Run, s settings.Settings) bool {
	o := s.Analysis()
	o.Order = ranking.OrderOf(o.Order, run.OfProgram(), run.Granularity)
	was, is := run.Analysis, ranking.AnalysisOf(o, s.IncludeFailed, run.Matrix.Domains)
	return was != nil && was.RankedBy() == is.RankedBy() && was.Oracle == is.Oracle && maps.Equal(was.Weights, is.Weights) && was.Zones == is.Zones &&
		was.IncludeFailed == is.IncludeFailed && was.Inclusive == is.Inclusive
}

// RememberTexts keeps the texts of the files whose components are known only by their line: these
// are stale once the text differs. It is called before the result is shown.
func (r *Result) RememberTexts(sourceOf func(path string) *outline.Source) {
	for path := range r.lines {
		if s := sourceOf(path); s != nil {
			r.texts[path] = s.Text
		}
	}
}

// Under returns the result under other settings.
func (r *Result) Under(now settings.Settings) *Result {
	changed := *r
	if !isRanked(r.Run, now) {
		changed = *New(r.Origin, r.asMeasured, now)
		changed.Incomparable, changed.texts = r.Incomparable, r.texts
		changed.Calls()
		if b := r.Baseline; b != nil {
			changed.Baseline, changed.Incomparable = changed.CompareWith(b.Name, b.Run)
		}
	}
	changed.Settings = now
	return &changed
}

// Excludes reports whether the settings exclude a component from the next measurement: then it is
// not shown any more.
func (r *Result) Excludes(c *record.Component) bool {
	entries := r.Settings.Exclude
	return len(entries) > 0 && (exclusion.File(entries, c.File) || exclusion.Function(entries, c.ID))
}

// KnowsEnergy reports whether the components have energy.
func (r *Result) KnowsEnergy() bool {
	return r.Run.Meter.Source != record.NoEnergy && len(r.Run.Matrix.Domains) > 0
}

// PackageFile returns the file whose package clause shows a package: the first file of its folder,
// which is known if the package belongs to the module; otherwise "".
func (r *Result) PackageFile(c *record.Component) string {
	rel, ok := strings.CutPrefix(c.Package, r.Run.Workspace.Module)
	if !ok || rel != "" && rel[0] != '/' {
		return ""
	}
	if paths := r.BuiltFiles(filepath.Join(r.Root, filepath.FromSlash(rel))); len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// HasBlocks reports whether the run measured blocks. The figures of functions lack those of their
// blocks, so the functions of such a run are not shown.
func (r *Result) HasBlocks() bool { return len(r.blocks) > 0 }

// hidden reports whether a component is not shown at all: it is excluded, no test that
// counts ran it, or its blocks are shown.
func (r *Result) hidden(component int) bool {
	c := &r.Run.Components[component]
	return !r.Measured(component) || r.Excludes(c) || c.Kind == spell.KindFunction && r.HasBlocks()
}
