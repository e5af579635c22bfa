package hwmon

import (
	"regexp"
	"time"

	"spell-lsp/spell"
)

// A quantity is what a sensor reports.
type quantity int

const (
	energy  quantity = iota // energyN_input: used so far, in µJ
	power                   // powerN_input: at this moment, in µW
	average                 // powerN_average: over the interval before, in µW
)

// A known sensor is one whose coverage is documented. Of a device, only sensors in the first group that it has
// any of are read: later groups are other sums of the same.
type known struct {
	chip  string // content of the chip's file "name": its driver
	file  string // an expression for the sensor's file
	label string // an expression for what label returns, "" for any
	group int
	// domain is what its energy belongs to; "" for a sensor beside the domains.
	domain spell.Domain
	beside string        // its name there; %s is what the expression of label found
	every  time.Duration // between polls, unless the chip says it
	// all says that it covers the whole machine, and is read as the domain cpu where no other sensor is.
	all        bool
	withMemory bool // the memory is in it
}

// Intervals of sensors that do not say theirs: the hardware's own of counters, which cost little to read; a
// tenth of a second where reading wakes a device up; a second where a controller is asked over a slow bus.
const (
	atOnce = time.Millisecond
	tenth  = 100 * time.Millisecond
	second = time.Second
)

// sensors are all that are known. The labels of NVIDIA's Grace are those of its tuning guide: the power of a
// socket holds that of its CPU and SysIO rails, of its memory and of the losses of its regulators; that of a
// module holds the socket's and the GPU's. SMpro's RCA VRD, of the PCIe root complexes, is left out: the
// manufacturer's sum for the processor is Core and SoC.
var sensors = []known{
	{chip: "amd_energy", file: "energy[0-9]+_input", label: "Esocket[0-9]+", domain: spell.CPU, every: atOnce},
	{chip: acpi, file: "power[0-9]+_average", label: "Grace Power Socket [0-9]+", domain: spell.CPU, every: second, withMemory: true},
	{chip: acpi, file: "power[0-9]+_average", label: "(?:CPU|SysIO) Power Socket [0-9]+", group: 1, domain: spell.CPU, every: second},
	{chip: acpi, file: "power[0-9]+_average", label: "Module Power Socket ([0-9]+)", group: always, beside: "module-%s", every: second},
	{chip: acpi, file: "power[0-9]+_average", group: 2, domain: spell.CPU, every: second, all: true},
	{chip: "smpro_hwmon", file: "power[12]_input", domain: spell.CPU, every: second},
	{chip: "smpro_hwmon", file: "power[34]_input", domain: spell.DRAM, every: second},
	{chip: "xe", file: "energy1_input", domain: spell.GPU, every: tenth},
	{chip: "xe", file: "energy2_input", group: 1, domain: spell.GPU, every: tenth},
	{chip: "i915", file: "energy1_input", domain: spell.GPU, every: tenth},
}

// acpi is the driver that makes a device of each sensor: its groups are of all of them.
const acpi = "power_meter"

// always is the group of sensors that are read whichever group is.
const always = -1

// match says whether a sensor is the known one, and what the expression of its label found.
func (k known) match(file, label string) (found string, ok bool) {
	if !regexp.MustCompile("^" + k.file + "$").MatchString(file) {
		return "", false
	}
	if k.label == "" {
		return "", true
	}
	m := regexp.MustCompile("^" + k.label + "$").FindStringSubmatch(label)
	if m == nil {
		return "", false
	}
	return m[len(m)-1], true
}
