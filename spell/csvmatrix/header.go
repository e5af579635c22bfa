package csvmatrix

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
)

// A unit turns a number of a file into joules or milliseconds. Dividing by a
// whole number keeps 37 mJ the float64 that is nearest to 0.037 J, which
// multiplying by 0.001 would not.
type unit struct {
	name        string
	times, over float64
}

func (u unit) convert(v float64) float64 { return v * u.times / u.over }

var (
	energyUnits = []unit{{"J", 1, 1}, {"mJ", 1, 1e3}, {"uJ", 1, 1e6}, {"kJ", 1e3, 1}}
	timeUnits   = []unit{{"ms", 1, 1}, {"s", 1e3, 1}, {"us", 1, 1e3}, {"ns", 1, 1e6}}
)

// columns has the index of the field of a row for each value, -1 if there is none.
type columns struct {
	test, component, file, line, n, time int

	timeUnit unit
	energy   []energyColumn
}

type energyColumn struct {
	field  int
	domain spell.Domain
	unit   unit
	empty  int      // rows in which it is empty
	first  position // of the first of them
}

// A fault says what is wrong and what to do about it.
type fault struct{ what, do string }

const nameColumns = "the first line names the columns: test,component[,file,line],cpu_J[,dram_J...],n,time_ms"

// set notes that the field holds the column called name.
func (c *columns) set(name string, field int) *fault {
	at := map[string]*int{"test": &c.test, "component": &c.component, "file": &c.file, "line": &c.line, "n": &c.n}
	if place, ok := at[name]; ok {
		return c.once(place, name, field)
	}
	quantity, unitName, _ := strings.Cut(name, "_")
	if quantity == "time" {
		u, f := unitOf(name, unitName, timeUnits)
		if f != nil {
			return f
		}
		c.timeUnit = u
		return c.once(&c.time, "time", field)
	}
	return c.setEnergy(name, spell.Domain(quantity), unitName, field)
}

func (c *columns) setEnergy(name string, domain spell.Domain, unitName string, field int) *fault {
	if !slices.Contains(spell.Domains(), domain) {
		return &fault{fmt.Sprintf("column %q is not known", name), nameColumns + "; the domains are " + domainNames()}
	}
	u, f := unitOf(name, unitName, energyUnits)
	if f != nil {
		return f
	}
	if slices.ContainsFunc(c.energy, func(e energyColumn) bool { return e.domain == domain }) {
		return twice(string(domain))
	}
	c.energy = append(c.energy, energyColumn{field: field, domain: domain, unit: u})
	return nil
}

func (c *columns) once(place *int, name string, field int) *fault {
	if *place >= 0 {
		return twice(name)
	}
	*place = field
	return nil
}

func twice(name string) *fault {
	return &fault{"a second column for " + name, "keep one"}
}

// missing names the first required column that the header does not have.
func (c *columns) missing() *fault {
	for _, required := range []struct {
		field int
		name  string
	}{{c.test, "test"}, {c.component, "component"}, {len(c.energy) - 1, "cpu_J"}, {c.n, "n"}, {c.time, "time_ms"}} {
		if required.field < 0 {
			return &fault{fmt.Sprintf("column %q is missing", required.name), nameColumns}
		}
	}
	return nil
}

func unitOf(column, name string, units []unit) (unit, *fault) {
	var names []string
	quantity, _, _ := strings.Cut(column, "_")
	for _, u := range units {
		if u.name == name {
			return u, nil
		}
		names = append(names, quantity+"_"+u.name)
	}
	what := fmt.Sprintf("column %q has an unknown unit", column)
	if name == "" {
		what = fmt.Sprintf("column %q does not say its unit", column)
	}
	return unit{}, &fault{what, "use one of " + strings.Join(names, ", ")}
}

func domainNames() string {
	var names []string
	for _, d := range spell.Domains() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}
