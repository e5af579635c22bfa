package runner

import (
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// columns are the domains of a meter, and which of them are divided among components.
type columns struct {
	all, shared []spell.Domain
	at          []int // index in all, by shared domain
}

// newColumns are those of a meter; divided says which of its domains are divided.
func newColumns(domains []spell.Domain, divided func(domain int) bool) columns {
	c := columns{all: domains, shared: []spell.Domain{}}
	for d, domain := range domains {
		if divided(d) {
			c.shared, c.at = append(c.shared, domain), append(c.at, d)
		}
	}
	return c
}

// values selects the shared domains from values of all.
func (c columns) values(all []float64) []float64 {
	list := make([]float64, len(c.at))
	for i, d := range c.at {
		list[i] = all[d]
	}
	return list
}

// ofPart is the energy of an unattributed part, without the domains that it cannot have.
func (c columns) ofPart(name record.Part, all []float64) record.Energy {
	e := energy(all, c.all)
	if name == record.Idle {
		return e
	}
	for d, domain := range c.all {
		shared := slices.Contains(c.shared, domain)
		has := shared && !domain.OfBytes() || all[d] != 0 // others moved none
		if name == record.NotByFunction || name == record.MovedByNone {
			has = shared == (name == record.MovedByNone) && (domain.OfBytes() || !shared)
		}
		if !has {
			delete(e, domain)
		}
	}
	return e
}

func energy(joules []float64, domains []spell.Domain) record.Energy {
	e := make(record.Energy, len(domains))
	for d, domain := range domains {
		e[domain] = joules[d]
	}
	return e
}
