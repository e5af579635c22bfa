package toolkit

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
)

// results are the cells and names of a trace, up to the current test.
type results struct {
	domains           []key
	titles            []string // of the tests; "" = none
	cells             []spell.Cell
	energy, cumEnergy []float64 // for each cell by domain
	cumTimeMS         []float64
}

// learn adds domains that no earlier test had; earlier tests have 0 J there.
func (r *results) learn(keys []key) {
	old := len(r.domains)
	for _, k := range keys {
		if !slices.Contains(r.domains, k) {
			r.domains = append(r.domains, k)
		}
	}
	if len(r.domains) > old && len(r.cells) > 0 {
		r.energy = widen(r.energy, len(r.cells), old, len(r.domains), cap(r.energy))
		r.cumEnergy = widen(r.cumEnergy, len(r.cells), old, len(r.domains), cap(r.cumEnergy))
	}
}

// addCell adds a cell. A self value exceeds its cumulative value only by rounding, which is
// large where clock readings are much larger than the duration of calls.
func (r *results) addCell(component int32, of *tally) {
	r.cells = append(r.cells, spell.Cell{Test: int32(len(r.titles)), Component: component, N: of.n, TimeMS: of.timeMS})
	r.cumTimeMS = append(r.cumTimeMS, max(of.timeMS, of.cumTimeMS))
	for _, k := range r.domains {
		r.energy = append(r.energy, of.energy[k])
		r.cumEnergy = append(r.cumEnergy, max(of.energy[k], of.cumEnergy[k]))
	}
}

func (r *results) trace(names []componentName) *Trace {
	m := &spell.Matrix{Tests: r.tests(), Components: componentsOf(names), Cells: r.cells, Energy: r.energy}
	for _, k := range r.domains {
		m.Domains = append(m.Domains, k.domain())
	}
	return &Trace{Matrix: m, CumTimeMS: r.cumTimeMS, CumEnergyJ: r.cumEnergy}
}

// tests returns the names of the tests: their titles, or t and a number if a test has no
// title, or one that is used twice or cannot be a name.
func (r *results) tests() []string {
	used := make(map[string]bool, len(r.titles))
	names := make([]string, len(r.titles))
	for i, title := range r.titles {
		if title = unescape(title); spell.NameFault(title) == "" && !used[title] {
			names[i] = title
			used[title] = true
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = unused(used, func(times int) string { return defaultTest(i) + strings.Repeat("_", times-1) })
		}
	}
	return names
}

// componentNames are the components that occurred in a trace so far.
type componentNames struct {
	names   []componentName
	byName  map[componentName]int32
	byToken map[string]int32 // by module and name as spelt, separated by a line break
	token   []byte
}

// component returns the index of the component of an entry.
func (c *componentNames) component(e *event, file string) (int32, error) {
	c.token = append(append(append(c.token[:0], e.module...), '\n'), e.name...)
	if i, ok := c.byToken[string(c.token)]; ok {
		return i, nil
	}
	name := nameOf(e)
	for _, part := range []string{name.module, name.name} {
		if what := spell.NameFault(part); what != "" && part != "" {
			return 0, errorAt(file, e.place, fault{fmt.Sprintf("the name %q %s", part, what), "name functions and modules in UTF-8, without control characters"})
		}
	}
	i, ok := c.byName[name]
	if !ok {
		if c.byName == nil {
			c.byName, c.byToken = map[componentName]int32{}, map[string]int32{}
		}
		i = int32(len(c.names))
		c.names = append(c.names, name)
		c.byName[name] = i
	}
	c.byToken[string(c.token)] = i
	return i, nil
}

// is reports whether an exit belongs to the component. An exit may omit the module.
func (c *componentNames) is(component int32, e *event) bool {
	name := c.names[component]
	return (string(e.name) == name.name || unescape(string(e.name)) == name.name) &&
		(len(e.module) == 0 || string(e.module) == name.module || unescape(string(e.module)) == name.module)
}

func nameOf(e *event) componentName {
	return componentName{unescape(string(e.module)), unescape(string(e.name))}
}
