package comparison

// Changed tells whether anything has the verdict better or worse.
func (c *Comparison) Changed() bool {
	list := []*Quantity{&c.Total.EnergyJ, &c.Total.TimeMS}
	for i := range c.Components {
		list = append(list, &c.Components[i].EnergyJ, &c.Components[i].TimeMS)
	}
	for i := range c.Tests {
		list = append(list, &c.Tests[i].EnergyJ, &c.Tests[i].TimeMS)
	}
	for _, q := range list {
		if q.Verdict == Better || q.Verdict == Worse {
			return true
		}
	}
	return false
}

// Empty tells whether nothing was compared: no test counts in both runs.
func (c *Comparison) Empty() bool { return len(c.Tests) == 0 }

// HasEnergy tells whether energy was compared, of tests at least.
func (c *Comparison) HasEnergy() bool { return len(c.Domains) > 0 }

// KnowsComponents tells whether energy was compared by component.
func (c *Comparison) KnowsComponents() bool { return len(c.ComponentDomains) > 0 }

// Decisive is the quantity that decides about a component: the energy, or the time where
// none is known.
func (c *Comparison) Decisive(of *Component) *Quantity {
	return of.Decisive(c.KnowsComponents())
}

// DecisiveTotal is the quantity that decides about the program.
func (c *Comparison) DecisiveTotal() *Quantity { return c.Total.Decisive(c.HasEnergy()) }

// Decisive is the energy, if it is known, or else the time.
func (c *Change) Decisive(energyKnown bool) *Quantity {
	if energyKnown {
		return &c.EnergyJ
	}
	return &c.TimeMS
}
