package jsonmatrix

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
)

// allDomains makes room for the energy of every known domain, until the file says which
// domains it has.
func (in *reader) allDomains() {
	in.column = make([]int, len(domainNames))
	for i := range in.column {
		in.column[i] = i
	}
	in.energy = make([]float64, len(domainNames))
	in.mentioned = make([]int64, len(domainNames))
}

// domainList reads the domains of the matrix.
func (in *reader) domainList() error {
	err := in.items(&in.domains, func() error {
		if err := in.oneOf(domainNames...); err != nil {
			return err
		}
		d := spell.Domain(in.text)
		if before := slices.Index(in.m.Domains, d); before >= 0 {
			return in.wrong(fmt.Sprintf("%q like domains[%d]", d, before), "listed once")
		}
		in.m.Domains = append(in.m.Domains, d)
		return nil
	})
	if err != nil {
		return err
	}
	return in.arrange()
}

// arrange reduces the energies of the matrix to the domains that the file lists.
func (in *reader) arrange() error {
	width := len(in.energy)
	from := make([]int, len(in.m.Domains))
	for i, name := range domainNames {
		in.column[i] = slices.Index(in.m.Domains, spell.Domain(name))
		if in.column[i] >= 0 {
			from[in.column[i]] = i
		} else if at := in.mentioned[i]; at > 0 {
			return in.unlisted(at, i)
		}
	}
	in.known, in.energy = true, make([]float64, len(from))
	arranged, cell := in.m.Energy[:0], make([]float64, width)
	for i := range in.m.Cells {
		copy(cell, in.m.Energy[i*width:])
		for _, d := range from {
			arranged = append(arranged, cell[d])
		}
	}
	in.m.Energy = arranged
	return nil
}
