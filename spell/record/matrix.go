package record

import (
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// FromMatrix makes a run of a valid matrix that was read from a file: one round, every test
// passed, all energy is attributed, and the time of a test is the sum over its components.
// Cumulative values are not known and stay 0. The source "" stands for a file that does not
// say where its energy comes from, see Meter.Origin; without domains it is NoEnergy in any
// case. The run takes over the cells of m. The caller sets ID and Started.
func FromMatrix(m *spell.Matrix, source Source) *Run {
	if len(m.Domains) == 0 {
		source = NoEnergy
	}
	r := &Run{
		Schema: Schema, Rounds: 1, Granularity: spell.KindFunction,
		Meter:      meterOf(source, m.Domains),
		Tests:      make([]Test, len(m.Tests)),
		Components: make([]Component, len(m.Components)),
		Matrix:     Matrix{Domains: m.Domains, Cells: m.Cells, EnergyJ: m.Energy},
	}
	for i, name := range m.Tests {
		r.Tests[i] = Test{Name: name, Outcome: Pass, Rounds: 1, UnattributedJ: Zero(m.Domains)}
	}
	for i, c := range m.Components {
		r.Components[i] = ComponentOf(c)
	}
	r.Granularity = finest(r.Components)
	r.addUp()
	return r
}

// finest is the finest kind of the components; function if there are none.
func finest(components []Component) spell.Kind {
	kinds := spell.Kinds()
	found := -1
	for i := range components {
		found = max(found, slices.Index(kinds, components[i].Kind))
	}
	if found < 0 {
		return spell.KindFunction
	}
	return kinds[found]
}

// The meters of runs that were made of a matrix. The record has no source for energy of
// unknown origin: it is stored as Estimated with the meter unstatedMeter, so that it never
// passes for a measurement.
const (
	statedMeter   = "matrix"
	unstatedMeter = "file"
)

func meterOf(source Source, domains []spell.Domain) Meter {
	if source != "" {
		return Meter{Name: statedMeter, Source: source, Domains: domains}
	}
	return Meter{Name: unstatedMeter, Source: Estimated, Domains: domains, Notes: []note.Note{note.EnergyOriginUnstated()}}
}

// Origin is the source of the energy; "" for a file that does not say it. Such energy is
// called neither measured nor estimated.
func (m *Meter) Origin() Source {
	if m.Name == unstatedMeter && m.Source != NoEnergy {
		return ""
	}
	return m.Source
}

// KnowsEnergy tells whether there is energy, whatever its source.
func (m *Meter) KnowsEnergy() bool { return m.Source != NoEnergy && len(m.Domains) > 0 }

// OfMatrix tells whether the run was made of a matrix, so that all of its energy is
// attributed.
func (m *Meter) OfMatrix() bool { return m.Name == unstatedMeter || m.Name == statedMeter }

// SetCumulative sets the cumulative values of the cells of a run that was made of a matrix.
func (r *Run) SetCumulative(timeMS, energyJ []float64) {
	r.Matrix.CumTimeMS, r.Matrix.CumEnergyJ = timeMS, energyJ
	m := &r.Matrix
	joules := m.SumEnergy(energyJ, len(r.Components), func(i int) int { return int(m.Cells[i].Component) })
	for i, c := range m.Cells {
		r.Components[c.Component].CumTimeMS += timeMS[i]
	}
	for i := range r.Components {
		r.Components[i].CumEnergyJ = EnergyOf(m.Domains, joules[i*len(m.Domains):])
	}
}

// addUp sets the totals of tests and components to the sums over their cells.
func (r *Run) addUp() {
	m := &r.Matrix
	cells, width := m.Cells, len(m.Domains)
	joules := m.SumEnergy(m.EnergyJ, len(r.Tests), func(i int) int { return int(cells[i].Test) })
	times := m.sums(len(r.Tests), 1, func(from, to int, sums []float64) {
		for _, c := range cells[from:to] {
			sums[c.Test] += c.TimeMS
		}
	})
	for i := range r.Tests {
		r.Tests[i].EnergyJ, r.Tests[i].TimeMS = EnergyOf(m.Domains, joules[i*width:]), times[i]
	}
	joules = m.SumEnergy(m.EnergyJ, len(r.Components), func(i int) int { return int(cells[i].Component) })
	rest := m.sums(len(r.Components), 2, func(from, to int, sums []float64) {
		for _, c := range cells[from:to] {
			sums[2*c.Component] += c.N
			sums[2*c.Component+1] += c.TimeMS
		}
	})
	nothing := Zero(m.Domains) // shared by all components that no test ran: there may be millions
	for i := range r.Components {
		c := &r.Components[i]
		c.EnergyJ, c.N, c.TimeMS = nothing, rest[2*i], rest[2*i+1]
		if slices.ContainsFunc(joules[i*width:(i+1)*width], func(e float64) bool { return e != 0 }) {
			c.EnergyJ = EnergyOf(m.Domains, joules[i*width:])
		}
	}
}

// EnergyOf names the joules of each domain.
func EnergyOf(domains []spell.Domain, joules []float64) Energy {
	e := make(Energy, len(domains))
	for d, domain := range domains {
		e[domain] = joules[d]
	}
	return e
}

// ComponentOf is the reverse of Component.Source. A component without a kind is a function.
func ComponentOf(c spell.Component) Component {
	if c.Kind == "" {
		c.Kind = spell.KindFunction
	}
	return Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File,
		Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash, Structure: c.Structure,
	}
}

// Zero is no energy of each domain.
func Zero(domains []spell.Domain) Energy { return EnergyOf(domains, make([]float64, len(domains))) }
