package results

import (
	"go/build"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell/regularfile"
)

// BuiltFiles lists the files of a folder that are in the package as it was built,
// without its tests.
func (r *Result) BuiltFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	context := r.buildContext()
	var paths []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if match, err := context.MatchFile(dir, name); err == nil && match {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// Builds reports whether the name and the head of a file let it be built. One that
// is not on disk may be.
func (r *Result) Builds(path string) bool {
	match, err := r.buildContext().MatchFile(filepath.Split(path))
	return err != nil || match
}

// buildContext is that of the measurement.
func (r *Result) buildContext() *build.Context {
	context := build.Default
	context.BuildTags = r.Settings.Tags
	context.CgoEnabled = true
	context.OpenFile = func(path string) (io.ReadCloser, error) { return regularfile.Open(path) }
	return &context
}
