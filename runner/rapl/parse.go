package rapl

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folderForm is the name of a zone's folder: the control type that registered
// it, then the zone's number and those of its subzones, in hexadecimal.
var folderForm = regexp.MustCompile(`^([a-z][a-z0-9-]*rapl[a-z0-9-]*)((?::[0-9a-f]{1,8})+)$`)

// A place is the position of a zone's folder: "intel-rapl-mmio:a:1" is control
// "intel-rapl-mmio", number 10, 1. It identifies the folder and its parent, not what
// the zone measures: numbers follow the order of registration.
type place struct {
	control string
	number  []uint64
}

// parsePlace reads the name of a zone's folder; ok is false for any other entry of the
// powercap class.
func parsePlace(folder string) (p place, ok bool) {
	m := folderForm.FindStringSubmatch(folder)
	if m == nil {
		return place{}, false
	}
	p.control = m[1]
	for digits := range strings.SplitSeq(m[2][1:], ":") {
		n, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return place{}, false
		}
		p.number = append(p.number, n)
	}
	return p, true
}

func (p place) String() string {
	var b strings.Builder
	b.WriteString(p.control)
	for _, n := range p.number {
		b.WriteString(":" + strconv.FormatUint(n, 16))
	}
	return b.String()
}

// parent is the place of the zone that contains p. For a top-level zone it is that of
// the control type, where there is no zone.
func (p place) parent() place {
	return place{p.control, p.number[:len(p.number)-1]}
}

// repeats reports whether zones of p's control type show the counters of another
// control type: intel-rapl-mmio has registers of its own for the power limits of
// package 0, but not for its energy.
func (p place) repeats() bool { return strings.HasSuffix(p.control, "-mmio") }

// comparePlaces puts repeating control types last, and otherwise orders by
// control type and number.
func comparePlaces(a, b place) int {
	if a.repeats() != b.repeats() {
		if a.repeats() {
			return 1
		}
		return -1
	}
	if c := strings.Compare(a.control, b.control); c != 0 {
		return c
	}
	return slices.Compare(a.number, b.number)
}

// A kind is what a zone measures, by its name.
type kind int

const (
	unknown kind = iota
	pkg          // a processor package, or one die of it; core and uncore are parts of it, dram is not
	dram         // the memory of the package that contains the zone
	part         // core or uncore
	psys         // the whole platform: includes everything above; "psys-1" where package 1 has its counter
)

var psysForm = regexp.MustCompile(`^psys-[0-9]{1,8}$`)

var packageForm = regexp.MustCompile(`^package-([0-9]{1,8})(-die-[0-9]{1,8})?$`)

// parseName reads the content of a zone's name file. For a package, number is
// its number as text, and die says that the zone is one die of it.
func parseName(name string) (k kind, number string, die bool) {
	switch name {
	case "core", "uncore":
		return part, "", false
	case "dram":
		return dram, "", false
	case "psys":
		return psys, "", false
	}
	if psysForm.MatchString(name) {
		return psys, "", false
	}
	if m := packageForm.FindStringSubmatch(name); m != nil {
		return pkg, m[1], m[2] != ""
	}
	return unknown, "", false
}
