package rapl

import (
	"fmt"

	"spell-lsp/spell"
)

// A choice is a zone whose counter enters the total of a domain.
type choice struct {
	zone   zone
	domain spell.Domain
	number string // of the package, for a package zone
	die    bool   // the zone is one die of that package
}

// choose picks the zones whose sum is the machine's energy, each joule once:
// the packages, and the memory beside them. Core and uncore are parts of a
// package, psys includes all of it. Zones must be in the order of discover.
func choose(zones []zone) (choices []choice, warnings []string) {
	packages, warnings := choosePackages(zones)
	memory, more := chooseMemory(zones, packages)
	for _, z := range zones {
		if k, _, _ := parseName(z.name); k == unknown {
			more = append(more, fmt.Sprintf("zone %s is not counted: its name %q is not known", z.path, z.name))
		}
	}
	return append(packages, memory...), append(warnings, more...)
}

// choosePackages takes every package from the first control type that has it.
func choosePackages(zones []zone) (choices []choice, warnings []string) {
	control := map[string]string{} // package number -> control type it is taken from
	whole := map[string]bool{}     // package numbers with a zone for the whole of it
	names := map[string]bool{}
	for _, z := range zones {
		k, number, die := parseName(z.name)
		if k != pkg {
			continue
		}
		if control[number] == "" {
			control[number] = z.place.control
		}
		whole[number] = whole[number] || !die && z.place.control == control[number]
	}
	for _, z := range zones {
		k, number, die := parseName(z.name)
		if k != pkg {
			continue
		}
		if z.place.control != control[number] || names[z.name] || die && whole[number] {
			warnings = append(warnings, fmt.Sprintf("zone %s (%s) repeats package %s, which is counted once", z.path, z.name, number))
			continue
		}
		names[z.name] = true
		choices = append(choices, choice{z, spell.CPU, number, die})
	}
	return choices, warnings
}

// chooseMemory takes one dram zone in each package that was taken, and those
// that stand in no package. The memory in a repeated package is repeated too.
func chooseMemory(zones []zone, packages []choice) (choices []choice, warnings []string) {
	packageOf := map[string]string{} // place of every package zone -> name
	for _, z := range zones {
		if k, _, _ := parseName(z.name); k == pkg {
			packageOf[z.place.String()] = z.name
		}
	}
	free := map[string]bool{} // places of packages taken whose memory is not yet
	for _, c := range packages {
		free[c.zone.place.String()] = true
	}
	control := ""
	for _, z := range zones {
		if k, _, _ := parseName(z.name); k != dram {
			continue
		}
		in := z.place.parent().String()
		alone := packageOf[in] == "" && (control == "" || control == z.place.control)
		if !free[in] && !alone {
			warnings = append(warnings, fmt.Sprintf("zone %s (dram) repeats memory that is counted already", z.path))
			continue
		}
		control, free[in] = z.place.control, false
		choices = append(choices, choice{zone: z, domain: spell.DRAM})
	}
	return choices, warnings
}
