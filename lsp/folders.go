package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// pathOf gives the clean path of a file URI, and false for any other.
func pathOf(s string) (string, bool) {
	u, err := uri.Parse(s)
	if err != nil || !u.IsFile() || !strings.HasPrefix(s, "file:") {
		return "", false
	}
	path := u.FsPath()
	if !filepath.IsAbs(path) {
		return "", false
	}
	return filepath.Clean(path), true
}

func (s *session) didChangeWorkspaceFolders(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeWorkspaceFoldersParams](raw)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folders := slices.Clone(s.folders)
	for _, f := range params.Event.Removed {
		if path, ok := pathOf(string(f.URI)); ok {
			folders = slices.DeleteFunc(folders, func(f string) bool { return f == path })
		}
	}
	for _, f := range params.Event.Added {
		if path, ok := pathOf(string(f.URI)); ok && !slices.Contains(folders, path) {
			folders = append(folders, path)
		}
	}
	s.folders = folders
	return nil
}

// moduleOf finds the folder to measure for a file or folder: the nearest one
// above it with a go.mod, or else the workspace folder it is in, or else its
// own.
func moduleOf(path string, folders []string) string {
	start := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		start = filepath.Dir(path)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	best := ""
	for _, f := range folders {
		if within(start, f) && len(f) > len(best) {
			best = f
		}
	}
	if best != "" {
		return best
	}
	return start
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (s *session) didChangeWatchedFiles(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidChangeWatchedFilesParams](raw)
	if err != nil {
		return err
	}
	for _, c := range params.Changes {
		if path, ok := pathOf(string(c.URI)); ok {
			s.touched(path)
		}
	}
	return nil
}

// runs reports whether anything of the workspace may be run.
func (s *session) runs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trusted
}

// someFolder is the first workspace folder, or where the server was started.
func (s *session) someFolder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.folders) > 0 {
		return s.folders[0]
	}
	return "."
}
