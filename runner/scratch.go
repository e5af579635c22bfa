package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	scratchPrefix = "spell-lsp-measure-"
	// scratchMark is a file in the folder, locked as long as the measurement
	// lives: the kernel frees the lock however the process ends, and knows it
	// across containers, where process numbers mean nothing.
	scratchMark = ".spell-lsp-scratch"
)

// scratch makes the folder in which a measurement keeps everything, and
// returns what removes it. Folders of processes that were killed before they
// could do so are removed too.
func scratch() (dir string, remove func(), err error) {
	temp, err := filepath.Abs(os.TempDir()) // the go command runs elsewhere
	if err != nil {
		return "", nil, fmt.Errorf("finding the temporary folder: %w", err)
	}
	removeOrphans(temp)
	dir, err = os.MkdirTemp(temp, scratchPrefix+"*")
	if err != nil {
		return "", nil, fmt.Errorf("making a temporary folder: %w: set TMPDIR to a folder that can be written", err)
	}
	unlock, err := lockScratch(dir)
	if err != nil {
		removeScratch(dir)
		return "", nil, fmt.Errorf("marking the temporary folder: %w", err)
	}
	return dir, func() { removeScratch(dir); unlock() }, nil
}

// removeOrphans removes the scratch folders whose mark nobody holds. What has
// no mark is not ours, whatever its name.
func removeOrphans(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		dir := filepath.Join(temp, e.Name())
		if unlock, free := takeScratch(dir); free {
			removeScratch(dir)
			unlock()
		}
	}
}

// removeScratch removes the folder, its mark last: what cannot be removed now
// can still be told for ours by the next measurement.
func removeScratch(dir string) {
	entries, _ := os.ReadDir(dir) // of what cannot be read nothing is removed
	for _, e := range entries {
		if e.Name() != scratchMark && os.RemoveAll(filepath.Join(dir, e.Name())) != nil {
			return
		}
	}
	os.RemoveAll(dir) //nolint:errcheck // the next measurement tries again
}

func subfolder(dir, name string) (string, error) {
	sub := filepath.Join(dir, name)
	if err := os.MkdirAll(sub, 0o700); err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return sub, nil
}
