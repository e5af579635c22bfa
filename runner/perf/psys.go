package perf

import (
	"fmt"
	"slices"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
)

// psys is the name of the whole machine's counter in the powercap class.
const psys = "psys"

// addPlatforms starts the counters of the whole machine, one for each package, under the names that the powercap
// class gives them (rapl_init_domains in drivers/powercap/intel_rapl_common.c): what those of several packages cover is up
// to the machine's maker, so that they are not added up. One that cannot be read is left out, with a warning.
func (m *Meter) addPlatforms(o meter.Options, p pmu, cpus []int, openEvent opener) {
	if p.psys == nil {
		return
	}
	var names []string
	for _, cpu := range cpus {
		name, err := platformName(o, cpu, len(cpus) == 1)
		if slices.Contains(names, name) {
			continue // another die of the package
		}
		names = append(names, name)
		var counters []*counter
		if err == nil {
			counters, err = start(p, *p.psys, []int{cpu}, openEvent, m.now)
			err = explain(o, err)
		}
		if err != nil {
			m.info.Notes = append(m.info.Notes, note.SeparateUnread(name, err.Error()))
			continue
		}
		m.platform = append(m.platform, counters...)
		m.addSeparate(name, meter.Platform, counters)
	}
}

// platformName is psys for the first package, psys-N for another. The only one needs no number.
func platformName(o meter.Options, cpu int, only bool) (string, error) {
	number, err := packageOf(o, cpu)
	if err == nil && number > 0 {
		return fmt.Sprintf("%s-%d", psys, number), nil
	}
	if only {
		err = nil
	}
	return psys, err
}
