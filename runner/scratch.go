package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// scratchPrefix is followed by the process's number and a dash.
const scratchPrefix = "spell-lsp-"

// scratch makes the folder in which a measurement keeps everything, and
// returns what removes it. Folders of processes that were killed before they
// could do so are removed too.
func scratch() (dir string, remove func(), err error) {
	removeOrphans(os.TempDir())
	dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", scratchPrefix, os.Getpid()))
	if err != nil {
		return "", nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil //nolint:errcheck // what cannot be removed now is removed by the next measurement
}

func removeOrphans(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), scratchPrefix)
		if !ok || !e.IsDir() {
			continue
		}
		number, _, _ := strings.Cut(rest, "-")
		if pid, err := strconv.Atoi(number); err == nil && !alive(pid) {
			os.RemoveAll(filepath.Join(temp, e.Name())) //nolint:errcheck // it may be another user's
		}
	}
}

func subfolder(dir, name string) (string, error) {
	sub := filepath.Join(dir, name)
	if err := os.MkdirAll(sub, 0o700); err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return sub, nil
}
