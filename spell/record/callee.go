package record

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
)

// A Callee is a function without a probe in which a component spent a part of its self time,
// as samples of the stack saw it: one that the component called directly, or that was inlined
// into it, with all that it called in turn up to the next component.
type Callee struct {
	Name    string           `json:"name"`    // as the linker has it, without type arguments: "strings.Map"
	Package string           `json:"package"` // import path; "" of what the compiler made
	Kind    spell.CalleeKind `json:"kind"`
	TimeMS  float64          `json:"time_ms"`  // CPU time per round, a part of the component's TimeMS
	EnergyJ Energy           `json:"energy_j"` // the component's, shared by time; of a group the sum of its members'
}

// Callees of a component: the most that are listed, and the least share of its self time that
// each has.
const (
	MostCallees    = 5
	MinCalleeShare = 0.01
)

// SetCallees sets Callees of c, whose time and energy are known, from the time of each in
// whole, the time in which c was seen: their shares of it are those of the self values of c.
func (c *Component) SetCallees(seen []Callee, whole float64) {
	list := slices.Clone(seen)
	for i := range list {
		share := min(1, list[i].TimeMS/whole)
		list[i].TimeMS, list[i].EnergyJ = share*c.TimeMS, make(Energy, len(c.EnergyJ))
		for domain, joules := range c.EnergyJ {
			list[i].EnergyJ[domain] = share * joules
		}
	}
	c.Callees = firstCallees(list, c.TimeMS)
}

// AddCallees adds up the callees of the members of a group, whose self time is the group's.
func (c *Component) AddCallees(members []*Component) {
	at := make(map[string]int)
	var list []Callee
	for _, m := range members {
		for _, callee := range m.Callees {
			i, known := at[callee.Name]
			if !known {
				i = len(list)
				at[callee.Name] = i
				list = append(list, Callee{Name: callee.Name, Package: callee.Package, Kind: callee.Kind, EnergyJ: make(Energy)})
			}
			list[i].TimeMS += callee.TimeMS
			for domain, joules := range callee.EnergyJ {
				list[i].EnergyJ[domain] += joules
			}
		}
	}
	c.Callees = firstCallees(list, c.TimeMS)
}

// firstCallees are those that are listed, the most time first; nil if there are none.
func firstCallees(list []Callee, timeMS float64) []Callee {
	list = slices.DeleteFunc(list, func(c Callee) bool { return !(c.TimeMS > 0 && c.TimeMS >= MinCalleeShare*timeMS) })
	slices.SortFunc(list, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Name, b.Name))
	})
	if len(list) == 0 {
		return nil
	}
	return slices.Clip(list[:min(len(list), MostCallees)])
}
