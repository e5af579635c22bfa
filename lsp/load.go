package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/store"
)

const loadCommand = "spell-lsp.load"

type loadArguments struct {
	Path string `json:"path"` // absolute, relative to the only open folder, or a file URI
}

// load shows a saved run, or the ranking of a matrix that any tool wrote. It executes
// nothing.
func (s *session) load(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[loadArguments](raw)
	if err != nil {
		return nil, err
	}
	path, err := s.fileOf(args.Path)
	if err != nil {
		return nil, fmt.Errorf("path is %q: %w", args.Path, err)
	}
	return func(ctx context.Context) (any, error) {
		return s.tasks.Await(ctx, "loading", func(ctx context.Context) (any, error) { return s.loadFile(ctx, path) })
	}, nil
}

func (s *session) loadFile(ctx context.Context, path string) (any, error) {
	s.awaitSettings(ctx)
	current, err := s.settingsOf(s.folderFor(path))
	if err != nil {
		return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
	run, err := s.Load(path, current)
	if err == nil {
		run, err = validity.Checked(run)
	}
	if err != nil {
		return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
	dir, root, found := s.place(run, path)
	r := results.New(results.Origin{Dir: dir, Root: root, Scope: store.Loaded + path, Restored: true}, run, current)
	r.RememberTexts(s.sourceOf)
	r.Calls()
	r.Growths()
	r.Alternatives()
	r = s.compared(ctx, r)
	s.logIncomparable(ctx, r)
	freeMemory(run)
	shown := s.update(func(next *snapshot.Snapshot) bool {
		if ctx.Err() != nil {
			return false
		}
		r.InWorkspace = len(next.Folders) > 0
		next.Show(next.Results.With(r))
		return true
	})
	if !slices.Contains(shown.Results.List, r) {
		return nil, ctx.Err()
	}
	ctx, done := s.tasks.Start(ctx, "showing a run") // the run is shown, so from here on its call cannot be cancelled
	defer done()
	s.reconfigure(ctx) // with the current settings of its folder
	s.publishNeighbours(r)
	if r.Alternatives() == nil && (found == 0 && !r.HasPackages() || shown.Results.Hidden(r)) {
		s.client.Show(ctx, protocol.MessageTypeWarning, fmt.Sprintf("%s is loaded, but none of its files is in an open folder: only the ranking shows it", path))
	}
	s.publisher.Flush(ctx)
	s.tasks.Go(ctx, "freeing memory", func(ctx context.Context) { freeMemoryLater(ctx, run) })
	return reply(replyTo(r))
}

// largeRun is the number of components from which freeMemory collects garbage.
const largeRun = 10_000

// freeMemory collects the garbage of reading a large run: several times the size of the run,
// which would stay resident and be collected during a hover. So it is called before the
// result is shown.
func freeMemory(run *record.Run) {
	if len(run.Components) >= largeRun {
		debug.FreeOSMemory()
	}
}

// freeDelay is the time between showing a large run and collecting the garbage of that: the
// first hovers on the run come before.
const freeDelay = 5 * time.Second

func freeMemoryLater(ctx context.Context, run *record.Run) {
	select {
	case <-time.After(freeDelay):
		freeMemory(run)
	case <-ctx.Done():
	}
}

// folderFor returns the open folder that contains a file, or else the first open folder.
func (s *session) folderFor(path string) string {
	if dir := s.snapshots.Current().OpenFolder(filepath.Dir(path)); dir != "" {
		return dir
	}
	return s.snapshots.Current().SomeFolder()
}

func (s *session) fileOf(path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("it must be the path of a run or a matrix")
	case strings.HasPrefix(path, "file:"):
		return location.NamedPath(path)
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	}
	dir, err := onlyFolder(s.snapshots.Current().Folders)
	if err != nil {
		return "", errors.New("it must be absolute unless exactly one folder is open")
	}
	return filepath.Join(dir, filepath.FromSlash(path)), nil
}

// maxProbes limits how many files of a run place looks for in each folder.
const maxProbes = 200

// place finds the folder that a loaded run belongs to, and the root that its file names are
// relative to. Candidates are the open folders and the folders around the loaded file; the
// one that has most of the run's files wins. It returns how many files were found there.
func (s *session) place(run *record.Run, loaded string) (dir, root string, found int) {
	files := map[string]bool{}
	for i := range run.Components {
		if f := run.Components[i].File; f != "" && len(files) < maxProbes {
			files[filepath.FromSlash(f)] = true
		}
	}
	var dirs []string
	n := s.snapshots.Current()
	if own := n.OpenFolder(filepath.Dir(location.Resolve(loaded))); own != "" {
		dirs = append(dirs, own) // first, because two folders may have the same files
	}
	for _, f := range n.Folders {
		dirs = append(dirs, f.Path)
	}
	for up := filepath.Dir(location.Resolve(loaded)); ; up = filepath.Dir(up) {
		dirs = append(dirs, up)
		if up == filepath.Dir(up) {
			break
		}
	}
	dir = dirs[0]
	root, found = results.RootOf(dir, run.Workspace.Root), -1
	for _, d := range dirs {
		at := results.RootOf(d, run.Workspace.Root)
		if n := countFiles(at, files); n > found {
			dir, root, found = d, at, n
		}
	}
	return dir, root, found
}

func countFiles(root string, files map[string]bool) int {
	n := 0
	for f := range files {
		if !filepath.IsAbs(f) {
			f = filepath.Join(root, f)
		}
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
			n++
		}
	}
	return n
}
