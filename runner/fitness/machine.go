package fitness

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell/regularfile"
)

// A Machine is what sysfs and procfs say of the machine and of what limits this process. A text is
// empty, and a pointer nil, where the kernel does not tell: no driver, an older kernel, another
// system, a file that may not be read, or one that holds something else than it should.
type Machine struct {
	CPUs       int // that are online
	Policies   []Policy
	Turbo      *Turbo
	SMT        *bool    // several threads share a core (smt/active)
	Load       *float64 // average over the last minute (/proc/loadavg)
	Waiting    *float64 // share of the last 10 s in which something waited for a processor, 0 to 1 (/proc/pressure/cpu)
	Throttled  Throttling
	Quota      *Quota
	Allowed    string // CPUs that this process may use, as a list (Cpus_allowed_list in /proc/self/status)
	Isolated   string // CPUs that the scheduler leaves alone, as a list
	Virtual    bool
	Hypervisor string // "" where it does not say
	Clock      string // current_clocksource
	Paranoid   *int   // kernel.perf_event_paranoid
	Root       bool   // this user is root
}

// Governors are those of all processors, joined by "+"; "" where none is shown.
func (m Machine) Governors() string {
	var names []string
	for _, p := range m.Policies {
		if p.Governor != "" {
			names = append(names, p.Governor)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "+")
}

// Look reads the facts. It writes nothing and needs no privilege.
func Look(o meter.Options) Machine {
	m := Machine{
		CPUs:      cpus(o),
		Policies:  policies(o),
		Turbo:     turbo(o),
		Load:      load(o),
		Waiting:   waiting(o),
		Throttled: throttling(o),
		Quota:     quota(o),
		Allowed:   allowed(o),
		Isolated:  text(o.Sys("devices", "system", "cpu", "isolated")),
		Clock:     text(o.Sys("devices", "system", "clocksource", "clocksource0", "current_clocksource")),
		Paranoid:  number(o.Proc("sys", "kernel", "perf_event_paranoid")),
		Root:      os.Geteuid() == 0,
	}
	if smt := number(o.Sys("devices", "system", "cpu", "smt", "active")); smt != nil {
		on := *smt != 0
		m.SMT = &on
	}
	m.Virtual, m.Hypervisor = virtual.Machine(o)
	return m
}

// text is the content of a file of the kernel without the space around it; "" where it cannot be read.
func text(path string) string {
	content, err := regularfile.Read(path, regularfile.MaxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// number is the whole number in a file; nil where there is none.
func number(path string) *int {
	n, err := strconv.Atoi(text(path))
	if err != nil {
		return nil
	}
	return &n
}

// lines are those of a table in procfs.
func lines(path string) []string {
	content, err := regularfile.Read(path, regularfile.MaxSource)
	if err != nil {
		return nil
	}
	return strings.Split(string(content), "\n")
}

// cpus counts the processors that are online.
func cpus(o meter.Options) int {
	if n := countList(text(o.Sys("devices", "system", "cpu", "online"))); n > 0 {
		return n
	}
	return runtime.NumCPU()
}

// maxCPUs is the most that Linux can be built for (CONFIG_NR_CPUS).
const maxCPUs = 8192

// countList counts the CPUs in a list like "0-3,8"; 0 for what is none.
func countList(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || to >= maxCPUs {
			return 0
		}
		n += to - from + 1
	}
	return n
}

// load is the first figure of /proc/loadavg (proc_loadavg(5)).
func load(o meter.Options) *float64 {
	first, _, _ := strings.Cut(text(o.Proc("loadavg")), " ")
	return atLeastZero(first, 1)
}

// waiting is the share of the last 10 s in which some task waited for a processor
// (Documentation/accounting/psi.rst: "some avg10=12.34 avg60=... total=..." in percent).
func waiting(o meter.Options) *float64 {
	for _, line := range lines(o.Proc("pressure", "cpu")) {
		if rest, is := strings.CutPrefix(line, "some avg10="); is {
			percent, _, _ := strings.Cut(rest, " ")
			return atLeastZero(percent, 0.01)
		}
	}
	return nil
}

// atLeastZero reads a figure in some unit; nil for what is none.
func atLeastZero(figure string, unit float64) *float64 {
	value, err := strconv.ParseFloat(figure, 64)
	if err != nil || !(value >= 0 && value < 1e9) {
		return nil
	}
	value *= unit
	return &value
}

// allowed lists the CPUs on which this process may run, after cpusets and taskset(1).
func allowed(o meter.Options) string {
	for _, line := range lines(o.Proc("self", "status")) {
		if list, is := strings.CutPrefix(line, "Cpus_allowed_list:"); is && countList(strings.TrimSpace(list)) > 0 {
			return strings.TrimSpace(list)
		}
	}
	return ""
}

// cpuFolders are the folders of all processors.
func cpuFolders(o meter.Options) []string {
	found, _ := filepath.Glob(o.Sys("devices", "system", "cpu", "cpu[0-9]*")) // the pattern is a good one
	return found
}
