package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"spell-lsp/spell/settings"
)

// settingsFolder is the folder whose settings file applies to dir: dir itself, or else the
// root of its module or workspace.
func settingsFolder(dir string) string {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return dir
	}
	for _, folder := range []string{dir, above(resolved, "go.mod"), above(resolved, "go.work")} {
		if folder != "" && exists(filepath.Join(folder, settings.FileName)) {
			return folder
		}
	}
	return dir
}

// savedUnder is dir without symbolic links, and the folder under which what is
// measured there is saved: that of the module, or dir where it is that of go.work.
func savedUnder(dir string) (resolved, folder string, err error) {
	if resolved, err = filepath.Abs(dir); err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	if err != nil {
		return "", "", err
	}
	if folder = above(resolved, "go.mod"); folder == "" {
		folder = resolved
	}
	return resolved, folder, nil
}

// above is the nearest of dir and the folders above it that has the file, or "".
func above(dir, file string) string {
	for {
		if exists(filepath.Join(dir, file)) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
