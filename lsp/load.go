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
	Path string `json:"path"` // absolute, or relative to the only open folder; a file URI is one too
}

// load shows a saved run, or the ranking of a matrix that any tool wrote. It
// runs nothing.
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
	of, err := s.settingsOf(s.folderFor(path))
	if err != nil {
		return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
	run, err := s.Load(path, of)
	if err == nil {
		run, err = validity.Checked(run)
	}
	if err != nil {
		return nil, jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
	dir, root, found := s.place(run, path)
	r := results.New(results.Origin{Dir: dir, Root: root, Scope: store.Loaded + path, Restored: true}, run, of)
	r.RememberTexts(s.sourceOf)
	r.Calls()
	r = s.compared(ctx, r)
	s.logApart(ctx, r)
	tidy(run)
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
	ctx, done := s.tasks.Start(ctx, "showing a run") // what is shown stays: from here on only the client's end ends it
	defer done()
	s.reconfigure(ctx) // by the settings of its folder, as they are now
	s.lookAround(r)
	if found == 0 && !r.HasPackages() || shown.Results.Hidden(r) {
		s.client.Show(ctx, protocol.MessageTypeWarning, fmt.Sprintf("%s is loaded, but none of its files is below a folder that is open: only the ranking shows it", path))
	}
	s.publisher.Flush(ctx)
	s.tasks.Go(ctx, "tidying up", func(ctx context.Context) { tidyLate(ctx, run) })
	return reply(replyTo(r))
}

// many is how many components make it worth while to tidy up.
const many = 10_000

// tidy collects the garbage that reading a large run leaves: several times its
// size, which otherwise stays resident, and is collected while somebody waits for
// a hover. So it is done before the result can be seen.
func tidy(run *record.Run) {
	if len(run.Components) >= many {
		debug.FreeOSMemory()
	}
}

// tidyAfter is when what showing a large run left is collected too: not while those who
// have waited for it ask for their first hovers.
const tidyAfter = 5 * time.Second

func tidyLate(ctx context.Context, run *record.Run) {
	select {
	case <-time.After(tidyAfter):
		tidy(run)
	case <-ctx.Done():
	}
}

// folderFor is the open folder that a file is in, or else the first one.
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
		return "", errors.New("it must be absolute, as not exactly one folder is open")
	}
	return filepath.Join(dir, filepath.FromSlash(path)), nil
}

// maxLooks is how many files of a run are looked for to find out where they are.
const maxLooks = 200

// place finds the folder that a loaded run is of, and the one that its files are
// relative to: where most of them are, of the open folders and of those around
// the file that it was loaded from. It returns how many were found.
func (s *session) place(run *record.Run, loaded string) (dir, root string, found int) {
	files := map[string]bool{}
	for i := range run.Components {
		if f := run.Components[i].File; f != "" && len(files) < maxLooks {
			files[filepath.FromSlash(f)] = true
		}
	}
	var dirs []string
	n := s.snapshots.Current()
	if own := n.OpenFolder(filepath.Dir(location.Resolve(loaded))); own != "" {
		dirs = append(dirs, own) // two folders may have the same files
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
