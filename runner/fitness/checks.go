package fitness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func hypervisor(m Machine) (Finding, state) {
	if !m.Virtual {
		return Finding{}, fine
	}
	seen := "This is a virtual machine."
	if m.Hypervisor != "" {
		seen = fmt.Sprintf("This is a virtual machine (%s).", m.Hypervisor)
	}
	return Finding{
		Effect: Large, Seen: seen,
		Why:    "Its host sets the frequency, runs other guests beside it and has the counters of energy: joules are estimated here, and times depend on the neighbours. Rounds with steal time are run again.",
		Remedy: "measure on a machine of your own to compare joules; comparisons of calls and of CPU time hold here too",
	}, found
}

func cpuQuota(m Machine) (Finding, state) {
	if m.Quota == nil || m.Quota.CPUs >= float64(m.CPUs) {
		return Finding{}, fine
	}
	return Finding{
		Effect: Large, Seen: fmt.Sprintf("The control group of this process may use %s of %d processors (%s).", figure(m.Quota.CPUs), m.CPUs, m.Quota.File),
		Why:    "Once a program has used up its share of a period, the kernel stops all of its threads until the next one: running times then have pauses in them that are not the program's.",
		Remedy: "measure outside of the limit: for a container, leave out --cpus or resources.limits.cpu and give it whole processors (--cpuset-cpus), or run",
		Run:    []string{"systemd-run --user --scope spell-lsp measure"},
	}, found
}

// figure is a number with up to two digits after the point.
func figure(value float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(value, 'f', 2, 64), "0"), ".")
}

const (
	// maxLoad is a load for each processor that measuring bears: the machine is idle before a
	// measurement but for what looks at it.
	maxLoad = 0.25
	// maxWaiting is the share of time in which something may wait for a processor. On an idle
	// machine it is next to 0.
	maxWaiting = 0.05
)

func others(m Machine) (Finding, state) {
	if m.Load == nil && m.Waiting == nil {
		return Finding{}, unknown
	}
	busy := m.Load != nil && *m.Load > maxLoad*float64(m.CPUs)
	waits := m.Waiting != nil && *m.Waiting > maxWaiting
	if !busy && !waits {
		return Finding{}, fine
	}
	var seen []string
	if m.Load != nil {
		seen = append(seen, fmt.Sprintf("the load average of the last minute is %s on %d processors", figure(*m.Load), m.CPUs))
	}
	if waits {
		seen = append(seen, fmt.Sprintf("in %.0f %% of the last ten seconds a program waited for a processor", *m.Waiting*100))
	}
	return Finding{
		Effect: Large, Seen: "The machine is busy: " + strings.Join(seen, ", and ") + ".",
		Why:    "Other programs share caches, memory and the power limit with what is measured, and a counter of energy counts them too.",
		Remedy: "end or pause what runs, which this shows",
		Run:    []string{"top -o %CPU"},
	}, found
}

const governorFiles = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"

func governor(m Machine) (Finding, state) {
	if len(m.Policies) == 0 {
		return Finding{}, unknown
	}
	varying, slow := m.share(Policy.varies), m.share(Policy.slow)
	f := Finding{
		Effect: Large,
		Remedy: "set the governor performance",
		Run:    []string{"echo performance | sudo tee " + governorFiles},
		Steady: true,
	}
	switch {
	case varying != "":
		f.Seen = "The frequency follows the load: " + varying + "."
		f.Why = "The same code then takes other times and draws other power, depending on what ran before it; energy per operation depends on frequency and voltage."
	case slow != "":
		f.Effect = Medium
		f.Seen = "The processors are kept at their lowest frequency: " + slow + "."
		f.Why = "Figures are steady, but not those of a machine that is used: times are longer, and power that does not depend on the frequency weighs more."
	default:
		return Finding{}, fine
	}
	f.Undo = []string{"echo " + m.commonGovernor() + " | sudo tee " + governorFiles}
	return f, found
}

