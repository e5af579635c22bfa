// Package watch reports files that change on disk. The system notifies it of changes; if the
// system cannot watch more folders, it polls. It reports paths, and does not know what the files
// are used for.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/redact"
	"spell-lsp/spell/settings"
)

const (
	// gather is how long changes are collected before they are reported: checking out
	// another branch changes a thousand files.
	gather = 100 * time.Millisecond
	// pollInterval is the time between two checks of files that the system does not watch.
	pollInterval = time.Second
)

// A Watcher reports changes of files. Besides Files it reports Go files and settings files in the
// same folders. Run calls its functions, one at a time.
type Watcher struct {
	Files   func() []string       // the files to follow, absolute and sorted
	Roots   func() []string       // the folders of the workspace; folders above Files are watched up to these
	Changed func(paths ...string) // called with files that have changed, or may have
	// Appeared is called when further folders are watched: settings files in them may have
	// changed before.
	Appeared func()
	Again    <-chan struct{} // receives a value when Files has changed
	Log      *zap.Logger
}

// Run reports changes until ctx ends. The system limits how many folders it watches for
// one user; beyond that, Run polls.
func (w *Watcher) Run(ctx context.Context) { w.run(ctx, fsnotify.NewWatcher) }

func (w *Watcher) run(ctx context.Context, open func() (*fsnotify.Watcher, error)) {
	system, err := open()
	if err == nil {
		f := &follower{Watcher: w, system: system, watched: map[string]bool{}, changed: map[string]bool{}}
		err = f.run(ctx)
		err = errors.Join(err, system.Close())
	}
	if ctx.Err() == nil {
		w.Log.Warn("the system does not watch files, so they are looked at each second", redact.Cause(err))
		w.poll(ctx)
	}
}

// A follower watches the folders of the files, and the folders above them in the
// workspace, because a folder may be replaced or come back.
type follower struct {
	*Watcher
	system  *fsnotify.Watcher
	files   []string            // to follow, sorted
	links   map[string][]string // files that are symbolic links, by their target
	wanted  []string            // folders to watch, sorted, so a folder stands before those in it
	watched map[string]bool     // whether a folder of wanted is watched; false for one that is missing
	changed map[string]bool     // files and folders that had events since the last report
}

// run watches until ctx ends or the system fails.
func (f *follower) run(ctx context.Context) error {
	if err := f.follow(); err != nil {
		return err
	}
	var due <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-f.Again:
			err = f.follow()
		case event, ok := <-f.system.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			if f.concerns(event) && due == nil {
				due = time.After(gather)
			}
		case err = <-f.system.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // which files changed is unknown
				f.Changed(f.files...)
				err = nil
			}
		case <-due:
			due = nil
			err = f.report()
		}
		if err != nil {
			return err
		}
	}
}

// follow watches the folders of the current files. It reports the files in folders that were not
// watched so far: they may have changed since the caller read them.
func (f *follower) follow() error {
	f.files = f.Files()
	f.links = linksOf(f.files)
	f.wanted = foldersOf(f.files, f.links, f.Roots())
	for dir := range f.watched {
		if _, wanted := slices.BinarySearch(f.wanted, dir); !wanted {
			f.forget(dir)
		}
	}
	return f.watch()
}

// watch watches the wanted folders that exist and are not watched yet, and reports the files in
// them. It reports the files of a missing folder once: the folder may have been removed before
// the one above it was watched.
func (f *follower) watch() error {
	fresh, appeared := map[string]bool{}, false
	for _, dir := range f.wanted {
		if f.watched[dir] {
			continue
		}
		err := f.system.Add(dir)
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // the folder above reports its return
		if err != nil && !missing {
			return err
		}
		if _, known := f.watched[dir]; !known || !missing {
			f.watched[dir], fresh[dir] = !missing, true
			appeared = appeared || !missing
		}
	}
	var changed []string
	for _, path := range f.files {
		if fresh[filepath.Dir(path)] {
			changed = append(changed, path)
		}
	}
	if len(changed) > 0 {
		f.Changed(changed...)
	}
	if appeared {
		f.Appeared()
	}
	return nil
}

// forget stops watching a folder.
func (f *follower) forget(dir string) {
	_ = f.system.Remove(dir) // fails for a deleted folder: the system has dropped it
	delete(f.watched, dir)
}

// concerns records an event and reports whether it matters. An editor may save a file by renaming
// another file to its name, which looks like a new file.
func (f *follower) concerns(e fsnotify.Event) bool {
	if !e.Has(fsnotify.Create | fsnotify.Write | fsnotify.Remove | fsnotify.Rename) {
		return false
	}
	_, folder := slices.BinarySearch(f.wanted, e.Name)
	_, file := slices.BinarySearch(f.files, e.Name)
	name := filepath.Base(e.Name)
	if folder || file || strings.HasSuffix(name, ".go") || name == settings.FileName || f.links[e.Name] != nil {
		f.changed[e.Name] = true
		return true
	}
	return false
}

// report reports the files that have changed. A changed folder stands for all files below it.
func (f *follower) report() error {
	var files []string
	for path := range f.changed {
		if _, folder := slices.BinarySearch(f.wanted, path); !folder {
			files = append(append(files, path), f.links[path]...)
			continue
		}
		for _, file := range f.files {
			if location.Within(file, path) {
				files = append(files, file)
			}
		}
		for dir := range f.watched {
			if location.Within(dir, path) {
				f.forget(dir) // another folder may have this name by now
			}
		}
	}
	clear(f.changed)
	slices.Sort(files)
	f.Changed(slices.Compact(files)...)
	return f.watch()
}

// linksOf returns the files that are symbolic links, by their target.
func linksOf(files []string) map[string][]string {
	links := map[string][]string{}
	for _, path := range files {
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			links[target] = append(links[target], path)
		}
	}
	return links
}

// foldersOf lists the folders of files and of link targets, and the folders above them up
// to the root that they are in, sorted.
func foldersOf(files []string, links map[string][]string, roots []string) []string {
	folders := map[string]bool{}
	add := func(path string) {
		for dir := filepath.Dir(path); !folders[dir]; dir = filepath.Dir(dir) {
			folders[dir] = true
			if !slices.ContainsFunc(roots, func(root string) bool { return dir != root && location.Within(dir, root) }) {
				return
			}
		}
	}
	for _, path := range files {
		add(path)
	}
	for target := range links {
		add(target)
	}
	var list []string
	for dir := range folders {
		list = append(list, dir)
	}
	slices.Sort(list)
	return list
}
