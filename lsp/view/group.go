package view

import (
	"path/filepath"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// groupHashes returns the hashes of packages, files and types in the current source. All hashes of
// a kind are computed when the first one is needed.
type groupHashes struct {
	result   *results.Result
	path     string // of a file in the package
	sourceOf func(path string) *outline.Source
	around   *surroundings
	known    map[spell.Kind]map[string]string // by kind and ID
}

// of returns the hash of a component, or "" if it no longer exists.
func (g *groupHashes) of(c *record.Component) string {
	if g.known[c.Kind] == nil {
		if g.known == nil {
			g.known = map[spell.Kind]map[string]string{}
		}
		g.known[c.Kind] = g.find(c)
	}
	return g.known[c.Kind][c.ID]
}

// find groups the functions of a component's package, or of its file.
func (g *groupHashes) find(c *record.Component) map[string]string {
	paths := []string{g.path}
	if c.Kind != spell.KindFile {
		paths = g.around.builtFiles(g.result, filepath.Dir(g.path))
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
