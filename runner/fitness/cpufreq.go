package fitness

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
)

// A Policy is how the kernel chooses the frequency of some processors
// (Documentation/admin-guide/pm/cpufreq.rst). A frequency is 0 where it is not known.
type Policy struct {
	Folder      string // in sysfs
	CPUs        int    // that have it
	Governor    string // scaling_governor: performance, powersave, schedutil, ...
	Available   []string
	Driver      string // scaling_driver: intel_pstate, amd-pstate-epp, acpi-cpufreq, ...
	MinKHz      int    // limits that were set: scaling_min_freq, scaling_max_freq
	MaxKHz      int
	HardwareKHz int // what the processor can do: cpuinfo_max_freq
}

// held says whether the limits leave one frequency only.
func (p Policy) held() bool { return p.MinKHz > 0 && p.MinKHz == p.MaxKHz }

// varies says whether the governor changes the frequency with the load. That of drivers that
// choose by themselves is called powersave too (Documentation/admin-guide/pm/intel_pstate.rst and
// amd-pstate.rst, active mode), whereas that of other drivers is the lowest frequency.
func (p Policy) varies() bool {
	switch p.Governor {
	case "", "performance", "userspace":
		return false
	case "powersave":
		return !p.held() && (p.Driver == "intel_pstate" || p.Driver == "amd-pstate-epp")
	}
	return !p.held()
}

// slow says whether the governor keeps the lowest frequency.
func (p Policy) slow() bool { return p.Governor == "powersave" && !p.varies() && !p.held() }

// limited says whether something keeps the processor below what it can do.
func (p Policy) limited() bool { return p.MaxKHz > 0 && p.MaxKHz < p.HardwareKHz }

// has says whether the driver offers a governor; one that lists none may have it.
func (p Policy) has(name string) bool {
	return len(p.Available) == 0 || slices.Contains(p.Available, name)
}

func (p Policy) governorFile() string { return filepath.Join(p.Folder, "scaling_governor") }

// policies are those of all processors, by number.
func policies(o meter.Options) []Policy {
	folders, _ := filepath.Glob(o.Sys("devices", "system", "cpu", "cpufreq", "policy[0-9]*")) // the pattern is a good one
	slices.SortFunc(folders, func(a, b string) int { return cmp.Compare(policyNumber(a), policyNumber(b)) })
	var list []Policy
	for _, folder := range folders {
		p := Policy{
			Folder: folder, CPUs: max(1, len(strings.Fields(text(filepath.Join(folder, "affected_cpus"))))),
			Governor:    text(Policy{Folder: folder}.governorFile()),
			Available:   strings.Fields(text(filepath.Join(folder, "scaling_available_governors"))),
			Driver:      text(filepath.Join(folder, "scaling_driver")),
			MinKHz:      frequency(folder, "scaling_min_freq"),
			MaxKHz:      frequency(folder, "scaling_max_freq"),
			HardwareKHz: frequency(folder, "cpuinfo_max_freq"),
		}
		if p.Governor != "" { // otherwise its processors are off
			list = append(list, p)
		}
	}
	return list
}

func policyNumber(folder string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(folder), "policy"))
	return n
}

func frequency(folder, name string) int {
	if n := number(filepath.Join(folder, name)); n != nil && *n > 0 {
		return *n
	}
	return 0
}

// A Turbo is the switch for frequencies above the nominal one, which a processor keeps only as
// long as its temperature and power allow.
type Turbo struct {
	On    bool
	Files []string // that switch it, in sysfs
	Off   string   // what turns it off
}

// turbo reads the switch of intel_pstate (no_turbo), that of other drivers (boost), or those of
// single policies (boost in the folder of a policy, since Linux 6.11).
func turbo(o meter.Options) *Turbo {
	noTurbo, boost := o.Sys("devices", "system", "cpu", "intel_pstate", "no_turbo"), o.Sys("devices", "system", "cpu", "cpufreq", "boost")
	if n := number(noTurbo); n != nil {
		return &Turbo{On: *n == 0, Files: []string{noTurbo}, Off: "1"}
	}
	if n := number(boost); n != nil {
		return &Turbo{On: *n != 0, Files: []string{boost}, Off: "0"}
	}
	t := Turbo{Off: "0"}
	for _, p := range policies(o) {
		file := filepath.Join(p.Folder, "boost")
		if n := number(file); n != nil {
			t.Files, t.On = append(t.Files, file), t.On || *n != 0
		}
	}
	if t.Files == nil {
		return nil
	}
	return &t
}
