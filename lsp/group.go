package lsp

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// groupHash is the hash that a package, file or type has as the source stands,
// found by what is in the folder of path; "" if it is not there any more.
func (r *result) groupHash(c *record.Component, path string, sourceOf sources) string {
	paths := []string{path}
	if c.Kind != spell.KindFile {
		paths = r.compiled(filepath.Dir(path))
	}
	var members []spell.Component
	for _, p := range paths {
		s := sourceOf(p)
		if s == nil {
			continue
		}
		for _, f := range s.look().functions {
			if f.kind == spell.KindFunction {
				members = append(members, spell.Component{
					ID: c.Package + "." + f.name, Kind: f.kind, Package: c.Package, File: c.File, Hash: f.hash,
				})
			}
		}
	}
	groups, _ := spell.Group(members, c.Kind)
	for _, g := range groups {
		if g.ID == c.ID {
			return g.Hash
		}
	}
	return ""
}

// compiled lists the files of a folder that are in the package as it was built,
// without its tests.
func (r *result) compiled(dir string) []string {
	context := build.Default
	context.BuildTags = r.settings.Tags
	context.CgoEnabled = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
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

// clause is the file at whose package clause a package is shown: the first of
// its folder, which is known where the package belongs to the module; "" if it
// is not.
func (r *result) clause(c *record.Component) string {
	rel, ok := strings.CutPrefix(c.Package, r.run.Workspace.Module)
	if !ok || rel != "" && rel[0] != '/' {
		return ""
	}
	if paths := r.compiled(filepath.Join(r.root, filepath.FromSlash(rel))); len(paths) > 0 {
		return paths[0]
	}
	return ""
}
