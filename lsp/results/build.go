package results

import (
	"go/build"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell/regularfile"
)

// BuiltFiles lists the files of a folder that belong to its package under the build tags
// of the measurement, without tests.
func (r *Result) BuiltFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	context := buildContext(r.Settings.Tags)
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

// Builds reports whether a file's name and build constraints let it be built. A file that
// is not on disk counts as built.
func (r *Result) Builds(path string) bool { return Builds(path, r.Settings.Tags) }

// Builds is [Result.Builds] with build tags.
func Builds(path string, tags []string) bool {
	match, err := buildContext(tags).MatchFile(filepath.Split(path))
	return err != nil || match
}

// buildContext is the go command's, with build tags.
func buildContext(tags []string) *build.Context {
	context := build.Default
	context.BuildTags = tags
	context.CgoEnabled = true
	context.OpenFile = func(path string) (io.ReadCloser, error) { return regularfile.Open(path) }
	return &context
}
