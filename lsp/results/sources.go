package results

import (
	"crypto/sha256"
	"path/filepath"
	"slices"

	"spell-lsp/lsp/outline"
)

// Sources are the Go files, those of tests included, of the folders whose files were measured, with
// digests of their texts. They tell whether two runs are of the same code. The zero value is of no
// folder, and the same as nothing.
type Sources struct {
	folders []string
	digests map[string][sha256.Size]byte // by path
}

// Texts has the current text of a file, nil for none, as a snapshot has.
type Texts interface {
	Source(path string) *outline.Source
	GoFiles(dir string) []string
}

// SourcesOf are the sources around measured files.
func SourcesOf(files []string, texts Texts) Sources {
	var s Sources
	for _, f := range files {
		if dir := filepath.Dir(f); !slices.Contains(s.folders, dir) {
			s.folders = append(s.folders, dir)
		}
	}
	return s.In(texts)
}

// In returns the sources as they are in other texts.
func (s Sources) In(texts Texts) Sources {
	now := Sources{folders: s.folders, digests: make(map[string][sha256.Size]byte)}
	for _, dir := range s.folders {
		for _, path := range texts.GoFiles(dir) {
			if source := texts.Source(path); source != nil {
				now.digests[path] = sha256.Sum256([]byte(source.Text))
			}
		}
	}
	return now
}

// Same reports whether two sources are equal, apart from some files.
func (s Sources) Same(other Sources, apart ...string) bool {
	if len(s.folders) == 0 || len(other.folders) == 0 {
		return false
	}
	differs := func(path string) bool { return s.digests[path] != other.digests[path] && !slices.Contains(apart, path) }
	for path := range s.digests {
		if differs(path) {
			return false
		}
	}
	for path := range other.digests {
		if differs(path) {
			return false
		}
	}
	return true
}
