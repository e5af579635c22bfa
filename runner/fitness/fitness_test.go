package fitness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
)

// tree makes a simulated root with these files below proc and sys.
func tree(t *testing.T, files map[string]string) (root string, o meter.Options) {
	t.Helper()
	root = t.TempDir()
	for name, content := range files {
		put(t, filepath.Join(root, name), content)
	}
	return root, meter.Options{ProcRoot: filepath.Join(root, "proc"), SysRoot: filepath.Join(root, "sys")}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	cpu     = "sys/devices/system/cpu/"
	policy0 = cpu + "cpufreq/policy0/"
	policy1 = cpu + "cpufreq/policy1/"
)

// quiet is a server of two processors on which nothing changes figures.
func quiet() map[string]string {
	return map[string]string{
		"proc/cpuinfo":                        "flags\t\t: fpu msr\n",
		"proc/loadavg":                        "0.05 0.10 0.20 1/100 4242\n",
		"proc/pressure/cpu":                   "some avg10=0.10 avg60=0.00 avg300=0.00 total=1\n",
		"proc/self/cgroup":                    "0::/user.slice/a.scope\n",
		"proc/self/status":                    "Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n",
		"proc/sys/kernel/perf_event_paranoid": "2\n",
		cpu + "online":                        "0-1\n",
		cpu + "isolated":                      "\n",
		cpu + "smt/active":                    "0\n",
		cpu + "intel_pstate/no_turbo":         "1\n",
		cpu + "cpu0/thermal_throttle/core_throttle_count":                 "0\n",
		cpu + "cpu0/thermal_throttle/package_throttle_count":              "0\n",
		policy0 + "affected_cpus":                                         "0\n",
		policy0 + "scaling_governor":                                      "performance\n",
		policy0 + "scaling_driver":                                        "intel_pstate\n",
		policy0 + "scaling_min_freq":                                      "800000\n",
		policy0 + "scaling_max_freq":                                      "3500000\n",
		policy0 + "cpuinfo_max_freq":                                      "3500000\n",
		policy1 + "affected_cpus":                                         "1\n",
		policy1 + "scaling_governor":                                      "performance\n",
		policy1 + "scaling_driver":                                        "intel_pstate\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"sys/fs/cgroup/user.slice/a.scope/cpu.max":                        "max 100000\n",
	}
}

