// Package overlay writes and reads what go build -overlay takes: a description that maps
// files of a build to copies that stand for them. It does not know what is in them.
package overlay

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"spell-lsp/spell/regularfile"
)

// A description is the file that go build -overlay reads.
type description struct {
	Replace map[string]string // original file to the one that stands for it
}

// Write writes files, given by the absolute paths that they replace, into an empty folder,
// and returns the name of the description for -overlay.
func Write(dir string, files map[string][]byte) (string, error) {
	replace, err := Copies(dir, files)
	if err != nil {
		return "", err
	}
	return Describe(filepath.Join(dir, "overlay.json"), replace)
}

// Copies writes files, given by the absolute paths that they replace, into a folder. The
// result maps these paths to the copies.
func Copies(dir string, files map[string][]byte) (map[string]string, error) {
	replace := make(map[string]string, len(files))
	for i, original := range slices.Sorted(maps.Keys(files)) {
		copied := filepath.Join(dir, CopyName(i, original))
		if err := os.WriteFile(copied, files[original], 0o600); err != nil {
			return nil, fmt.Errorf("writing the overlay: %w", err)
		}
		if err := age(copied, files[original]); err != nil {
			return nil, fmt.Errorf("writing the overlay: %w", err)
		}
		replace[original] = copied
	}
	return replace, nil
}

// age sets the modification time of a file to one in the past that depends on its text
// only. The go command does not trust files of the last two seconds, and up to Go 1.24 it
// then overlooks folders that only the overlay has; it recognizes older files by time and
// size.
func age(name string, text []byte) error {
	h := fnv.New32a()
	h.Write(text)
	const start, years = 946684800, 1 << 29 // the year 2000, 17 years
	then := time.Unix(start+int64(h.Sum32()%years), 0)
	return os.Chtimes(name, then, then)
}

// CopyName is the name of the copy of file number i.
func CopyName(i int, original string) string {
	return strconv.Itoa(i) + "_" + filepath.Base(original)
}

// Describe writes the description of an overlay and returns its name.
func Describe(name string, replace map[string]string) (string, error) {
	text, err := json.Marshal(description{replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	return name, nil
}

// Read reads a description: originals to the files that replace them.
func Read(name string) (map[string]string, error) {
	var d description
	text, err := regularfile.Read(name, regularfile.MaxIndex)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the overlay: %w", err)
	}
	return d.Replace, nil
}
