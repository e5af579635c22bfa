package pooling

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A member is a component in one part.
type member struct {
	part   int
	of     *record.Component
	scaled record.Component // in the proportion in which the part counts
}

// addComponents adds what components have beside the sums over their cells.
func (s *sum) addComponents() {
	for p := range s.parts {
		r, share := s.parts[p].Run, s.share(&s.parts[p])
		for i := range r.Components {
			s.addComponent(p, &r.Components[i], share)
		}
	}
	for i := range s.Components {
		s.addGroupTime(i)
		s.addRounds(i)
	}
}

func (s *sum) addComponent(part int, of *record.Component, share float64) {
	at, known := s.components[of.ID]
	if !known {
		at = len(s.Components)
		s.components[of.ID] = at
		s.Components = append(s.Components, record.ComponentOf(of.Source()))
		c := &s.Components[at]
		c.EnergyJ, c.CumEnergyJ = record.Zero(s.Matrix.Domains), record.Zero(s.Matrix.Domains)
		c.LinesHash, c.Budgets, c.BelowResolution = of.LinesHash, of.Budgets, true
		s.members = append(s.members, nil)
	}
	c, m := &s.Components[at], member{part, of, scaled(of, share)}
	s.members[at] = append(s.members[at], m)
	c.LinesHash = cmp.Or(c.LinesHash, of.LinesHash)
	c.WallMS += m.scaled.WallMS
	c.Add(m.scaled.Bytes)
	c.AddAllocations(&m.scaled)
	c.BelowResolution = c.BelowResolution && of.BelowResolution
	c.AddSizedCalls(of.SizedCalls, share)
	c.Functions = addFunctions(c.Functions, m.scaled.Functions)
}

// scaled has the values of a component that are added up, each multiplied by share.
func scaled(of *record.Component, share float64) record.Component {
	c := record.Component{
		ID: of.ID, LinesHash: of.LinesHash, WallMS: share * of.WallMS,
		AllocBytes: share * of.AllocBytes, AllocObjects: share * of.AllocObjects, CausedMS: share * of.CausedMS, CausedJ: scaledEnergy(of.CausedJ, share),
		Bytes: record.Bytes{
			ReadBytes: share * of.ReadBytes, WrittenBytes: share * of.WrittenBytes,
			ReceivedBytes: share * of.ReceivedBytes, SentBytes: share * of.SentBytes,
		},
		Callees: scaledCallees(of.Callees, share), Lines: slices.Clone(of.Lines), Functions: slices.Clone(of.Functions),
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		l.TimeMS, l.EnergyJ, l.Callees = share*l.TimeMS, scaledEnergy(l.EnergyJ, share), scaledCallees(l.Callees, share)
	}
	for i := range c.Functions {
		c.Functions[i].TimeMS *= share
	}
	return c
}

func scaledCallees(of []record.Callee, share float64) []record.Callee {
	list := slices.Clone(of)
	for i := range list {
		list[i].TimeMS, list[i].EnergyJ = share*list[i].TimeMS, scaledEnergy(list[i].EnergyJ, share)
	}
	return list
}

// scaledEnergy is nil of nil.
func scaledEnergy(of record.Energy, share float64) record.Energy {
	if of == nil {
		return nil
	}
	e := make(record.Energy, len(of))
	addEnergy(e, of, share)
	return e
}

// addFunctions adds up the times that a group has of functions, the most first.
func addFunctions(to, more []record.FunctionTime) []record.FunctionTime {
	for _, f := range more {
		if i := slices.IndexFunc(to, func(o record.FunctionTime) bool { return o.ID == f.ID }); i >= 0 {
			to[i].TimeMS += f.TimeMS
			continue
		}
		to = append(to, f)
	}
	slices.SortStableFunc(to, func(a, b record.FunctionTime) int {
		return cmp.Or(cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.ID, b.ID))
	})
	return to
}

// finish completes what follows from the sums over cells.
func (s *sum) finish() {
	for i := range s.Components {
		c, scaled := &s.Components[i], make([]*record.Component, len(s.members[i]))
		for k := range scaled {
			scaled[k] = &s.members[i][k].scaled
		}
		c.AddCallees(scaled)
		c.AddLines(scaled)
		c.Functions = c.Functions[:min(len(c.Functions), record.MostFunctions)]
	}
}

// addGroupTime adds up the time of a component by test and group.
func (s *sum) addGroupTime(component int) {
	var list []record.GroupTime
	for i := range s.members[component] {
		m := &s.members[component][i]
		r := s.parts[m.part].Run
		for _, g := range m.of.GroupTime {
			group := r.Groups[g.Group]
			list = append(list, record.GroupTime{
				Test: s.tests[r.Tests[g.Test].Name], Group: s.groups[groupKey{group.Kind, group.ID}], TimeMS: g.TimeMS * s.testShare(m.part, g.Test),
			})
		}
	}
	s.Components[component].GroupTime = record.SumGroupTime(list)
}

// addRounds joins the rounds of a component: 0 in those of a part in which it did not run.
func (s *sum) addRounds(component int) {
	times, energies := make([]float64, s.Rounds), make(map[spell.Domain][]float64, len(s.Matrix.Domains))
	for _, d := range s.Matrix.Domains {
		energies[d] = make([]float64, s.Rounds)
	}
	for i := range s.members[component] {
		m := &s.members[component][i]
		first := rounds(s.parts[:m.part])
		if len(m.of.RoundTimeMS) != s.parts[m.part].Run.Rounds {
			return
		}
		copy(times[first:], m.of.RoundTimeMS)
		for _, d := range s.Matrix.Domains {
			copy(energies[d][first:], m.of.RoundEnergyJ[d])
		}
	}
	s.Components[component].RoundTimeMS, s.Components[component].RoundEnergyJ = times, energies
}
