package runner

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/record"
)

// A Task is what a machine without the source and without Go needs to know in order to measure
// programs that were built elsewhere. Folders are relative to the Root of the tree of files that go
// with it, with forward slashes.
type Task struct {
	Params  Params
	Stops   []string // the signals of Params.Scenarios, which have other numbers on other systems
	Started time.Time
	// Dir is the folder that is measured, Root the one of the workspace.
	Dir, Root string
	Build     instrument.Build
	Workspace record.Workspace
	Standard  []string // the packages of the standard library
	// Texts are the hashes of the texts of Build.Components (record.TextHash); "" for what is no function, and where lines
	// of the program are not those of its file.
	Texts []string
	// Built is the absolute name of the tree where the programs were built, as they name their source.
	Built string
}

// task describes a measurement whose functions are found. base is the root of the files that go with it.
func (m *measurement) task(base string) (*Task, error) {
	t := &Task{Params: m.Params, Started: m.started, Build: *m.build, Workspace: m.workspace, Built: base}
	var err error
	relative := func(dir string) (rel string) {
		if rel, err2 := filepath.Rel(base, realPath(dir)); err2 == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		err = fmt.Errorf("%s is not below %s, whose files go to the machine that measures", dir, base)
		return ""
	}
	t.Params.Granularity = cmp.Or(m.view, m.Granularity)
	t.Dir, t.Root = relative(m.Dir), relative(m.build.Root)
	t.Build.Tests = nil
	for _, p := range m.build.Tests {
		t.Build.Tests = append(t.Build.Tests, instrument.Package{Path: p.Path, Dir: relative(p.Dir)})
	}
	t.Params.Scenarios = slices.Clone(m.Scenarios)
	for i := range m.Scenarios {
		t.Stops = append(t.Stops, m.Scenarios[i].StopName())
		for _, p := range m.build.Tests {
			if s := &t.Params.Scenarios[i]; filepath.IsAbs(s.Package) && mayMatch(m.Dir, s.Package, p) {
				s.Package = p.Path // the folder is another one there
			}
		}
	}
	if err != nil {
		return nil, err
	}
	t.Texts = m.textHashes()
	t.Standard, err = packagesBelow(filepath.Join(m.build.GOROOT, "src"))
	t.Build.GOROOT, t.Build.Overlay, t.Build.Root, t.Build.Modules, t.Build.Beside = "", "", "", nil, nil
	return t, err
}

// packagesBelow lists the folders below a folder, without commands and test data.
func packagesBelow(src string) (list []string, err error) {
	src, err = filepath.EvalSymlinks(src) // a link in some distributions
	if err != nil {
		return nil, fmt.Errorf("listing the standard library: %w", err)
	}
	err = filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || name == src {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		if rel == "cmd" || d.Name() == "testdata" {
			return fs.SkipDir
		}
		list = append(list, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the standard library: %w", err)
	}
	return list, nil
}

// Measure carries out the measurement of a task, whose files are below base. Errors are those of
// [Measure]. kept, if not nil, is called with a run of all complete rounds after each of them.
func (t *Task) Measure(ctx context.Context, base string, programs Supply, kept func(*record.Run)) (*record.Run, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	m, err := t.measurement(base)
	if err != nil {
		return nil, err
	}
	m.supply, m.complete = programs, kept
	defer m.end()
	if err := m.open(); err != nil {
		return nil, err
	}
	m.chooseSource()
	if err := m.adopt(); err != nil {
		return nil, err
	}
	built, err := m.compile(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.ready(ctx, built); err != nil {
		return nil, err
	}
	return m.measure(ctx)
}

// measurement is the one that a task describes. The task came from another machine: what it says is checked.
func (t *Task) measurement(base string) (*measurement, error) {
	p := t.Params
	p.Scenarios = slices.Clone(p.Scenarios)
	for i := range p.Scenarios {
		if i >= len(t.Stops) {
			return nil, fmt.Errorf("the task names %d signals for %d scenarios", len(t.Stops), len(p.Scenarios))
		}
		stop, err := scenario.Signal(t.Stops[i])
		if err != nil {
			return nil, err
		}
		p.Scenarios[i].Stop = stop
	}
	var err error
	at := func(rel string) string {
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			err = fmt.Errorf("the task names the folder %q, which is outside of its files", rel)
		}
		return filepath.Join(base, filepath.FromSlash(rel))
	}
	if len(t.Texts) > len(t.Build.Components) {
		return nil, fmt.Errorf("the task has %d texts of %d components", len(t.Texts), len(t.Build.Components))
	}
	p.Dir = at(t.Dir)
	build := t.Build
	build.Root, build.Tests = at(t.Root), slices.Clone(t.Build.Tests)
	for i := range build.Tests {
		build.Tests[i].Dir = at(build.Tests[i].Dir)
	}
	if err != nil {
		return nil, err
	}
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	m.started, m.build, m.workspace = t.Started, &build, t.Workspace
	m.builtIn, m.builtTexts, m.base = t.SourceRoot(), t.Texts, base
	m.library = make(map[string]bool, len(t.Standard))
	for _, pkg := range t.Standard {
		m.library[pkg] = true
	}
	return m, nil
}

// standard tells whether a package is of the standard library.
func (m *measurement) standard(pkg string) bool {
	if m.library != nil {
		return m.library[pkg]
	}
	info, err := os.Stat(filepath.Join(m.build.GOROOT, "src", filepath.FromSlash(pkg)))
	return err == nil && info.IsDir()
}

// SourceRoot is Built as programs have it in the names of their source files: with slashes on every system.
func (t *Task) SourceRoot() string { return strings.ReplaceAll(t.Built, `\`, "/") }

// AsBuilt is what a program printed, with the names of files below base as they were called where it was built.
func (t *Task) AsBuilt(base, text string) string {
	return strings.ReplaceAll(text, base+"/", strings.TrimSuffix(t.SourceRoot(), "/")+"/")
}

// asBuilt is AsBuilt of a measurement, which may be one of no task.
func (m *measurement) asBuilt(text string) string {
	if m.builtIn == "" {
		return text
	}
	return (&Task{Built: m.builtIn}).AsBuilt(m.base, text)
}

// here is where a source file lies that programs name as it was called where they were built.
func (m *measurement) here(file string) string {
	if m.builtIn == "" {
		return file
	}
	slashed := strings.ReplaceAll(file, `\`, "/") // maybe of another system
	rest, is := strings.CutPrefix(slashed, strings.TrimSuffix(m.builtIn, "/")+"/")
	if !is || !filepath.IsLocal(filepath.FromSlash(rest)) {
		return file
	}
	return filepath.Join(m.base, filepath.FromSlash(rest))
}
