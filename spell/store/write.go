package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell/atomicfile"
)

// unfinishedPrefix begins the names of files that are still being written.
const unfinishedPrefix = ".new-"

// replace writes a file as a whole or not at all. The caller holds the lock of
// the folder, so that removeUnfinished removes nothing that is being written.
func replace(name string, content func(io.Writer) error) error {
	return atomicfile.ReplacePrivate(name, unfinishedPrefix, content)
}

// makeDir makes a folder, and those above it, and puts their names on the disk.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(dir))
}

// removeUnfinished removes what killed writers left. The caller holds the lock.
func (ws workspaceDir) removeUnfinished() error {
	for _, dir := range []string{ws.dir, ws.runs(), ws.baselines()} {
		names, err := namesIn(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			if strings.HasPrefix(name, unfinishedPrefix) {
				if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

// namesIn lists a folder; one that is not there is empty.
func namesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}
