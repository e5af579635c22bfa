package rapl

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// A choice is a zone whose counter enters the total of a domain.
type choice struct {
	zone   zone
	domain spell.Domain // "" for a zone that is in no sum
	number string       // of the package, also of memory; "" where that is not known
	die    bool         // the zone is one die of that package
}

// choose picks the zones whose sum is the energy of the machine, without counting
// any joule twice: the packages and the memory. Core and uncore are parts of a
// package. psys includes all packages and is read separately: it has no domain. Zones
// must be in the order of discover.
func choose(zones []zone) (choices []choice, notes []note.Note) {
	packages, notes := choosePackages(zones)
	memory, more := chooseMemory(zones, packages)
	var platform []choice
	seen := map[string]bool{}
	for _, z := range zones {
		switch k, _, _ := parseName(z.name); {
		case k == unknown:
			more = append(more, note.ZoneNotCounted(z.path, fmt.Sprintf("its name %q is not known", z.name)))
		case k == psys && !seen[z.name]:
			seen[z.name] = true
			platform = append(platform, choice{zone: z})
		}
	}
	return slices.Concat(packages, memory, platform), append(notes, more...)
}

// choosePackages chooses every package from the first control type that has it.
func choosePackages(zones []zone) (choices []choice, notes []note.Note) {
	control := map[string]string{} // package number -> control type that it is chosen from
	whole := map[string]bool{}     // numbers of packages with a zone for the whole package
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
			notes = append(notes, note.ZoneRepeated(z.path, z.name, number))
			continue
		}
		names[z.name] = true
		choices = append(choices, choice{z, spell.CPU, number, die})
	}
	return choices, notes
}

// chooseMemory chooses one dram zone in each chosen package, and the dram zones that
// are in no package. A repeated package repeats its memory too.
func chooseMemory(zones []zone, packages []choice) (choices []choice, notes []note.Note) {
	packageOf := map[string]string{} // place of every package zone -> number
	for _, z := range zones {
		if k, number, _ := parseName(z.name); k == pkg {
			packageOf[z.place.String()] = number
		}
	}
	free := map[string]bool{} // places of the chosen packages whose memory is not chosen yet
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
			notes = append(notes, note.MemoryRepeated(z.path))
			continue
		}
		control, free[in] = z.place.control, false
		choices = append(choices, choice{zone: z, domain: spell.DRAM, number: packageOf[in]})
	}
	return choices, notes
}
