package lsp

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/settings"
)

func (s *session) didChangeWorkspaceFolders(ctx context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeWorkspaceFoldersParams](raw)
	if err != nil {
		return err
	}
	s.changeFolders(params.Event)
	s.pullConfiguration(ctx) // each folder may have settings of its own
	s.tasks.Go(ctx, "looking for saved runs", s.restoreFolders)
	return nil
}

func (s *session) changeFolders(event protocol.WorkspaceFoldersChangeEvent) {
	var gone []string
	s.update(func(next *snapshot.Snapshot) bool {
		folders := slices.Clone(next.Folders)
		for _, f := range event.Removed {
			if closed, err := location.NewFolder(string(f.URI)); err == nil {
				folders = slices.DeleteFunc(folders, func(f location.Folder) bool { return f.Named == closed.Named })
				gone = append(gone, closed.Path)
			}
		}
		for _, f := range event.Added {
			if more, err := location.NewFolder(string(f.URI)); err == nil && !slices.Contains(folders, more) {
				folders = append(folders, more)
			}
		}
		next.SetFolders(folders, gone)
		return true
	})
	s.restored.forget(func(dir string) bool { return s.snapshots.Current().Closed(dir, gone) })
	s.publisher.Soon()
}

// moduleDir returns the folder to measure for a file or folder: the nearest folder around it
// that has a go.mod, but none above the open folder that contains it, because the user
// trusts only the open folder. If folders are open, a path outside them is an error.
func moduleDir(path string, folders []location.Folder) (string, error) {
	start := location.FolderFor(path)
	limit := location.Innermost(start, folders).Path
	if limit == "" && len(folders) > 0 {
		return "", fmt.Errorf("%s is not in an open folder: open its folder first", path)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); dir == limit || err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return start, nil
		}
	}
}

// didChangeWatchedFiles receives the paths of changed files. When a folder is created, deleted
// or renamed, clients send its path alone, not the files in it. Paths without results are
// ignored, unless they are Go files or settings.
func (s *session) didChangeWatchedFiles(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeWatchedFilesParams](raw)
	if err != nil {
		return err
	}
	given, touched := map[string]bool{}, []string{}
	for _, c := range params.Changes {
		path, err := location.Path(string(c.URI))
		if err != nil {
			continue
		}
		given[path] = true
		if strings.HasSuffix(path, ".go") || filepath.Base(path) == settings.FileName {
			touched = append(touched, path)
		}
	}
	touched = append(touched, s.measuredIn(given)...)
	slices.Sort(touched)
	s.touched(slices.Compact(touched)...)
	return nil
}

// measuredIn lists the files that have results or diagnostics and are, or are below, one of
// the given paths.
func (s *session) measuredIn(given map[string]bool) []string {
	found := map[string]bool{}
	for _, path := range append(s.publisher.Files(), s.snapshots.Current().Results.Paths()...) {
		found[path] = true
	}
	maps.DeleteFunc(found, func(path string, _ bool) bool { return !location.InAny(path, given) })
	return slices.Sorted(maps.Keys(found))
}
