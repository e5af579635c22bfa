// Package virtual tells whether this machine is a virtual one, and of which hypervisor.
package virtual

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// Machine says whether this is a virtual machine, and what it says of its hypervisor: "QEMU",
// "Microsoft Corporation Virtual Machine", "xen"; "" where it says nothing, as always on a real one.
//
// x86 processors have the flag hypervisor in a virtual machine. Elsewhere there is no flag: a guest
// of Xen has /sys/hypervisor/type (Documentation/ABI/testing/sysfs-hypervisor-xen), and QEMU names
// itself in the DMI tables. The DMI tables alone prove nothing: those of rented real machines name
// the same vendor as those of virtual ones.
func Machine(o meter.Options) (is bool, hypervisor string) {
	dmi := strings.TrimSpace(line(o, "class", "dmi", "id", "sys_vendor") + " " + line(o, "class", "dmi", "id", "product_name"))
	kind := line(o, "hypervisor", "type")
	is = flagged(o) || kind != "" || strings.HasPrefix(dmi, "QEMU")
	switch {
	case !is:
		return false, ""
	case dmi != "":
		return true, dmi
	}
	return true, kind
}

// flagged says whether a processor has the flag hypervisor.
func flagged(o meter.Options) bool {
	text, err := regularfile.Read(o.Proc("cpuinfo"), regularfile.MaxSource)
	if err != nil {
		return false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20) // the flags have several thousand characters
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "flags" {
			return slices.Contains(strings.Fields(value), "hypervisor")
		}
	}
	return false
}

// line is the content of a file of sysfs; "" where it cannot be read.
func line(o meter.Options, elem ...string) string {
	text, err := regularfile.Read(o.Sys(elem...), regularfile.MaxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
