package validity

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// checkLines checks the lines of a component: parts of its self time.
func checkLines(at place, c *record.Component, domains []spell.Domain) error {
	const list = "lines"
	if len(c.Lines) > 0 && c.Kind != spell.KindFunction {
		return &Fault{at.path(list), fmt.Sprintf("is of a %s, must be of a function", c.Kind)}
	}
	if n := len(c.Lines); n > record.MostLines {
		return &Fault{at.path(list), fmt.Sprintf("has %d items, must have at most %d", n, record.MostLines)}
	}
	var sum float64
	energy, seen := make(record.Energy), make(map[int]bool)
	for i := range c.Lines {
		l := &c.Lines[i]
		field := fmt.Sprintf("%s[%d].", list, i)
		if l.Line < c.Line || l.Line > c.EndLine {
			return &Fault{at.path(field + "line"), fmt.Sprintf("is %d, must be from %d to %d, where its component is", l.Line, c.Line, c.EndLine)}
		}
		if seen[l.Line] {
			return &Fault{at.path(field + "line"), fmt.Sprintf("is %d a second time, must be unique in its component", l.Line)}
		}
		if l.TimeMS == 0 {
			return &Fault{at.path(field + "time_ms"), "is 0, must be the time that the component spent there"}
		}
		seen[l.Line] = true
		err := firstError(
			checkNumbers(at, number{field + "time_ms", l.TimeMS}),
			checkEnergy(at, field+"energy_j", l.EnergyJ, domains),
			checkCallees(at, field+"unmeasured_callees", "line", l.Callees, record.MostLineCallees, l.TimeMS, domains),
		)
		if err != nil {
			return err
		}
		sum += l.TimeMS
		for _, d := range domains {
			energy[d] += l.EnergyJ[d]
		}
	}
	for _, d := range domains {
		if energy[d] > c.EnergyJ[d]*(1+roundingError) {
			return &Fault{at.path(list), fmt.Sprintf("have %v J of %s in all, must have at most the component's %v J", energy[d], d, c.EnergyJ[d])}
		}
	}
	return checkSum(at, list, "component", sum, c.TimeMS)
}

// checkSum checks that parts have no more time than the whole.
func checkSum(at place, list, of string, sum, whole float64) error {
	if sum > whole*(1+roundingError) {
		return &Fault{at.path(list), fmt.Sprintf("have %v ms in all, must have at most the %s's time_ms, %v", sum, of, whole)}
	}
	return nil
}
