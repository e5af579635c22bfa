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
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/spell/settings"
)

// A folder is one of the workspace.
type folder struct {
	path  string // without symbolic links
	named string // as the client names it
}

func newFolder(u string) (folder, error) {
	named, err := location.NamedPath(u)
	return folder{path: location.Resolve(named), named: named}, err
}

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
	s.mu.Lock()
	defer s.mu.Unlock()
	folders, gone := slices.Clone(s.folders), []string{}
	for _, f := range event.Removed {
		if closed, err := newFolder(string(f.URI)); err == nil {
			folders = slices.DeleteFunc(folders, func(f folder) bool { return f.named == closed.named })
			gone = append(gone, closed.path)
		}
	}
	for _, f := range event.Added {
		if more, err := newFolder(string(f.URI)); err == nil && !slices.Contains(folders, more) {
			folders = append(folders, more)
		}
	}
	s.folders = folders
	s.forget(gone)
}

// forget takes the results of closed folders from view, and shows those that were
// loaded by the folders that are open now. The caller holds mu.
func (s *session) forget(gone []string) {
	closed := func(dir string) bool {
		in := func(folder string) bool { return location.Within(dir, folder) }
		return slices.ContainsFunc(gone, in) && folderOf(dir, s.folders).path == ""
	}
	maps.DeleteFunc(s.restored, func(dir string, _ bool) bool { return closed(dir) }) // to be looked for when it is opened again
	kept := &results{list: slices.DeleteFunc(slices.Clone(s.results.list), func(r *result) bool { return closed(r.dir) })}
	if len(kept.list) < len(s.results.list) || slices.ContainsFunc(kept.list, (*result).loaded) {
		s.setResults(kept)
		s.publishSoon()
	}
}

// home finds the folder to measure in for a file or folder: the nearest one
// above it with a go.mod, but none above the workspace folder that it is in,
// because that is all the user opened and trusts. Where a folder is open, what
// is in none is refused.
func home(path string, folders []folder) (string, error) {
	start := folderFor(path)
	limit := folderOf(start, folders).path
	if limit == "" && len(folders) > 0 {
		return "", fmt.Errorf("%s is in no folder that is open: open its folder first", path)
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

// folderOf is the innermost of the folders that path is in, the zero folder if
// there is none.
func folderOf(path string, folders []folder) folder {
	var best folder
	for _, f := range folders {
		if location.Within(path, f.path) && len(f.path) > len(best.path) {
			best = f
		}
	}
	return best
}

// uriOf gives the URI of a file as the client would write it: below the folder
// that it has opened, whatever that links to.
func (s *session) uriOf(path string) uri.URI {
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	best := folderOf(path, folders)
	if rel, err := filepath.Rel(best.path, path); best.path != "" && err == nil {
		path = filepath.Join(best.named, rel)
	}
	return uri.File(path)
}

// didChangeWatchedFiles is told of files and, where one comes, goes or is renamed, of
// folders without the files in them. Most of what comes and goes has no results: it
// is not looked at, whatever it is.
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

// measuredIn lists what of the given files, and of those in and below the given
// folders, has results or diagnostics.
func (s *session) measuredIn(given map[string]bool) []string {
	found := map[string]bool{}
	s.pushes.mu.Lock()
	for path := range s.pushes.shown {
		found[path] = true
	}
	s.pushes.mu.Unlock()
	s.mu.Lock()
	rs := s.results
	s.mu.Unlock()
	for _, path := range rs.paths() {
		found[path] = true
	}
	maps.DeleteFunc(found, func(path string, _ bool) bool { return !location.InAny(path, given) })
	return slices.Sorted(maps.Keys(found))
}

// someFolder is the first workspace folder, or where the server was started.
func (s *session) someFolder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.folders) > 0 {
		return s.folders[0].path
	}
	return "."
}
