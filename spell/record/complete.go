package record

import (
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// Complete returns a copy of r in which the lists and maps that a record always has are not
// nil (JSON would have null), and default values are left out.
func (r *Run) Complete() *Run {
	c := *r
	if c.Settings == nil {
		c.Settings = map[string]any{}
	}
	c.Meter.Domains = filled(c.Meter.Domains, func(*spell.Domain) {})
	c.Meter.Warnings = filled(c.Meter.Warnings, func(*string) {})
	c.Notes = filled(c.Notes, func(*note.Note) {})
	c.Warnings = filled(c.Warnings, func(*string) {})
	c.Tests = filled(c.Tests, func(t *Test) {
		fillEnergy(&t.EnergyJ)
		fillEnergy(&t.UnattributedJ)
		if t.Repeats == 1 {
			t.Repeats = 0
		}
	})
	c.Components = filled(c.Components, func(c *Component) {
		fillEnergy(&c.EnergyJ)
		fillEnergy(&c.CumEnergyJ)
		if c.Phi == nil {
			c.Phi = map[string]float64{}
		}
		fillCallees(&c.Callees)
		for i := range c.SizedCalls {
			if i == 0 {
				c.SizedCalls = slices.Clone(c.SizedCalls)
			}
			c.SizedCalls[i].Buckets = filled(c.SizedCalls[i].Buckets, func(b *SizeBucket) { fillEnergy(&b.EnergyJ); fillEnergy(&b.CumEnergyJ) })
		}
		if len(c.Lines) > 0 {
			c.Lines = filled(c.Lines, func(l *Line) { fillEnergy(&l.EnergyJ); fillCallees(&l.Callees) })
		}
	})
	return &c
}

// filled returns a copy of list that is not nil, after fill has seen each item.
func filled[T any](list []T, fill func(*T)) []T {
	list = slices.Clone(list)
	if list == nil {
		return []T{}
	}
	for i := range list {
		fill(&list[i])
	}
	return list
}

func fillCallees(list *[]Callee) {
	if len(*list) > 0 {
		*list = filled(*list, func(c *Callee) { fillEnergy(&c.EnergyJ) })
	}
}

func fillEnergy(e *Energy) {
	if *e == nil {
		*e = Energy{}
	}
}
