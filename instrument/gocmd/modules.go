package gocmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Modules lists the folders in which the code of dir can be measured, sorted,
// absolute and without links: dir alone, where it is in a module or where a
// go.work joins modules below it; otherwise the modules below dir, each by
// itself, those within others too. What the go command passes over (vendor,
// testdata, names that begin with . or _) and node_modules are not looked
// into. It fails where there is no module at all, where go.work cannot be
// read, and where the go command does not work.
func Modules(ctx context.Context, dir string) ([]string, error) {
	env, err := ask(ctx, dir, Platform{})
	if err != nil {
		return nil, err
	}
	if dir, err = absolute(dir); err != nil {
		return nil, err
	}
	if whole, err := env.joins(dir); whole || err != nil {
		return []string{dir}, err
	}
	modules := modulesBelow(ctx, dir, everyDepth, everyModule)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(modules) == 0 || env.GO111MODULE == "off" {
		return nil, env.noModule(ctx, dir)
	}
	for i, rel := range modules {
		modules[i] = filepath.Join(dir, rel)
	}
	slices.Sort(modules)
	return modules, nil
}

// absolute is the name of a folder without links.
func absolute(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("finding the folder: %w", err)
	}
	return dir, nil
}

// joins reports whether one go command builds everything in and below dir: dir is in a
// module, or go.work uses modules below it.
func (e *Environment) joins(dir string) (bool, error) {
	if e.module() != "" || !e.inWorkspace() {
		return e.module() != "", nil
	}
	w, _, err := readWorkspace(e.GOWORK)
	return err == nil && len(w.below(dir)) > 0, err
}

// noModule is the error for a folder outside of any module; it says what to do.
func (e *Environment) noModule(ctx context.Context, dir string) error {
	const depth, most = 3, 10
	if e.GO111MODULE == "off" {
		return errors.New("GO111MODULE is off, and only modules can be measured: take it out of the environment (go env -u GO111MODULE if it was set with go env -w)")
	}
	missing := fmt.Sprintf("no go.mod in %s or a folder above it", dir)
	if work := e.unread(dir); work != "" {
		return fmt.Errorf("%s, and %s is not read, as GOWORK is off: take that out of the environment (go env -u GOWORK if it was set with go env -w), or name the folder of a module with -C", missing, work)
	}
	switch below := modulesBelow(ctx, dir, depth, most); len(below) {
	case 0:
		return fmt.Errorf("%s: run `go mod init` there, or name the folder of a module with -C", missing)
	case 1:
		return fmt.Errorf("%s, but there is a module below it: name it with -C %s", missing, filepath.Join(dir, below[0]))
	case most:
		return fmt.Errorf("%s, but there are modules below it: %s and more. Name one with -C, or join all with `go work init` and `go work use -r .`", missing, strings.Join(below, ", "))
	default:
		return fmt.Errorf("%s, but there are modules below it: %s. Name one with -C, or join them with `go work init ./%s`", missing, strings.Join(below, ", "), strings.Join(below, " ./"))
	}
}

// unread is the go.work that is ignored because of GOWORK=off, or "".
func (e *Environment) unread(dir string) string {
	if folder := above(dir, "go.work"); folder != "" && e.GOWORK == "off" {
		return filepath.Join(folder, "go.work")
	}
	return ""
}

// above is the nearest folder that has the file: dir or a parent of it, or "".
func above(dir, file string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// Limits of modulesBelow that leave nothing out.
const everyDepth, everyModule = 1 << 30, 1 << 30

// modulesBelow finds at most most folders with a go.mod, in dir and up to depth levels
// below it, relative to dir and with forward slashes. If ctx ends, it returns those that
// were found by then.
func modulesBelow(ctx context.Context, dir string, depth, most int) (modules []string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { //nolint:errcheck // what cannot be read has no modules to name
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return nil //nolint:nilerr // as above
		case len(modules) == most, ctx.Err() != nil:
			return fs.SkipAll
		case d.Name() == "go.mod" && !d.IsDir():
			modules = append(modules, filepath.ToSlash(filepath.Dir(rel)))
		case d.IsDir() && rel != "." && (aside(d.Name()) || strings.Count(filepath.ToSlash(rel), "/") >= depth):
			return fs.SkipDir
		}
		return nil
	})
	return modules
}

// aside reports whether folders of that name are not searched for modules: the go command
// skips them, or they hold the code of others.
func aside(folder string) bool {
	switch folder {
	case "vendor", "testdata", "node_modules":
		return true
	}
	return folder[0] == '.' || folder[0] == '_'
}
