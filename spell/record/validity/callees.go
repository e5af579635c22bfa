package validity

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// roundingError is how far the sum of parts may exceed the whole, relative to it.
const roundingError = 1e-6

// checkCallees checks callees without a probe: parts of the self time of a component, or of the
// time of a line, which is whole.
func checkCallees(at place, list, of string, callees []record.Callee, most int, whole float64, domains []spell.Domain) error {
	if n := len(callees); n > most {
		return &Fault{at.path(list), fmt.Sprintf("has %d items, must have at most %d", n, most)}
	}
	var sum float64
	for i := range callees {
		callee, field := &callees[i], fmt.Sprintf("%s[%d].", list, i)
		err := firstError(
			checkCalleeName(at, field+"name", callee.Name, of, callees[:i]),
			oneOf(at, field+"kind", callee.Kind, spell.CalleeKinds()...),
			checkNumbers(at, number{field + "time_ms", callee.TimeMS}),
			checkEnergy(at, field+"energy_j", callee.EnergyJ, domains),
		)
		if err != nil {
			return err
		}
		sum += callee.TimeMS
	}
	return checkSum(at, list, of, sum, whole)
}

func checkCalleeName(at place, field, name, of string, before []record.Callee) error {
	if name == "" {
		return &Fault{at.path(field), "is empty, must be a name"}
	}
	if slices.ContainsFunc(before, func(c record.Callee) bool { return c.Name == name }) {
		return &Fault{at.path(field), fmt.Sprintf("is %q a second time, must be unique in its %s", name, of)}
	}
	return nil
}
