package record

import (
	"spell-lsp/spell"
)

// FromMatrix makes a run of a valid matrix that came from a file: one round,
// every test passed, all energy attributed, and each test's time the sum of its
// components'. Energy and time with callees are not known and stay 0. Without
// domains the source is NoEnergy, whatever was said. The cells of m belong to the
// run from then on. The caller sets ID and Started.
func FromMatrix(m *spell.Matrix, source Source) *Run {
	if len(m.Domains) == 0 {
		source = NoEnergy
	}
	r := &Run{
		Schema: Schema, Rounds: 1, Granularity: spell.KindFunction,
		Meter:      Meter{Name: "file", Source: source, Domains: m.Domains},
		Tests:      make([]Test, len(m.Tests)),
		Components: make([]Component, len(m.Components)),
		Matrix:     Matrix{Domains: m.Domains, Cells: m.Cells, EnergyJ: m.Energy},
	}
	for i, name := range m.Tests {
		r.Tests[i] = Test{Name: name, Outcome: Pass, Rounds: 1, UnattributedJ: zero(m.Domains)}
	}
	for i, c := range m.Components {
		r.Components[i] = fromSource(c)
	}
	if len(m.Components) > 0 {
		r.Granularity = r.Components[0].Kind
	}
	r.addUp()
	return r
}

// addUp sets the totals of tests and components to the sums of their cells.
func (r *Run) addUp() {
	domains := len(r.Meter.Domains)
	tests, components := make([]float64, len(r.Tests)*domains), make([]float64, len(r.Components)*domains)
	for i := range r.Matrix.Cells {
		cell := &r.Matrix.Cells[i]
		c := &r.Components[cell.Component]
		r.Tests[cell.Test].TimeMS += cell.TimeMS
		c.N += cell.N
		c.TimeMS += cell.TimeMS
		for d, e := range r.Matrix.EnergyJ[i*domains : (i+1)*domains] {
			tests[int(cell.Test)*domains+d] += e
			components[int(cell.Component)*domains+d] += e
		}
	}
	for i := range r.Tests {
		r.Tests[i].EnergyJ = energyOf(r.Meter.Domains, tests[i*domains:])
	}
	for i := range r.Components {
		r.Components[i].EnergyJ = energyOf(r.Meter.Domains, components[i*domains:])
	}
}

func energyOf(domains []spell.Domain, joules []float64) Energy {
	e := make(Energy, len(domains))
	for d, domain := range domains {
		e[domain] = joules[d]
	}
	return e
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

func zero(domains []spell.Domain) Energy { return energyOf(domains, make([]float64, len(domains))) }
