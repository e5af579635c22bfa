package runner

import (
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// fill adds tests, components and the matrix to r.
func (f *findings) fill(r *record.Run) {
	r.Matrix.Domains = f.columns.shared
	for i, u := range f.units {
		r.Components = append(r.Components, component(u, f.columns))
		r.Components[i].BelowResolution = f.below[i]
	}
	for _, t := range f.tests {
		f.addTest(r, t)
	}
	f.addRounds(r)
	addTestRounds(r, f.rounds)
}

// addTest appends a test and its cells, and adds the cells to the components.
func (f *findings) addTest(r *record.Run, m *mean) {
	row := int32(len(r.Tests))
	for _, u := range sortedKeys(m.shares) {
		s, at := m.shares[u], f.at[u]
		r.Matrix.Cells = append(r.Matrix.Cells, spell.Cell{Test: row, Component: int32(at), N: s.N, TimeMS: s.SelfNS / 1e6})
		r.Matrix.EnergyJ = append(r.Matrix.EnergyJ, f.columns.values(s.Joules)...)
		r.Matrix.CumTimeMS = append(r.Matrix.CumTimeMS, s.CumNS/1e6)
		r.Matrix.CumEnergyJ = append(r.Matrix.CumEnergyJ, f.columns.values(s.CumJoules)...)
		add(&r.Components[at], s, f.columns)
	}
	unattributed := make([]float64, len(m.joules))
	parts := make(map[record.Part]record.Unattributed, len(m.parts))
	for _, name := range sortedKeys(m.parts) { // floating-point sums depend on the order
		p := m.parts[name]
		for d, e := range p.Joules {
			unattributed[d] += e
		}
		parts[name] = record.Unattributed{TimeMS: p.NS / 1e6, EnergyJ: f.columns.ofPart(name, p.Joules)}
	}
	all := f.columns.all
	r.Tests = append(r.Tests, record.Test{
		Name: m.pkg + "." + m.name, Package: m.pkg, Outcome: m.outcome, Output: m.output, ExitCode: m.exitCode, Rounds: m.rounds, Repeats: m.repeats(), PerOperation: m.operation,
		EnergyJ: energy(m.joules, all), TimeMS: m.timeMS, UnattributedJ: energy(unattributed, all),
		AllocBytes: m.allocated.Bytes, AllocObjects: m.allocated.Objects,
		Unattributed: parts, ProbeMS: m.parts[record.Probes].NS / 1e6,
	})
}

func component(c spell.Component, columns columns) record.Component {
	zero := make([]float64, len(columns.shared))
	return record.Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File, Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash, Structure: c.Structure,
		EnergyJ: energy(zero, columns.shared), CumEnergyJ: energy(zero, columns.shared),
	}
}

func add(c *record.Component, s attribution.Share, columns columns) {
	c.N += s.N
	c.TimeMS += s.SelfNS / 1e6
	c.CumTimeMS += s.CumNS / 1e6
	c.WallMS += s.WallNS / 1e6
	c.Add(s.Moved)
	if s.Bytes > 0 {
		c.AllocBytes, c.AllocObjects, c.CausedMS = c.AllocBytes+s.Bytes, c.AllocObjects+s.Objects, c.CausedMS+s.Caused.NS/1e6
		if c.CausedJ == nil {
			c.CausedJ = make(record.Energy, len(columns.shared))
		}
		for i, domain := range columns.shared {
			c.CausedJ[domain] += s.Caused.Joules[columns.at[i]]
		}
	}
	for i, domain := range columns.shared {
		c.EnergyJ[domain] += s.Joules[columns.at[i]]
		c.CumEnergyJ[domain] += s.CumJoules[columns.at[i]]
	}
}

// addRounds sets the energy and time of components in each round, which comparisons pair, and
// the intervals of their energies.
func (f *findings) addRounds(r *record.Run) {
	for i := range r.Components {
		c := &r.Components[i]
		c.RoundTimeMS = make([]float64, len(f.rounds))
		c.RoundEnergyJ = make(map[spell.Domain][]float64, len(f.columns.shared))
		for k, domain := range f.columns.shared {
			c.RoundEnergyJ[domain] = f.roundJ[i][k]
		}
		if f.spread == nil {
			continue
		}
		c.EnergyCI = make(map[spell.Domain][2]float64, len(f.columns.shared))
		for k, domain := range f.columns.shared {
			c.EnergyCI[domain] = f.interval(i, k)
		}
	}
	for i, tests := range f.rounds {
		for _, t := range tests {
			for u, s := range t.shares {
				r.Components[f.at[u]].RoundTimeMS[i] += s.SelfNS / 1e6
			}
		}
	}
}

// addTestRounds sets the energy and time in each round of the tests that ran in all rounds.
func addTestRounds(r *record.Run, rounds [][]sharedTest) {
	of := make(map[string][]sharedTest, len(r.Tests))
	for _, tests := range rounds {
		for _, o := range tests {
			name := o.pkg + "." + o.name
			of[name] = append(of[name], o)
		}
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		if len(of[t.Name]) != len(rounds) {
			continue
		}
		t.RoundEnergyJ = make(map[spell.Domain][]float64, len(r.Meter.Domains))
		for _, o := range of[t.Name] {
			t.RoundTimeMS = append(t.RoundTimeMS, o.timeMS)
			for d, domain := range r.Meter.Domains {
				t.RoundEnergyJ[domain] = append(t.RoundEnergyJ[domain], o.joules[d])
			}
		}
	}
}
