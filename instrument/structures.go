package instrument

import (
	"context"
	"fmt"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/structure"
	"spell-lsp/spell"
)

// structureVersion is increased when the same source gets another structure.
const structureVersion = 1

// findStructure begins to find the structure of all functions, which goes on while the go command
// works. The result waits for it. A change of one package may change what the calls of any other lead to,
// so they are kept together.
func (p *preparation) findStructure(ctx context.Context) (wait func() []structure.Function) {
	sources, key := p.sources, fmt.Appendf(nil, "structure %d %s", structureVersion, p.settings)
	p.sources = nil
	for _, u := range p.units {
		key = fmt.Appendf(key, " %s", u.sum)
	}
	name := cache.Hash(key)
	var found []structure.Function
	if p.cache.Structure(name, &found) {
		return func() []structure.Function { return found }
	}
	found = nil // a damaged file may have been read in part
	done := make(chan struct{})
	go func() {
		defer close(done)
		if found = structure.Of(ctx, sources); found != nil {
			p.cache.KeepStructure(name, found)
		}
	}()
	return func() []structure.Function {
		<-done
		return found
	}
}

// source is the source of the unit, as package structure takes it.
func (u *unit) source() structure.Package {
	s := structure.Package{Path: u.path}
	for _, f := range u.files {
		s.Files = append(s.Files, structure.File{Name: f.rel, Text: f.src})
	}
	return s
}

// addStructure gives components that are functions their structure.
func (b *Build) addStructure(list []structure.Function) {
	at := make(map[structure.Place]int, len(list))
	for i := range list {
		at[list[i].Place] = i
	}
	for i := range b.Components {
		c := &b.Components[i]
		if k, ok := at[structure.Place{File: c.File, Line: c.Line, Column: c.Column}]; ok && c.Kind == spell.KindFunction {
			c.Structure = list[k].Structure
		}
	}
}
