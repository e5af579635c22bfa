package view

import (
	"path/filepath"

	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// groupHashes are the hashes of packages, files and types as the source stands, by
// kind and ID, which are found out when first asked for.
type groupHashes struct {
	result   *results.Result
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
