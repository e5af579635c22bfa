package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func vcpuTable() table {
	return table{
		what: `Power of one hardware thread (one vCPU) in watts, idle and fully used, by family and model of the processor.

The watts are means over SPECpower_ssj2008 results, rounded to four digits: the power of whole servers at the
plug, divided by their threads. Families, models and steppings are those by which Linux tells these processors
apart (arch/x86/include/asm/intel-family.h; Skylake-SP has steppings up to 4, Cascade Lake 5 to 7, Cooper Lake 10
and 11).`,
		project: "Cloud Carbon Footprint, https://github.com/cloud-carbon-footprint/ccf-coefficients",
		file:    "output/coefficients-aws-use.csv",
		licence: "Apache-2.0",
		columns: []string{"vendor", "family", "model", "stepping_from", "stepping_to", "name", "idle_w", "busy_w"},
		rows:    vcpuRows,
	}
}

// A generation is the cpuid values of an architecture's server processors.
type generation struct {
	vendor                              string
	family, model, steppingLo, stepping int
}

const intel, amd, anyStepping = "GenuineIntel", "AuthenticAMD", 15

// generations are those in the table, by the project's name for them.
func generations() map[string]generation {
	return map[string]generation{
		"Sandy Bridge":    {intel, 6, 45, 0, anyStepping},
		"Ivy Bridge":      {intel, 6, 62, 0, anyStepping},
		"Haswell":         {intel, 6, 63, 0, anyStepping},
		"Broadwell":       {intel, 6, 79, 0, anyStepping},
		"Skylake":         {intel, 6, 85, 0, 4},
		"Cascade Lake":    {intel, 6, 85, 5, 7},
		"Ice Lake":        {intel, 6, 106, 0, anyStepping},
		"Sapphire Rapids": {intel, 6, 143, 0, anyStepping},
		"Granite Rapids":  {intel, 6, 173, 0, anyStepping},
		"Emerald Rapids":  {intel, 6, 207, 0, anyStepping},
		"EPYC 1st Gen":    {amd, 23, 1, 0, anyStepping},
		"EPYC 2nd Gen":    {amd, 23, 49, 0, anyStepping},
		"EPYC 3rd Gen":    {amd, 25, 1, 0, anyStepping},
		"EPYC 4th Gen":    {amd, 25, 17, 0, anyStepping},
	}
}

// unused gives the reason for each architecture that is not in the table.
func unused() map[string]string {
	const arm = "whose figures are those of EPYC 2nd Gen"
	return map[string]string{
		"Coffee Lake":  "whose model is that of desktop processors",
		"EPYC 5th Gen": "whose figures are four times those of the generation before",
		"Graviton":     arm, "Graviton2": arm, "Graviton3": arm, "Graviton3E": arm, "Graviton4": arm,
	}
}

// vcpuRows returns the rows of generations. An unknown architecture is an error:
// someone must find out its cpuid values.
func vcpuRows(input [][]string) ([][]string, []omission, error) {
	if err := checkHead(input, "", "Architecture", "Min Watts", "Max Watts", "GB/Chip"); err != nil {
		return nil, nil, err
	}
	missing, without := generations(), unused()
	var rows [][]string
	left := make(map[string][]string)
	for i, in := range input[1:] {
		name := in[1]
		if why, ok := without[name]; ok {
			left[why] = append(left[why], name)
			continue
		}
		g, ok := missing[name]
		if !ok {
			return nil, nil, fmt.Errorf("line %d: %q is a second time there or not known: give it family and model in generations, or a reason in unused", i+2, name)
		}
		delete(missing, name)
		row, err := g.row(name, in[2], in[3])
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %s: %w", i+2, name, err)
		}
		rows = append(rows, row)
	}
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("it does not have %s any more: take them out of generations if that is right", strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	slices.SortFunc(rows, byProcessor)
	var omissions []omission
	for _, why := range slices.Sorted(maps.Keys(left)) {
		omissions = append(omissions, omission{why, left[why]})
	}
	return rows, omissions, nil
}

func (g generation) row(name, idle, busy string) ([]string, error) {
	idleW, err := parseWatts(idle)
	if err != nil {
		return nil, err
	}
	busyW, err := parseWatts(busy)
	if err != nil {
		return nil, err
	}
	if idleW >= busyW {
		return nil, fmt.Errorf("idle %v W is not below busy %v W", idleW, busyW)
	}
	watts := func(w float64) string { return strconv.FormatFloat(round(w), 'f', 4, 64) }
	return []string{
		g.vendor, strconv.Itoa(g.family), strconv.Itoa(g.model), strconv.Itoa(g.steppingLo), strconv.Itoa(g.stepping),
		name, watts(idleW), watts(busyW),
	}, nil
}

// byProcessor orders rows by vendor, then family, model and stepping as
// numbers.
func byProcessor(a, b []string) int {
	order := cmp.Compare(a[0], b[0])
	for i := 1; i <= 3; i++ {
		order = cmp.Or(order, len(a[i])-len(b[i]), cmp.Compare(a[i], b[i]))
	}
	return order
}
