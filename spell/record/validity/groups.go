package validity

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

func checkGroups(r *record.Run) error {
	seen := map[spell.Kind]map[string]int{spell.KindGoroutine: {}, spell.KindLabel: {}}
	for i, g := range r.Groups {
		at := place{"groups", i}
		if err := oneOf(at, "kind", g.Kind, spell.KindGoroutine, spell.KindLabel); err != nil {
			return err
		}
		err := firstError(
			unique(at, "id", g.ID, seen[g.Kind]),
			checkFile(at, g.File),
			checkNumbers(at, number{"line", float64(g.Line)}),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFunctions checks the functions of a group: parts of its time.
func checkFunctions(at place, c *record.Component) error {
	if n := len(c.Functions); n > record.MostFunctions {
		return &Fault{at.path("functions"), fmt.Sprintf("has %d items, must have at most %d", n, record.MostFunctions)}
	}
	var sum float64
	for i, f := range c.Functions {
		field := fmt.Sprintf("functions[%d].", i)
		if f.ID == "" {
			return &Fault{at.path(field + "id"), "is empty, must be a name"}
		}
		if err := checkNumbers(at, number{field + "time_ms", f.TimeMS}); err != nil {
			return err
		}
		sum += f.TimeMS
	}
	return checkSum(at, "functions", "component", sum, c.TimeMS)
}

// checkGroupTime checks the times of a component in groups.
func checkGroupTime(at place, c *record.Component, r *record.Run) error {
	for i, g := range c.GroupTime {
		field := fmt.Sprintf("group_time[%d].", i)
		err := firstError(
			inList(at, field+"t", g.Test, len(r.Tests), "tests"),
			inList(at, field+"g", g.Group, len(r.Groups), "groups"),
			checkNumbers(at, number{field + "time_ms", g.TimeMS}),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
