package spell

import (
	"cmp"
	"slices"
)

// ambiguityGroups describes groups of components, in the order of Diagnosability.
// tests is the number of tests that ran something.
func (m *Matrix) ambiguityGroups(a activity, groups [][]int32, tests int) []AmbiguityGroup {
	var list []AmbiguityGroup
	for _, group := range groups {
		list = append(list, m.ambiguityGroup(a, group, tests))
	}
	slices.SortFunc(list, func(a, b AmbiguityGroup) int {
		return cmp.Or(cmp.Compare(len(b.Components), len(a.Components)), cmp.Compare(b.Tests, a.Tests),
			m.byPackage(a.Example[0], b.Example[0]))
	})
	return list
}

func (m *Matrix) ambiguityGroup(a activity, group []int32, tests int) AmbiguityGroup {
	first := &a.components[group[0]]
	g := AmbiguityGroup{Tests: int(first.active), Test: -1, Everywhere: int(first.active) == tests}
	if g.Tests == 1 {
		g.Test = int(first.test) - 1
	}
	for _, j := range group {
		g.Components = append(g.Components, int(j))
	}
	g.Example = m.example(g.Components)
	g.Packages = [2]string{m.Components[g.Example[0]].Package, m.Components[g.Example[1]].Package}
	g.Likeness = a.likeness(g)
	return g
}

// likeness compares the members. Equal N says nothing if the matrix has no counts, or only
// whether something ran.
func (a *activity) likeness(g AmbiguityGroup) Likeness {
	if g.Packages[0] != g.Packages[1] && g.Packages[1] != "" {
		return Neighbours
	}
	n := a.components[g.Components[0]].n
	for _, j := range g.Components {
		if !a.counted || n == 0 || a.components[j].n != n {
			return Unlike
		}
	}
	return CalledAs
}

// example picks two members, from different packages if there are several.
func (m *Matrix) example(members []int) [2]int {
	first := m.first(members, func(int) bool { return true })
	of := m.Components[first].Package
	if second := m.first(members, func(j int) bool { return m.Components[j].Package != of }); second >= 0 {
		return [2]int{first, second}
	}
	return [2]int{first, m.first(members, func(j int) bool { return j != first })}
}

// first returns the first of the members that qualify, -1 if none does.
func (m *Matrix) first(members []int, qualifies func(int) bool) int {
	best := -1
	for _, j := range members {
		if qualifies(j) && (best < 0 || m.byPackage(j, best) < 0) {
			best = j
		}
	}
	return best
}

// byPackage orders components by package, unknown packages last, and by ID.
func (m *Matrix) byPackage(i, j int) int {
	a, b := &m.Components[i], &m.Components[j]
	switch {
	case a.Package == b.Package:
		return cmp.Compare(a.ID, b.ID)
	case a.Package == "":
		return 1
	case b.Package == "":
		return -1
	}
	return cmp.Compare(a.Package, b.Package)
}
