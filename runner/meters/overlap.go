package meters

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// withoutOverlap is a meter without the domains whose energy the meters before it count already, and without the separate
// counters that have the name of one of theirs. why says what to do if no domain is left.
func withoutOverlap(before []meter.Meter, m meter.Meter) (rest meter.Meter, why string) {
	info := m.Info()
	others := map[string]bool{}
	rest = subsetOf(m, func(i int, name string) *note.Note {
		for _, b := range before {
			of := b.Info()
			overlap := i < len(info.Domains) && overlaps(of, info, info.Domains[i]) || i >= len(info.Domains) && slices.Contains(of.Counts(), name)
			if overlap {
				others[of.Name] = true
				n := note.CounterLeftOut(info.Name, name, of.Name)
				return &n
			}
		}
		return nil
	})
	if len(rest.Info().Domains) > 0 {
		return rest, ""
	}
	names := append(slices.Sorted(maps.Keys(others)), info.Name)
	return rest, fmt.Sprintf("all that %s reads is in what %s reads too, and would count twice; choose one of them: --meter %s",
		info.Name, strings.Join(names[:len(names)-1], " and "), strings.Join(names, " or --meter "))
}

// overlaps says whether a meter counts energy that is in a domain of another one.
func overlaps(a, b meter.Info, of spell.Domain) bool {
	return slices.Contains(a.Domains, of) || slices.Contains(a.Includes, of) ||
		of == spell.CPU && slices.ContainsFunc(a.Domains, func(d spell.Domain) bool { return slices.Contains(b.Includes, d) })
}