// share says of how many processors something holds, and which governors they have: "governor
// powersave of intel_pstate, on 8 of 8 processors"; "" for none.
func (m Machine) share(is func(Policy) bool) string {
	var names []string
	some, all := 0, 0
	for _, p := range m.Policies {
		all += p.CPUs
		if !is(p) {
			continue
		}
		some += p.CPUs
		name := "governor " + p.Governor
		if p.Driver != "" {
			name += " of " + p.Driver
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if some == 0 {
		return ""
	}
	return fmt.Sprintf("%s, on %d of %d processors", strings.Join(names, " and "), some, all)
}

// commonGovernor is the one that most policies have; of several, the first by name.
func (m Machine) commonGovernor() string {
	counts := make(map[string]int)
	for _, p := range m.Policies {
		counts[p.Governor]++
	}
	best := ""
	for name, n := range counts {
		if c := cmp.Compare(n, counts[best]); c > 0 || c == 0 && name < best {
			best = name
		}
	}
	return best
}

func turboOn(m Machine) (Finding, state) {
	switch {
	case m.Turbo == nil:
		return Finding{}, unknown
	case !m.Turbo.On:
		return Finding{}, fine
	}
	on := "1"
	if m.Turbo.Off == "1" {
		on = "0"
	}
	files := m.Turbo.Files[0]
	if len(m.Turbo.Files) > 1 {
		files = "/sys/devices/system/cpu/cpufreq/policy*/boost"
	}
	return Finding{
		Effect: Large, Seen: "Turbo frequencies are on.",
		Why:    "How long a processor stays above its nominal frequency depends on its temperature, on its power limit and on how many cores run: a first round can be faster, and draw more, than a tenth.",
		Remedy: "turn them off", Run: []string{"echo " + m.Turbo.Off + " | sudo tee " + files}, Steady: true,
		Undo: []string{"echo " + on + " | sudo tee " + files},
	}, found
}

func tooHot(m Machine) (Finding, state) {
	n := m.Throttled.most()
	switch {
	case len(m.Throttled) == 0:
		return Finding{}, unknown
	case n == 0:
		return Finding{}, fine
	}
	return Finding{
		Effect: Medium, Seen: fmt.Sprintf("The processor has been slowed down since the machine started, as it was too hot: up to %d times each.", n),
		Why:    "A processor that is too hot runs slower than it is told to. Each run compares the counts before and after its rounds, and says when they grew.",
		Remedy: "let it cool down between runs, clean its fan, or turn turbo frequencies off",
	}, found
}

func limits(m Machine) (Finding, state) {
	if len(m.Policies) == 0 {
		return Finding{}, unknown
	}
	i := slices.IndexFunc(m.Policies, Policy.limited)
	if i < 0 {
		return Finding{}, fine
	}
	p := m.Policies[i]
	return Finding{
		Effect: Medium, Seen: fmt.Sprintf("Processors are limited to %s of %s GHz (%s/scaling_max_freq).", gigahertz(p.MaxKHz), gigahertz(p.HardwareKHz), p.Folder),
		Why:    "A limit that you set yourself keeps figures steady. One of a power profile, of a daemon (thermald, TLP) or of the firmware comes and goes with temperature and battery.",
		Remedy: "if you did not set it, choose the power profile for performance, plug the machine in, or lift the limit",
		Run:    []string{fmt.Sprintf("echo %d | sudo tee %s/scaling_max_freq", p.HardwareKHz, p.Folder)},
		Undo:   []string{fmt.Sprintf("echo %d | sudo tee %s/scaling_max_freq", p.MaxKHz, p.Folder)},
	}, found
}

func gigahertz(khz int) string { return figure(float64(khz) / 1e6) }

const smtControl = "/sys/devices/system/cpu/smt/control"

func threads(m Machine) (Finding, state) {
	switch {
	case m.SMT == nil:
		return Finding{}, unknown
	case !*m.SMT:
		return Finding{}, fine
	}
	return Finding{
		Effect: Small, Seen: "Two threads share a core (SMT).",
		Why:    "A thread slows down whatever runs on the other one of its core, and how much power both draw together is not the sum of what each draws alone. Programs that use one processor, on an idle machine, are hardly concerned.",
		Remedy: "if you measure parallel programs, turn SMT off, which leaves half of the processors",
		Run:    []string{"echo off | sudo tee " + smtControl},
		Undo:   []string{"echo on | sudo tee " + smtControl},
	}, found
}

// cheapClocks are those that programs read without a system call (vDSO).
var cheapClocks = []string{"tsc", "tsc-early", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}

func clock(m Machine) (Finding, state) {
	switch {
	case m.Clock == "":
		return Finding{}, unknown
	case slices.Contains(cheapClocks, m.Clock):
		return Finding{}, fine
	}
	return Finding{
		Effect: Medium, Seen: "The clock source is " + m.Clock + ".",
		Why:    "Reading it takes a system call, some hundred nanoseconds in place of some tens: probes and programs that look at the time become slower. Linux takes such a clock where it does not trust the time stamp counter, which probes then may not use either.",
		Remedy: "see with the first command why the kernel does not trust it and, if tsc is among the clocks that the second one lists, choose it with the third",
		Run: []string{
			"sudo dmesg | grep -i -e tsc -e clocksource",
			"cat /sys/devices/system/clocksource/clocksource0/available_clocksource",
			"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
		},
		Undo: []string{"echo " + m.Clock + " | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"},
	}, found
}

func allowedCPUs(m Machine) (Finding, state) {
	switch {
	case m.Allowed == "":
		return Finding{}, unknown
	case countList(m.Allowed) >= m.CPUs-countList(m.Isolated):
		return Finding{}, fine
	}
	return Finding{
		Effect: Small, Seen: fmt.Sprintf("This process may use %d of %d processors (taskset, a cpuset or a container): CPU %s.", countList(m.Allowed), m.CPUs, m.Allowed),
		Why:    "The program under test has fewer processors than the machine, and shares them with the sampler that reads the meter. What others do on the rest of them is in the counter all the same.",
		Remedy: "leave at least two CPUs to a measurement",
	}, found
}

func isolatedCPUs(m Machine) (Finding, state) {
	if m.Isolated == "" {
		return Finding{}, fine
	}
	return Finding{
		Effect: Small, Seen: fmt.Sprintf("Processors are isolated from the scheduler (isolcpus): CPU %s.", m.Isolated),
		Why:    "Nothing runs there that is not told to, the program under test included. It is a quiet place for a program of one thread, but the kernel does not spread threads over isolated CPUs: the sampler and all threads of a program that is pinned there share the first of them.",
		Remedy: "leave spell-lsp on the other CPUs: do not start it there with taskset",
	}, found
}

// sampling is the highest value that lets a program sample the processes of its own user
// (Documentation/admin-guide/sysctl/kernel.rst, perf_event_paranoid; Debian and Ubuntu add 3 and 4).
const sampling = 2

func paranoid(m Machine) (Finding, state) {
	switch {
	case m.Paranoid == nil:
		return Finding{}, unknown
	case *m.Paranoid <= sampling || m.Root:
		return Finding{}, fine
	}
	return Finding{
		Effect: Small, Seen: fmt.Sprintf("perf_event_paranoid is %d: the kernel lets this user sample no process.", *m.Paranoid),
		Why:    "--mode sample then measures programs by their own CPU profiles, with one sample in 10 ms in place of one in 2 ms. Probes do without.",
		Remedy: "allow it until the next restart",
		Run:    []string{"sudo sysctl kernel.perf_event_paranoid=2"},
		Undo:   []string{fmt.Sprintf("sudo sysctl kernel.perf_event_paranoid=%d", *m.Paranoid)},
	}, found
}
