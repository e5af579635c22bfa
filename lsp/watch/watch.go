// Package watch learns of files that change on disk, from the system or, where that has
// no more to give, by looking again and again. It tells paths; what they are to anybody
// it does not know.
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
	// Gather is how long changes are gathered before they are looked at: who
	// checks out another branch changes a thousand files.
	Gather = 100 * time.Millisecond
	// pollInterval is how often files with results are looked at where they can
	// only be looked at.
	pollInterval = time.Second
)

// A Watcher follows files, their folders, and those above them in a workspace, where
// Go and settings files are followed too. Its functions are called by the goroutine of
// Run.
type Watcher struct {
	Files    func() []string       // to be followed now, sorted
	Roots    func() []string       // the folders of the workspace
	Changed  func(paths ...string) // is told what changed, or may have
	Appeared func()                // is told when folders are watched that were not: what is in them may have changed
	Again    <-chan struct{}       // tells that there are other Files
	Log      *zap.Logger
}

// Run has the system tell of changes until ctx ends. The system has a limit of folders
// that it watches for a user: beyond it, files are looked at from time to time.
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

// A follower follows the folders of the files that have results, and those above
// them in the workspace: a folder may go, and come back.
type follower struct {
	*Watcher
	system  *fsnotify.Watcher
	files   []string            // with results, sorted
	links   map[string][]string // of those that are links, by what they lead to
	wanted  []string            // folders, those above before those in them
	watched map[string]bool     // those of them that are there
	changed map[string]bool     // files and folders since the last look
}

func (w *follower) run(ctx context.Context) error {
	if err := w.follow(); err != nil {
		return err
	}
	var look <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-w.Again:
			err = w.follow()
		case event, ok := <-w.system.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			if w.concerns(event) && look == nil {
				look = time.After(Gather)
			}
		case err = <-w.system.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // what changed is not known
				w.Changed(w.files...)
				err = nil
			}
		case <-look:
			look = nil
			err = w.look()
		}
		if err != nil {
			return err
		}
	}
}

// follow watches what is to be watched for the results that there are now. A
// file that is new here may have changed since it was measured.
func (w *follower) follow() error {
	w.files = w.Files()
	w.links = linksOf(w.files)
	w.wanted = foldersOf(w.files, w.links, w.Roots())
	for dir := range w.watched {
		if _, wanted := slices.BinarySearch(w.wanted, dir); !wanted {
			w.forget(dir)
		}
	}
	return w.watch()
}

// watch watches the wanted folders that are there and were not watched yet, and
// notes their files as changed: settings files, too.
func (w *follower) watch() error {
	fresh := map[string]bool{}
	for _, dir := range w.wanted {
		if w.watched[dir] {
			continue
		}
		switch err := w.system.Add(dir); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // the folder above tells when it comes
		case err != nil:
			return err
		default:
			w.watched[dir], fresh[dir] = true, true
		}
	}
	var changed []string
	for _, path := range w.files {
		if fresh[filepath.Dir(path)] {
			changed = append(changed, path)
		}
	}
	if len(changed) > 0 {
		w.Changed(changed...)
	}
	if len(fresh) > 0 {
		w.Appeared()
	}
	return nil
}

func (w *follower) forget(dir string) {
	_ = w.system.Remove(dir) // the system has forgotten a folder that is gone
	delete(w.watched, dir)
}

// concerns notes an event if results may have to do with it. An editor that
// saves a file by another that takes its name makes it appear anew.
func (w *follower) concerns(e fsnotify.Event) bool {
	if !e.Has(fsnotify.Create | fsnotify.Write | fsnotify.Remove | fsnotify.Rename) {
		return false
	}
	_, folder := slices.BinarySearch(w.wanted, e.Name)
	_, file := slices.BinarySearch(w.files, e.Name)
	name := filepath.Base(e.Name)
	if folder || file || strings.HasSuffix(name, ".go") || name == settings.FileName || w.links[e.Name] != nil {
		w.changed[e.Name] = true
		return true
	}
	return false
}

// look passes on what has changed.
func (w *follower) look() error {
	var files []string
	for path := range w.changed {
		if _, folder := slices.BinarySearch(w.wanted, path); !folder {
			files = append(append(files, path), w.links[path]...)
			continue
		}
		for _, file := range w.files {
			if location.Within(file, path) {
				files = append(files, file)
			}
		}
		for dir := range w.watched {
			if location.Within(dir, path) {
				w.forget(dir) // it may be another one by now
			}
		}
	}
	clear(w.changed)
	slices.Sort(files)
	w.Changed(slices.Compact(files)...)
	return w.watch()
}

// linksOf lists the files that are symbolic links by what they lead to.
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

// foldersOf lists the folders of files and of what links lead to, and those
// above them up to the root that they are in. They are sorted.
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
