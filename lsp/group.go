package lsp

import (
	"go/build"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// groupHashes are the hashes of packages, files and types as the source stands, by
// kind and ID, which are found out when first asked for.
type groupHashes struct {
	result   *result
	path     string // in whose folder they are
	sourceOf sources
	around   *surroundings
	known    map[spell.Kind]map[string]string
}

// of is the hash of a component; "" if it is not there any more.
func (g *groupHashes) of(c *record.Component) string {
	if g.known[c.Kind] == nil {
		if g.known == nil {
			g.known = map[spell.Kind]map[string]string{}
		}
		g.known[c.Kind] = g.find(c)
	}
	return g.known[c.Kind][c.ID]
}

// find groups what is in the package of a component, or in its file.
func (g *groupHashes) find(c *record.Component) map[string]string {
	paths := []string{g.path}
	if c.Kind != spell.KindFile {
		paths = g.around.compiled(g.result, filepath.Dir(g.path))
	}
	var members []spell.Component
	for _, p := range paths {
		s := g.sourceOf(p)
		if s == nil {
			continue
		}
		for _, f := range s.Outline().Functions {
			if f.Kind == spell.KindFunction {
				members = append(members, spell.Component{
					ID: c.Package + "." + f.Name, Kind: f.Kind, Package: c.Package, File: c.File, Hash: f.Hash,
				})
			}
		}
	}
	hashes := map[string]string{}
	groups, _ := spell.Group(members, c.Kind)
	for _, group := range groups {
		hashes[group.ID] = group.Hash
	}
	return hashes
}

// compiled lists the files of a folder that are in the package as it was built,
// without its tests.
func (r *result) compiled(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	context := r.buildContext()
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

// builds reports whether the name and the head of a file let it be built. One that
// is not on disk may be.
func (r *result) builds(path string) bool {
	match, err := r.buildContext().MatchFile(filepath.Split(path))
	return err != nil || match
}

// buildContext is that of the measurement.
func (r *result) buildContext() *build.Context {
	context := build.Default
	context.BuildTags = r.settings.Tags
	context.CgoEnabled = true
	context.OpenFile = func(path string) (io.ReadCloser, error) { return regularfile.Open(path) }
	return &context
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
