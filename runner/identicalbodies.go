package runner

import (
	"slices"

	"spell-lsp/instrument"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// identicalBodies lists the functions of a build that did not run, but have the same body as one
// that did: by its body alone the one could be taken for the other.
func identicalBodies(r *record.Run, b *instrument.Build) []record.IdenticalBody {
	ran, bodies := make(map[string]bool), make(map[string]bool)
	for i := range r.Components {
		if c := &r.Components[i]; c.Kind == spell.KindFunction {
			ran[c.ID], bodies[c.Hash] = true, true
		}
	}
	var list []record.IdenticalBody
	for _, c := range slices.Concat(b.Components, b.Bare) {
		if c.Kind == spell.KindFunction && bodies[c.Hash] && !ran[c.ID] {
			list = append(list, record.IdenticalBody{ID: c.ID, Package: c.Package, File: c.File, Hash: c.Hash})
		}
	}
	return list
}