// Why: on a machine that is as it should be, somebody must read yes and what was looked at, and
// nothing else; and one that is busy, slowed or limited must be told what, most important first.
func TestAssess(t *testing.T) {
	for name, tt := range map[string]struct {
		change map[string]string // of quiet; "-" removes a file
		seen   []string          // starts of what is seen, in order
		says   string            // in the verdict
	}{
		"quiet": {nil, nil, "Yes."},
		"governor that follows the load": {
			map[string]string{policy0 + "scaling_governor": "powersave\n", policy1 + "scaling_governor": "powersave\n"},
			[]string{"The frequency follows the load: governor powersave of intel_pstate, on 2 of 2 processors."}, "Not for exact figures: one thing",
		},
		"one policy of two": {
			map[string]string{policy1 + "scaling_governor": "schedutil\n", policy1 + "scaling_driver": "acpi-cpufreq\n"},
			[]string{"The frequency follows the load: governor schedutil of acpi-cpufreq, on 1 of 2 processors."}, "one thing",
		},
		"governor that keeps the lowest": {
			map[string]string{policy0 + "scaling_governor": "powersave\n", policy0 + "scaling_driver": "acpi-cpufreq\n"},
			[]string{"The processors are kept at their lowest frequency: governor powersave of acpi-cpufreq, on 1 of 2 processors."}, "Yes, but one thing",
		},
		"limits that leave one frequency": {
			map[string]string{policy0 + "scaling_governor": "powersave\n", policy0 + "scaling_min_freq": "3500000\n"}, nil, "Yes.",
		},
		"limits that leave one frequency to another driver": {
			map[string]string{policy0 + "scaling_governor": "schedutil\n", policy0 + "scaling_driver": "acpi-cpufreq\n", policy0 + "scaling_min_freq": "3500000\n"}, nil, "Yes.",
		},
		"a limit": {
			map[string]string{policy0 + "scaling_max_freq": "2000000\n"}, []string{"Processors are limited to 2 of 3.5 GHz ("}, "Yes, but",
		},
		"turbo of intel_pstate": {map[string]string{cpu + "intel_pstate/no_turbo": "0\n"}, []string{"Turbo frequencies are on."}, "Not for"},
		"boost of other drivers": {
			map[string]string{cpu + "intel_pstate/no_turbo": "-", cpu + "cpufreq/boost": "1\n"}, []string{"Turbo frequencies are on."}, "Not for",
		},
		"boost of one policy": {
			map[string]string{cpu + "intel_pstate/no_turbo": "-", policy0 + "boost": "0\n", policy1 + "boost": "1\n"}, []string{"Turbo frequencies are on."}, "Not for",
		},
		"load":          {map[string]string{"proc/loadavg": "1.52 0.1 0.1 1/1 1\n"}, []string{"The machine is busy: the load average of the last minute is 1.52 on 2 processors."}, "Not for"},
		"waiting":       {map[string]string{"proc/pressure/cpu": "some avg10=55.73 avg60=1 avg300=1 total=1\n"}, []string{"The machine is busy: the load average of the last minute is 0.05 on 2 processors, and in 56 % of"}, "Not for"},
		"throttled":     {map[string]string{cpu + "cpu0/thermal_throttle/core_throttle_count": "7\n"}, []string{"The processor has been slowed down since the machine started, as it was too hot: up to 7 times"}, "Yes, but"},
		"SMT":           {map[string]string{cpu + "smt/active": "1\n"}, []string{"Two threads share a core"}, "Yes."},
		"slow clock":    {map[string]string{"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n"}, []string{"The clock source is hpet."}, "Yes, but"},
		"fewer CPUs":    {map[string]string{"proc/self/status": "Cpus_allowed_list:\t1\n"}, []string{"This process may use 1 of 2 processors (taskset, a cpuset or a container): CPU 1."}, "Yes."},
		"isolated CPUs": {map[string]string{cpu + "isolated": "1\n", "proc/self/status": "Cpus_allowed_list:\t0\n"}, []string{"Processors are isolated from the scheduler (isolcpus): CPU 1."}, "Yes."},
		"virtual": {
			map[string]string{"proc/cpuinfo": "flags\t\t: hypervisor\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"},
			[]string{"This is a virtual machine (QEMU)."}, "Not for",
		},
		"quota of the group": {
			map[string]string{"sys/fs/cgroup/user.slice/a.scope/cpu.max": "150000 100000\n"}, []string{"The control group of this process may use 1.5 of 2 processors ("}, "Not for",
		},
		"quota of a group above": {map[string]string{"sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n"}, []string{"The control group of this process may use 0.5 of 2 processors ("}, "Not for"},
		"the tightest quota": {
			map[string]string{"sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n", "sys/fs/cgroup/user.slice/a.scope/cpu.max": "150000 100000\n"},
			[]string{"The control group of this process may use 0.5 of 2"}, "Not for",
		},
		"a quota that does not bite": {map[string]string{"sys/fs/cgroup/cpu.max": "400000 100000\n"}, nil, "Yes."},
		"quota of version 1": {
			map[string]string{
				"proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/docker/a\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "25000\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			}, []string{"The control group of this process may use 0.25 of 2"}, "Not for",
		},
		"most important first": {
			map[string]string{cpu + "smt/active": "1\n", cpu + "cpu0/thermal_throttle/core_throttle_count": "7\n", cpu + "intel_pstate/no_turbo": "0\n", "proc/loadavg": "2 0 0 1/1 1\n"},
			[]string{"The machine is busy", "Turbo frequencies", "The processor has been slowed down", "Two threads"}, "Not for exact figures: 2 things",
		},
	} {
		files := quiet()
		for file, content := range tt.change {
			if files[file] = content; content == "-" {
				delete(files, file)
			}
		}
		_, o := tree(t, files)
		m := Look(o)
		m.Root = false
		a := Assess(m)
		var seen []string
		for i, f := range a.Findings {
			start := f.Seen
			if i < len(tt.seen) {
				start = f.Seen[:min(len(f.Seen), len(tt.seen[i]))]
			}
			seen = append(seen, start)
		}
		if diff := cmp.Diff(tt.seen, seen); diff != "" || !strings.Contains(a.Verdict(), tt.says) {
			t.Errorf("%s: verdict %q, want %q; seen (-want +got):\n%s", name, a.Verdict(), tt.says, diff)
		}
		if got := len(a.Findings) + len(a.Fine) + len(a.Unknown); got != len(checks) {
			t.Errorf("%s: %d of %d things were looked at", name, got, len(checks))
		}
	}
}

// Why: containers hide files of sysfs, and other kernels have others in them. What is not there is
// said once, where it matters; what cannot be understood is like what is not there.
func TestUnknown(t *testing.T) {
	_, nothing := tree(t, nil)
	broken := quiet()
	for file := range broken {
		broken[file] = "\x00 -1 none\n\n:::\n99999999999999999999\n"
	}
	broken[policy0+"scaling_governor"], broken[policy1+"scaling_governor"] = "", ""
	broken[cpu+"isolated"], broken["sys/devices/system/clocksource/clocksource0/current_clocksource"] = "", ""
	_, malformed := tree(t, broken)
	_, folders := tree(t, map[string]string{cpu + "isolated/x": "", "proc/loadavg/x": "", policy0 + "scaling_governor/x": "", "proc/self/cgroup/x": ""})
	for name, o := range map[string]meter.Options{"no file": nothing, "malformed files": malformed, "folders": folders} {
		a := Assess(Look(o))
		if len(a.Findings) > 0 {
			t.Errorf("%s: found %+v", name, a.Findings)
		}
		if diff := cmp.Diff([]string{"load", "governor", "turbo", "clock source", "perf_event_paranoid"}, a.Unknown); diff != "" {
			t.Errorf("%s: unknown (-want +got):\n%s", name, diff)
		}
		if got := a.Verdict(); got != "That is not known: the kernel tells nothing of it here." || len(a.Fine) > 0 {
			t.Errorf("%s: %q; fine are %q", name, got, a.Fine)
		}
	}
}

