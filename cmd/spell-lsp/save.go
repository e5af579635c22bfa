package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// openStore opens the user's store.
func openStore() (*store.Store, error) {
	dir, err := store.Dir()
	if err != nil {
		return nil, err
	}
	return store.Open(dir), nil
}

// save keeps a run for later, under the folder of the module that was measured:
// there an editor looks for it.
func save(p runner.Params, run *record.Run) error {
	s, err := openStore()
	if err != nil {
		return err
	}
	dir, folder, err := savedUnder(p.Dir)
	if err != nil {
		return err
	}
	kept := *run
	root, err := filepath.Rel(folder, filepath.Join(dir, filepath.FromSlash(run.Workspace.Root)))
	if err != nil {
		return err
	}
	kept.Workspace.Root = filepath.ToSlash(root)
	return s.Save(folder, scope(p, folder, dir), &kept)
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

// scope says in words what of a folder was measured, "" for all of it.
func scope(p runner.Params, folder, dir string) string {
	var parts []string
	all := len(p.Patterns) == 0 || slices.Equal(p.Patterns, []string{"./..."})
	if dir != folder || !all {
		rel, err := filepath.Rel(folder, dir)
		if err != nil {
			rel = dir
		}
		where := "all packages"
		if !all {
			where = "packages " + strings.Join(p.Patterns, " ")
		}
		if rel != "." {
			where += " of " + filepath.ToSlash(rel)
		}
		parts = append(parts, where)
	}
	for _, one := range []struct{ name, value string }{
		{"run", p.Run}, {"bench", p.Bench}, {"reach", p.Reach}, {"block", p.Block},
	} {
		if one.value != "" {
			parts = append(parts, fmt.Sprintf("%s %s", one.name, one.value))
		}
	}
	return strings.Join(parts, ", ")
}
