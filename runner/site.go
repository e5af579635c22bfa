package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A Site is another machine that measures programs which are built here.
type Site interface {
	// Platform is what programs are built for.
	Platform() gocmd.Platform
	// Unsampled is why the kernel there samples no process, fs.ErrPermission if it may not; nil if it does.
	Unsampled() error
	// Measure measures there. Errors are those of [Measure]; a run may come with one, too.
	Measure(context.Context, Job) (*record.Run, error)
}

// platformOf is what programs are built for.
func platformOf(s Site) gocmd.Platform {
	if s == nil {
		return gocmd.Platform{}
	}
	return s.Platform()
}

// A Job is a measurement for another machine.
type Job struct {
	*Task
	Base     string            // the root of the files that go with the task
	Folders  []string          // these files: all in these folders, by absolute name; none is in another
	Buffers  map[string][]byte // an editor's unsaved text, by absolute name of its file
	Programs []execution.Program
	Notes    []note.Note // what building them told
	Supply   Supply      // builds what else is needed
	Progress func(Step)
}

// measureThere builds here and measures at the site. The notes go into the record.
func (m *measurement) measureThere(ctx context.Context) (*record.Run, error) {
	if err := m.makeScratch(); err != nil {
		return nil, err
	}
	if m.sampling != nil {
		m.unsampled = m.Site.Unsampled()
		m.sampling.Profiled = errors.Is(m.unsampled, fs.ErrPermission)
	}
	if err := m.find(ctx); err != nil {
		return nil, err
	}
	folders := foldersOf(m.build.Root, m.build.Modules, m.build.Beside)
	base := common(folders)
	task, err := m.task(base)
	if err != nil {
		return nil, err
	}
	asked := m.notes // the site finds out again what adopt does
	if err := m.adopt(); err != nil {
		return nil, err
	}
	m.notes = asked
	built, err := m.compile(ctx)
	if err != nil {
		return nil, err
	}
	run, err := m.Site.Measure(ctx, Job{
		Task: task, Base: base, Folders: folders, Buffers: m.Buffers, Programs: built, Notes: m.notes, Supply: m.supply, Progress: m.Progress,
	})
	if run != nil {
		run.DurationMS = milliseconds(time.Since(m.began)) // as here, with what was done before the task began
	}
	return run, err
}

// shortestBase is how long the name of the root of all files must be, for a link to the files to have one that is no
// longer (remote.Serve).
const shortestBase = len("/tmp/ab")

// foldersOf are the workspace, the modules outside of it that are measured, and those of the others that have more than
// the first folders of their names in common with these: what is far away would leave no name for the root of all.
func foldersOf(root string, modules, beside []string) []string {
	all := []string{realPath(root)}
	for _, dir := range modules {
		all = append(all, realPath(dir))
	}
	for _, dir := range beside {
		dir = realPath(dir)
		with := append(slices.Clip(all), dir)
		if base := common(with); within(dir, base) && (base == common(all) || len(base) >= shortestBase) {
			all = with
		}
	}
	slices.Sort(all) // a folder before those in it
	var list []string
	for _, dir := range all {
		if !slices.ContainsFunc(list, func(other string) bool { return within(dir, other) }) {
			list = append(list, dir)
		}
	}
	return list
}

// common is the innermost folder that has all of these in it. Where they are on several volumes there is none;
// it is one of them then.
func common(folders []string) string {
	base := folders[0]
	for _, dir := range folders {
		for !within(dir, base) && filepath.Dir(base) != base {
			base = filepath.Dir(base)
		}
	}
	return base
}

// within says whether a folder is another, or in it.
func within(dir, other string) bool {
	rel, err := filepath.Rel(other, dir)
	return err == nil && filepath.IsLocal(rel)
}

// trySamplingOf is trySampling where the measurement runs.
func trySamplingOf(p Params) error {
	if p.Site == nil {
		return TrySampling()
	}
	if err := p.Site.Unsampled(); err != nil {
		return fmt.Errorf("on that machine: %w", err)
	}
	return nil
}
