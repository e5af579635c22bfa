package pooling

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A sum adds up parts. Each counts by its rounds.
type sum struct {
	*record.Run
	parts      []Part
	all        int // their rounds
	tests      map[string]int
	components map[string]int
	groups     map[groupKey]int
	cells      map[[2]int]int
	members    [][]member // by component
}

type groupKey struct {
	kind spell.Kind
	id   string
}

// add is the mean of the parts by their rounds, without intervals, notes and ranking.
func add(parts []Part) *record.Run {
	first := *parts[0].Run
	s := &sum{
		Run: &first, parts: parts, all: rounds(parts),
		tests: make(map[string]int), components: make(map[string]int), groups: make(map[groupKey]int), cells: make(map[[2]int]int),
	}
	s.Rounds, s.DroppedRounds, s.Dropped, s.Notes, s.Warnings, s.Analysis = 0, 0, nil, nil, nil, nil
	s.Localization, s.StructureAndEnergy = nil, nil
	s.Tests, s.Components, s.Groups, s.CallTree, s.ReferenceMS = nil, nil, nil, nil, nil
	s.Matrix = record.Matrix{Domains: first.Matrix.Domains}
	s.addHeads()
	s.addGroups()
	s.addTests()
	s.addComponents()
	s.addCells()
	s.finish()
	s.addCalls()
	return s.Run
}

// share is the part of all rounds that a part has.
func (s *sum) share(p *Part) float64 { return float64(p.Run.Rounds) / float64(s.all) }

// addHeads adds what a run has once.
func (s *sum) addHeads() {
	idle := 0.0
	for i := range s.parts {
		r := s.parts[i].Run
		for _, d := range r.Dropped {
			d.Round += s.Rounds + s.DroppedRounds
			s.Dropped = append(s.Dropped, d)
		}
		if r.Started.Before(s.Started) {
			s.Started = r.Started
		}
		if s.Calmness == nil {
			s.Calmness = r.Calmness
		}
		s.DurationMS, s.Partial = max(s.DurationMS, r.DurationMS), s.Partial || r.Partial
		s.Rounds, s.DroppedRounds = s.Rounds+r.Rounds, s.DroppedRounds+r.DroppedRounds
		s.ReferenceMS = append(s.ReferenceMS, r.ReferenceMS...)
		m := &s.Meter
		m.ResolutionMS, m.GapP99MS, m.TimingMS = max(m.ResolutionMS, r.Meter.ResolutionMS), max(m.GapP99MS, r.Meter.GapP99MS), max(m.TimingMS, r.Meter.TimingMS)
		m.SamplerCPU, m.Quality = max(m.SamplerCPU, r.Meter.SamplerCPU), cmp.Or(m.Quality, r.Meter.Quality)
		idle += s.share(&s.parts[i]) * r.Meter.IdleW
	}
	s.Meter.IdleW, s.Meter.Notes = idle, nil
	for i := range s.parts { // what only some machines counted has no mean
		of := s.parts[i].Run.Meter.Separate
		s.Meter.Separate = slices.DeleteFunc(slices.Clone(s.Meter.Separate), func(name string) bool { return !slices.Contains(of, name) })
	}
	for i := range s.parts {
		for _, n := range s.parts[i].Run.Meter.Notes {
			if !has(s.Meter.Notes, n) {
				s.Meter.Notes = append(s.Meter.Notes, n)
			}
		}
	}
	if len(s.ReferenceMS) != s.Rounds {
		s.ReferenceMS = nil
	}
}

// addGroups lists the groups of all parts as a run does: by kind and ID.
func (s *sum) addGroups() {
	for i := range s.parts {
		for _, g := range s.parts[i].Run.Groups {
			if _, known := s.groups[groupKey{g.Kind, g.ID}]; !known {
				s.groups[groupKey{g.Kind, g.ID}] = 0
				s.Groups = append(s.Groups, g)
			}
		}
	}
	slices.SortFunc(s.Groups, func(a, b record.Group) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) })
	for i, g := range s.Groups {
		s.groups[groupKey{g.Kind, g.ID}] = i
	}
}

// addCells adds the cells, and the components' sums over them. The cells of a test are means of the rounds in
// which it ran.
func (s *sum) addCells() {
	m := &s.Matrix
	width := len(m.Domains)
	cumulative := !slices.ContainsFunc(s.parts, func(p Part) bool { return p.Run.Matrix.CumTimeMS == nil && len(p.Run.Matrix.Cells) > 0 })
	for p := range s.parts {
		of := &s.parts[p].Run.Matrix
		for i, c := range of.Cells {
			to := s.cellAt(int(c.Test), int(c.Component), p, cumulative)
			weight := s.testShare(p, int(c.Test))
			cell := &m.Cells[to]
			cell.N, cell.TimeMS = cell.N+weight*c.N, cell.TimeMS+weight*c.TimeMS
			for d := range width {
				m.EnergyJ[to*width+d] += weight * of.EnergyJ[i*width+d]
			}
			if !cumulative {
				continue
			}
			m.CumTimeMS[to] += weight * of.CumTimeMS[i]
			for d := range width {
				m.CumEnergyJ[to*width+d] += weight * of.CumEnergyJ[i*width+d]
			}
		}
	}
	for i, cell := range m.Cells {
		c := &s.Components[cell.Component]
		c.N, c.TimeMS = c.N+cell.N, c.TimeMS+cell.TimeMS
		for d, domain := range m.Domains {
			c.EnergyJ[domain] += m.EnergyJ[i*width+d]
		}
		if !cumulative {
			continue
		}
		c.CumTimeMS += m.CumTimeMS[i]
		for d, domain := range m.Domains {
			c.CumEnergyJ[domain] += m.CumEnergyJ[i*width+d]
		}
	}
}

// cellAt is the cell of a test and a component, which are those of a part.
func (s *sum) cellAt(test, component, part int, cumulative bool) int {
	r, m := s.parts[part].Run, &s.Matrix
	key := [2]int{s.tests[r.Tests[test].Name], s.components[r.Components[component].ID]}
	at, known := s.cells[key]
	if !known {
		at = len(m.Cells)
		s.cells[key] = at
		m.Cells = append(m.Cells, spell.Cell{Test: int32(key[0]), Component: int32(key[1])})
		m.EnergyJ = append(m.EnergyJ, make([]float64, len(m.Domains))...)
		if cumulative {
			m.CumTimeMS, m.CumEnergyJ = append(m.CumTimeMS, 0), append(m.CumEnergyJ, make([]float64, len(m.Domains))...)
		}
	}
	return at
}
