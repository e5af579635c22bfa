package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/redact"
	"spell-lsp/spell/settings"
)

const (
	// gather is how long changes are gathered before they are looked at: who
	// checks out another branch changes a thousand files.
	gather = 100 * time.Millisecond
	// pollInterval is how often files with results are looked at where they can
	// only be looked at.
	pollInterval = time.Second
)

// watchFiles learns of changes that are made outside of the client's buffers,
// so that results of files that are not open do not look fresh when they are
// not: from the client, or where it cannot tell, from the system.
func (s *session) watchFiles(ctx context.Context) {
	can := func(c *capabilities) *bool { return &c.watch }
	which := func(string) bool { return true }
	if s.capable(can) {
		err := s.registerWatchers(ctx)
		s.refused(err, "watching files", can)
		if err == nil { // results of other languages are rare, the client is not asked for all files
			which = func(path string) bool { return !strings.HasSuffix(path, ".go") || !s.inFolder(path) }
			s.rereadSettings(false) // of a change before this the client did not tell
		}
	}
	s.watchOrPoll(ctx, which, fsnotify.NewWatcher)
}

// inFolder reports whether a file is in one of the open folders, which are all that
// a client watches.
func (s *session) inFolder(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return folderOf(path, s.folders).path != ""
}

// measuredFiles lists those of the files with results that the server has to
// look after itself.
func (s *session) measuredFiles(which func(path string) bool) []string {
	s.mu.Lock()
	rs := s.results
	s.mu.Unlock()
	return slices.DeleteFunc(rs.paths(), func(path string) bool { return !which(path) })
}

func (s *session) registerWatchers(ctx context.Context) error {
	comesOrGoes := protocol.WatchKindCreate | protocol.WatchKindDelete
	options, err := json.Marshal(map[string]any{"watchers": []map[string]any{
		{"globPattern": "**/*.go"}, {"globPattern": "**/" + settings.FileName},
		{"globPattern": "**/*", "kind": comesOrGoes}, // folders: of the files in them nothing is told then
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	return s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: Name + ".files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}})
}

// watchOrPoll has the system tell of changes until ctx ends. The system has a
// limit of folders that it watches for a user: beyond it, files are looked at
// from time to time.
func (s *session) watchOrPoll(ctx context.Context, which func(path string) bool, open func() (*fsnotify.Watcher, error)) {
	system, err := open()
	if err == nil {
		w := &watcher{session: s, system: system, which: which, watched: map[string]bool{}, changed: map[string]bool{}}
		err = w.run(ctx)
		err = errors.Join(err, system.Close())
	}
	if ctx.Err() == nil {
		s.log.Warn("the system does not watch files, so they are looked at each second", redact.Cause(err))
		s.pollFiles(ctx, which)
	}
}

// A watcher follows the folders of the files that have results, and those above
// them in the workspace: a folder may go, and come back.
type watcher struct {
	session *session
	system  *fsnotify.Watcher
	which   func(path string) bool // is to be followed
	files   []string               // with results, sorted
	links   map[string][]string    // of those that are links, by what they lead to
	wanted  []string               // folders, those above before those in them
	watched map[string]bool        // those of them that are there
	changed map[string]bool        // files and folders since the last look
}

func (w *watcher) run(ctx context.Context) error {
	if err := w.follow(); err != nil {
		return err
	}
	var look <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-w.session.measured:
			err = w.follow()
		case event, ok := <-w.system.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			if w.concerns(event) && look == nil {
				look = time.After(gather)
			}
		case err = <-w.system.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // what changed is not known
				w.session.touched(w.files...)
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
func (w *watcher) follow() error {
	w.files = w.session.measuredFiles(w.which)
	var roots []string
	w.session.mu.Lock()
	for _, f := range w.session.folders {
		roots = append(roots, f.path)
	}
	w.session.mu.Unlock()
	w.links = linksOf(w.files)
	w.wanted = foldersOf(w.files, w.links, roots)
	for dir := range w.watched {
		if _, wanted := slices.BinarySearch(w.wanted, dir); !wanted {
			w.forget(dir)
		}
	}
	return w.watch()
}

// watch watches the wanted folders that are there and were not watched yet, and
// notes their files as changed: settings files, too.
func (w *watcher) watch() error {
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
		w.session.touched(changed...)
	}
	if len(fresh) > 0 {
		w.session.rereadSettings(false)
	}
	return nil
}

func (w *watcher) forget(dir string) {
	_ = w.system.Remove(dir) // the system has forgotten a folder that is gone
	delete(w.watched, dir)
}

// concerns notes an event if results may have to do with it. An editor that
// saves a file by another that takes its name makes it appear anew.
func (w *watcher) concerns(e fsnotify.Event) bool {
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
func (w *watcher) look() error {
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
	w.session.touched(slices.Compact(files)...)
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

// A stamp tells whether a file has changed.
type stamp struct {
	size     int64
	modified time.Time
}

// pollFiles looks at the files that have results, until ctx ends. While there
// are no results it sleeps.
func (s *session) pollFiles(ctx context.Context, which func(path string) bool) {
	seen := make(map[string]stamp)
	for {
		paths := s.measuredFiles(which)
		var next <-chan time.Time
		if len(paths) > 0 {
			next = time.After(pollInterval)
		}
		var changed []string
		for _, path := range paths {
			var now stamp // zero for a file that is gone
			if info, err := os.Stat(path); err == nil {
				now = stamp{info.Size(), info.ModTime()}
			}
			// A file that is new here may have changed since it was measured.
			if before, ok := seen[path]; !ok || before != now {
				seen[path] = now
				changed = append(changed, path)
			}
		}
		if len(changed) > 0 {
			s.touched(changed...)
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-s.measured:
		}
	}
}
