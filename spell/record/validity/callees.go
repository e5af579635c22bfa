package validity

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// roundingError is how far the sum of parts may exceed the whole, relative to it.
const roundingError = 1e-6

// checkCallees checks the callees without a probe of a component: parts of its self time.
func checkCallees(at place, c *record.Component, domains []spell.Domain) error {
	const list = "unmeasured_callees"
	if n := len(c.Callees); n > record.MostCallees {
		return &Fault{at.path(list), fmt.Sprintf("has %d items, must have at most %d", n, record.MostCallees)}
	}
	var sum float64
	for i := range c.Callees {
		callee, field := &c.Callees[i], fmt.Sprintf("%s[%d].", list, i)
		err := firstError(
			checkCalleeName(at, field+"name", callee.Name, c.Callees[:i]),
			oneOf(at, field+"kind", callee.Kind, spell.CalleeKinds()...),
			checkNumbers(at, number{field + "time_ms", callee.TimeMS}),
			checkEnergy(at, field+"energy_j", callee.EnergyJ, domains),
		)
		if err != nil {
			return err
		}
		sum += callee.TimeMS
	}
	if most := c.TimeMS * (1 + roundingError); sum > most {
		return &Fault{at.path(list), fmt.Sprintf("have %v ms in all, must have at most the component's time_ms, %v", sum, c.TimeMS)}
	}
	return nil
}

func checkCalleeName(at place, field, name string, before []record.Callee) error {
	if name == "" {
		return &Fault{at.path(field), "is empty, must be a name"}
	}
	if slices.ContainsFunc(before, func(c record.Callee) bool { return c.Name == name }) {
		return &Fault{at.path(field), fmt.Sprintf("is %q a second time, must be unique in its component", name)}
	}
	return nil
}