// Where some of it is known, the verdict says that it is not all.
func TestPartlyKnown(t *testing.T) {
	_, o := tree(t, map[string]string{"proc/loadavg": "0 0 0 1/1 1\n"})
	a := Assess(Look(o))
	if got := a.Verdict(); got != "Yes, as far as the kernel tells." || len(a.Unknown) != 4 || len(a.Fine) == 0 {
		t.Errorf("%q, %+v", got, a)
	}
}

// Why: in a virtual machine, the files of frequency are missing because the host has them: that is
// said once, and not again for each file.
func TestVirtualMachineIsNotAskedForFrequencies(t *testing.T) {
	_, o := tree(t, map[string]string{
		"proc/cpuinfo": "flags: hypervisor\n", "proc/loadavg": "0 0 0 1/1 1\n", "proc/sys/kernel/perf_event_paranoid": "1\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "kvm-clock\n",
	})
	if a := Assess(Look(o)); len(a.Unknown) > 0 || len(a.Findings) != 1 {
		t.Errorf("%+v", a)
	}
}

// A user who is not root, and may sample nothing, is told; root may.
func TestParanoid(t *testing.T) {
	for _, tt := range []struct {
		value int
		root  bool
		want  bool
	}{{2, false, false}, {3, false, true}, {4, true, false}, {-1, false, false}} {
		m := Machine{CPUs: 1, Paranoid: &tt.value, Root: tt.root}
		if _, is := paranoid(m); (is == found) != tt.want {
			t.Errorf("paranoid %d, root %t: %v", tt.value, tt.root, is)
		}
	}
}

// The report names each finding with its remedy, the commands to run, and how to undo them.
func TestWrite(t *testing.T) {
	files := quiet()
	files[policy0+"scaling_governor"], files[policy1+"scaling_governor"] = "powersave\n", "powersave\n"
	files["proc/loadavg"] = ""
	root, o := tree(t, files)
	var b strings.Builder
	if err := Write(&b, Assess(Look(o))); err != nil {
		t.Fatal(err)
	}
	want := `Is this machine fit to measure? Not for exact figures: one thing can change them more than the program does.

 1. The frequency follows the load: governor powersave of intel_pstate, on 2 of 2 processors.
    The same code then takes other times and draws other power, depending on what ran before it; energy per operation depends on frequency and voltage.
    To mend it, set the governor performance (spell-lsp doctor --fix=steady does, and spell-lsp doctor --undo undoes it):
        echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor
    A restart undoes it, or: echo powersave | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor

Fine: no hypervisor, CPU quota, load, turbo, thermal throttling, frequency limits, SMT, clock source, allowed CPUs, isolated CPUs, perf_event_paranoid.
`
	if diff := cmp.Diff(want, strings.ReplaceAll(b.String(), root, "")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if err := Write(refusing{}, Assessment{}); err == nil {
		t.Error("an error of writing is lost")
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestCountList(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-3,8": 5, "0-3,8-9": 6, "": 0, "3-1": 0, "-1": 0, "a": 0, "0-999999999": 0, "1,": 0} {
		if got := countList(list); got != want {
			t.Errorf("%q: %d CPUs, want %d", list, got, want)
		}
	}
}

// Machines of many sizes must not be able to make the doctor fail.
func FuzzLook(f *testing.F) {
	f.Add("0::/a/../../b\n", "50000 100000\n", "0-3\n", "some avg10=1e400 x\n")
	f.Add("1:cpu:/\n", "max 0\n", "", "some avg10=NaN\n")
	f.Fuzz(func(t *testing.T, cgroup, limit, online, pressure string) {
		root := t.TempDir()
		for name, content := range map[string]string{"proc/self/cgroup": cgroup, "sys/fs/cgroup/cpu.max": limit, cpu + "online": online, "proc/pressure/cpu": pressure} {
			put(t, filepath.Join(root, name), content)
		}
		a := Assess(Look(meter.Options{ProcRoot: filepath.Join(root, "proc"), SysRoot: filepath.Join(root, "sys")}))
		if err := Write(&strings.Builder{}, a); err != nil {
			t.Error(err)
		}
	})
}
