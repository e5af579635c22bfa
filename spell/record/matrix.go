package record

import (
	"spell-lsp/spell"
)

// FromMatrix makes a run of a valid matrix that came from a file: one round,
// every test passed, all energy attributed, and each test's time the sum of its
// components'. Energy and time with callees are not known and stay 0. Without
// domains the source is NoEnergy, whatever was said. The caller sets ID and
// Started.
func FromMatrix(m *spell.Matrix, source Source) *Run {
	if len(m.Domains) == 0 {
		source = NoEnergy
	}
	r := &Run{
		Schema: Schema, Rounds: 1, Granularity: spell.KindFunction,
		Meter:      Meter{Name: "file", Source: source, Domains: m.Domains},
		Tests:      make([]Test, len(m.Tests)),
		Components: make([]Component, len(m.Components)),
		Matrix:     make([]Cell, len(m.Cells)),
	}
	for i, name := range m.Tests {
		r.Tests[i] = Test{Name: name, Outcome: Pass, Rounds: 1, EnergyJ: zero(m.Domains), UnattributedJ: zero(m.Domains)}
	}
	for i, c := range m.Components {
		r.Components[i] = fromSource(c)
		r.Components[i].EnergyJ = zero(m.Domains)
	}
	if len(m.Components) > 0 {
		r.Granularity = r.Components[0].Kind
	}
	for i, c := range m.Cells {
		r.Matrix[i] = Cell{T: int(c.Test), C: int(c.Component), N: c.N, TimeMS: c.TimeMS, EnergyJ: make(Energy, len(m.Domains))}
		for d, domain := range m.Domains {
			r.Matrix[i].EnergyJ[domain] = m.Joules(i)[d]
		}
		r.count(&r.Matrix[i])
	}
	return r
}

// count adds a cell to the totals of its test and its component.
func (r *Run) count(cell *Cell) {
	test, component := &r.Tests[cell.T], &r.Components[cell.C]
	test.TimeMS += cell.TimeMS
	component.N += cell.N
	component.TimeMS += cell.TimeMS
	for d, e := range cell.EnergyJ {
		test.EnergyJ[d] += e
		component.EnergyJ[d] += e
	}
}

// fromSource is the reverse of source. What is not said to be anything else is
// a function, the usual granularity.
func fromSource(c spell.Component) Component {
	if c.Kind == "" {
		c.Kind = spell.KindFunction
	}
	return Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File,
		Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash,
	}
}

func zero(domains []spell.Domain) Energy {
	e := make(Energy, len(domains))
	for _, d := range domains {
		e[d] = 0
	}
	return e
}
