package perf

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/regularfile"
)

// A NoCounterError says that a machine has no energy event that can be counted.
type NoCounterError struct {
	Reason string
}

func (e *NoCounterError) Error() string { return "no energy event: " + e.Reason }

// A pmu is the PMU "power" as its folder in sysfs describes it.
type pmu struct {
	kind   uint32 // perf_event_attr.type
	cpus   []int  // one processor of each package, or of each die
	scales []scaled
	psys   *scaled // of the whole machine; nil without it
}

// A scaled event is an event with the energy of one count.
type scaled struct {
	name   string       // energy-pkg
	domain spell.Domain // "" for psys, which is in no sum
	config uint64       // perf_event_attr.config
	joules float64      // of one count; 2^-32 on all processors so far
}

// events are the events whose sum is the energy of the machine, without counting any
// joule twice: cores and graphics are parts of the package. psys includes all and is read
// separately.
var events = []struct {
	name   string
	domain spell.Domain
}{{"energy-pkg", spell.CPU}, {"energy-ram", spell.DRAM}, {psysEvent, ""}}

const psysEvent = "energy-psys"

// readPMU reads the description. A folder without any event, as in virtual machines,
// means that there is no counter.
func readPMU(o meter.Options) (p pmu, err error) {
	dir := o.Sys("bus", "event_source", "devices", "power")
	if _, err := os.Stat(dir); err != nil {
		return pmu{}, &NoCounterError{fmt.Sprintf("there is no %s", dir)}
	}
	names, err := os.ReadDir(dir + "/events")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return pmu{}, fmt.Errorf("listing the energy events: %w", err)
	}
	if len(names) == 0 {
		return pmu{}, &NoCounterError{fmt.Sprintf("%s/events is empty: the kernel has the driver, and the processor shows it no counter, as in virtual machines", dir)}
	}
	if p.kind, err = readNumber[uint32](dir+"/type", 10, 32); err != nil {
		return pmu{}, err
	}
	if p.cpus, err = readCPUs(dir + "/cpumask"); err != nil {
		return pmu{}, err
	}
	for _, e := range events {
		s, err := readEvent(dir+"/events/", e.name)
		if errors.Is(err, fs.ErrNotExist) && e.domain != spell.CPU {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return pmu{}, &NoCounterError{err.Error()}
		}
		if err != nil {
			return pmu{}, err
		}
		if s.domain = e.domain; s.domain == "" {
			p.psys = &s
			continue
		}
		p.scales = append(p.scales, s)
	}
	return p, nil
}

// readEvent reads an event's encoding, "event=0x02", its scale and its unit.
func readEvent(dir, name string) (scaled, error) {
	s := scaled{name: name}
	text, err := readText(dir + name)
	if err != nil {
		return s, err
	}
	code, ok := strings.CutPrefix(text, "event=0x")
	if s.config, err = strconv.ParseUint(code, 16, 64); !ok || err != nil {
		return s, fmt.Errorf("%s is %.40q, not event=0x and a number", dir+name, text)
	}
	unit, err := readText(dir + name + ".unit")
	if err != nil {
		return s, err
	}
	if unit != "Joules" {
		return s, fmt.Errorf("%s.unit is %.40q, not Joules", dir+name, unit)
	}
	scale, err := readText(dir + name + ".scale")
	if err != nil {
		return s, err
	}
	if s.joules, err = strconv.ParseFloat(scale, 64); err != nil || !(s.joules > 0) || math.IsInf(s.joules, 0) {
		return s, fmt.Errorf("%s.scale is %.40q, not a number above 0", dir+name, scale)
	}
	return s, nil
}

func readText(path string) (string, error) {
	text, err := regularfile.Read(path, regularfile.MaxValue)
	if err != nil {
		return "", fmt.Errorf("reading an energy event: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readNumber reads a file with one unsigned number of that base and size in bits.
func readNumber[T uint32 | int](path string, base, bits int) (T, error) {
	text, err := readText(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, base, bits)
	if err != nil {
		return 0, fmt.Errorf("%s is %.40q, not a number", path, text)
	}
	return T(n), nil
}

// maxCPUs is above the limit of Linux (NR_CPUS is at most 8192).
const maxCPUs = 1 << 16

// readCPUs reads a list of processors in the form of cpumask: "0,18" or "0-1".
func readCPUs(path string) ([]int, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	refused := fmt.Errorf("%s is %.40q, not a list of processors", path, text)
	var cpus []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 16)
		if err != nil {
			return nil, refused
		}
		last, err := strconv.ParseUint(to, 10, 16)
		if err != nil || last < first || last >= maxCPUs {
			return nil, refused
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	return cpus, nil
}

// onePerPackage leaves out processors whose events would be counted twice. The driver
// has an event for each die. Intel's dies have counters of their own; AMD's all show
// the counter of their package.
func onePerPackage(o meter.Options, cpus []int) (kept []int, notes []note.Note) {
	if !sharedByDies(o) {
		return cpus, nil
	}
	first := map[int]int{} // package -> processor
	for _, cpu := range cpus {
		number, err := packageOf(o, cpu)
		if err != nil {
			return cpus, []note.Note{note.MirrorsUnknown(err.Error())}
		}
		if other, ok := first[number]; ok {
			notes = append(notes, note.EventMirrored(cpu, other, number))
			continue
		}
		first[number] = cpu
		kept = append(kept, cpu)
	}
	return kept, notes
}

// packageOf is the number of a processor's package.
func packageOf(o meter.Options, cpu int) (int, error) {
	return readNumber[int](o.Sys("devices", "system", "cpu", fmt.Sprintf("cpu%d", cpu), "topology", "physical_package_id"), 10, 31)
}

func sharedByDies(o meter.Options) bool {
	text, err := regularfile.Read(o.Proc("cpuinfo"), regularfile.MaxSource)
	return err == nil && (strings.Contains(string(text), "AuthenticAMD") || strings.Contains(string(text), "HygonGenuine"))
}
