package model

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/frequency"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A processor gets its tier and power from the tables. An unknown processor gets no
// joules: neither those of a similar name nor, if it is a desktop, those of a server.
func TestTiers(t *testing.T) {
	const intel, amd = "GenuineIntel", "AuthenticAMD"
	tests := []struct {
		why          string
		cpu          CPU
		tier         string
		idleW, busyW float64
	}{
		{"bare metal, known name", CPU{intel, "Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz", 6, 158, 12, 16, 1, false}, "E1", 9.5, 95 * 0.60 / 16},
		{"two packages", CPU{amd, "AMD EPYC 7742 64-Core Processor", 23, 49, 0, 256, 2, false}, "E1", 45, 450 * 0.60 / 256},
		{"a known name with few digits", CPU{intel, "Intel(R) N97", 6, 190, 0, 4, 1, false}, "E1", 1.2, 12 * 0.60 / 4},
		{"a name like a known one", CPU{intel, "Intel(R) Core(TM) i9-9900KX CPU @ 3.60GHz", 6, 158, 12, 16, 1, false}, "E3", 0, 0},
		{"bare metal, a server that is not in the list", CPU{intel, "Intel(R) Xeon(R) Gold 9999 CPU", 6, 85, 7, 16, 1, false}, "E3", 0, 0},
		{"virtual machine, hidden name", CPU{intel, "Intel(R) Xeon(R) Processor @ 2.50GHz", 6, 85, 7, 2, 1, true}, "E2", 2 * 0.6903, 4.0632 - 0.6903},
		{"the stepping before is Skylake", CPU{intel, "Intel(R) Xeon(R) Processor @ 2.50GHz", 6, 85, 4, 2, 1, true}, "E2", 2 * 0.6130, 4.1042 - 0.6130},
		{"the stepping after is Cooper Lake, which is not in the table", CPU{intel, "Intel(R) Xeon(R) Processor @ 2.50GHz", 6, 85, 11, 2, 1, true}, "E2", 2 * 1.0992, 4.6564 - 1.0992},
		{"a virtual machine shows a known name: it does not own the package", CPU{intel, "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz", 6, 85, 7, 2, 1, true}, "E2", 2 * 0.6903, 4.0632 - 0.6903},
		{"hidden name, hidden hypervisor", CPU{amd, "AMD EPYC Processor", 23, 49, 0, 4, 1, false}, "E2", 4 * 0.4743, 1.6930 - 0.4743},
		{"QEMU's own name", CPU{intel, "Intel Xeon Processor (Icelake)", 6, 106, 0, 8, 8, true}, "E2", 8 * 0.7668, 3.7582 - 0.7668},
		{"virtual machine on a desktop of a server's family and model", CPU{amd, "AMD Ryzen 7 1700X Eight-Core Processor", 23, 1, 1, 4, 1, true}, "E3", 0, 0},
		{"virtual machine, unknown model of a server", CPU{intel, "Intel(R) Xeon(R) Processor", 6, 167, 1, 2, 1, true}, "E2", 2 * 1.0992, 4.6564 - 1.0992},
		{"virtual machine, unknown model and no server's name", CPU{intel, "QEMU Virtual CPU version 2.5+", 6, 6, 3, 2, 1, true}, "E3", 0, 0},
		{"a hidden name, but no virtual machine", CPU{intel, "Intel(R) Xeon(R) Processor", 6, 167, 1, 2, 1, false}, "E3", 0, 0},
		{"another maker's family and model", CPU{amd, "AMD EPYC Processor", 6, 85, 7, 2, 1, true}, "E2", 2 * 0.6290, 2.1342 - 0.6290},
		{"ARM", CPU{Threads: 4, Packages: 1}, "E3", 0, 0},
		{"nothing", CPU{}, "E3", 0, 0},
	}
	tables, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		got := tables.choose(tt.cpu)
		if got.tier != tt.tier || math.Abs(got.idleW-tt.idleW) > 1e-9 || math.Abs(got.busyW-tt.busyW) > 1e-9 {
			t.Errorf("%s: %s, %v W idle, %v W busy; want %s, %v, %v", tt.why, got.tier, got.idleW, got.busyW, tt.tier, tt.idleW, tt.busyW)
		}
	}
}

// proc makes a procfs with the given cpuinfo.
func proc(t *testing.T, cpuinfo string) meter.Options {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "cpuinfo"), []byte(cpuinfo), 0o600); err != nil {
		t.Fatal(err)
	}
	return meter.Options{ProcRoot: root}
}

// An estimate follows elapsed and CPU time, never decreases, and describes itself.
func TestEstimate(t *testing.T) {
	name := "Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz"
	m, err := Open(proc(t, block("0", "0", name, "6", "158", "12", "")+block("1", "0", name, "6", "158", "12", "")))
	if err != nil {
		t.Fatal(err)
	}
	info := m.Info()
	warnings := strings.Join(wording.Texts(info.Notes), " ")
	for _, want := range []string{"estimated", "tier E1", "95 W", "energy says nothing here that time does not"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("the warnings do not say %q: %s", want, warnings)
		}
	}
	info.Notes = nil
	want := meter.Info{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}, Resolution: time.Millisecond, IdleW: []float64{9.5}, PerCPUSecond: []float64{95 * 0.60 / 2}}
	if diff := gocmp.Diff(want, info); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	readings := []struct {
		elapsed, cpu time.Duration
		want         float64
	}{
		{0, 0, 0},
		{time.Second, 0, 9.5},
		{2 * time.Second, 2 * time.Second, 19 + 57},      // both threads used for a second: 95 W x 0.60
		{time.Second, time.Second, 76},                   // time goes back: unchanged
		{10 * time.Second, 2 * time.Second, 95 + 57},     // idle for eight seconds
		{10 * time.Second, 3 * time.Second, 95 + 1.5*57}, // only CPU time advances
	}
	joules := make([]float64, 1)
	for _, r := range readings {
		if err := m.Read(meter.Usage{Elapsed: r.elapsed, CPU: r.cpu}, joules); err != nil {
			t.Fatal(err)
		}
		if math.Abs(joules[0]-r.want) > 1e-9 {
			t.Errorf("after %v with %v of CPU time: %v J, want %v", r.elapsed, r.cpu, joules[0], r.want)
		}
	}
	if err := m.Read(meter.Usage{CPU: -1}, joules); err == nil {
		t.Error("negative CPU time is accepted")
	}
	if err := m.Read(meter.Usage{}, nil); err == nil {
		t.Error("Read accepts a slice without room for the domain")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// withFrequency adds cpufreq to a machine of one processor, at a frequency in kHz with a base of 3.6 GHz.
func withFrequency(t *testing.T, o meter.Options, khz, baseKHz string) meter.Options {
	t.Helper()
	o.SysRoot = t.TempDir()
	folder := filepath.Join(o.SysRoot, "devices", "system", "cpu", "cpu0", "cpufreq")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"scaling_governor": "powersave", "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "5000000",
		"base_frequency": baseKHz, "scaling_cur_freq": khz,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	busy(t, o, 0)
	return o
}

// busy sets for how long the processor was busy, in units of 10 ms.
func busy(t *testing.T, o meter.Options, ticks int) {
	t.Helper()
	text := fmt.Sprintf("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 %d 0 0 7 7 0 0 0 0 0\nintr 0\n", ticks)
	if err := os.WriteFile(filepath.Join(o.ProcRoot, "stat"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Where the kernel shows frequencies, CPU time costs what it does at the frequency of the time: at the
// base frequency what it costs elsewhere, at a lower one less. The joules of earlier times stay. A machine
// that is partly busy may use turbo; one that is busy altogether only up to its thermal design power.
func TestEstimateFollowsFrequency(t *testing.T) {
	name := "Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz"
	one, two := block("0", "0", name, "6", "158", "12", ""), block("1", "0", name, "6", "158", "12", "")
	r := frequency.Range{Lowest: 800e3, Base: 3600e3, Highest: 5000e3}
	for _, tt := range []struct {
		khz    string
		ticks  int // for which the machine is busy in a second
		weight float64
	}{{"3600000", 20, 1}, {"800000", 20, r.Weight(800e3)}, {"5000000", 20, r.Weight(5000e3)}, {"5000000", 100, 1.5}} {
		o := withFrequency(t, proc(t, one+two), tt.khz, "3600000")
		m, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		joules := make([]float64, 1)
		read := func(elapsed, cpu time.Duration, want float64) {
			t.Helper()
			if err := m.Read(meter.Usage{Elapsed: elapsed, CPU: cpu}, joules); err != nil || math.Abs(joules[0]-want) > 1e-9 {
				t.Errorf("%s kHz, after %v with %v of CPU time: %v J, %v; want %v", tt.khz, elapsed, cpu, joules[0], err, want)
			}
		}
		read(50*time.Millisecond, 20*time.Millisecond, 9.5*0.05+28.5*0.02) // no window is over
		busy(t, o, tt.ticks)
		read(time.Second, time.Second+20*time.Millisecond, 9.5+28.5*0.02+28.5*tt.weight)
		read(time.Second, time.Second, 9.5+28.5*0.02+28.5*tt.weight)
		text := strings.Join(wording.Texts(m.Info().Notes), " ")
		if !strings.Contains(text, "scaling_cur_freq each 100ms, base frequency 3.60 GHz") || strings.Contains(text, "fixed number of watts") || !strings.Contains(text, "estimated") {
			t.Errorf("the notes are: %s", text)
		}
		if info := m.Info(); info.Source != record.Estimated || !gocmp.Equal(info.PerCPUSecond, []float64{28.5}) {
			t.Errorf("info: %+v", info)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A frequency is not used without a base, in a virtual machine, nor for the power of a whole server.
func TestFrequencyIsNotUsed(t *testing.T) {
	name := "Intel(R) Core(TM) i9-9900K CPU"
	known := block("0", "0", name, "6", "158", "12", "")
	for _, tt := range []struct{ why, cpuinfo, base, says string }{
		{"no base frequency", known, "0", "does not follow the frequency of the processors: "},
		{"a virtual machine", block("0", "0", "Intel(R) Xeon(R) Processor @ 2.50GHz", "6", "85", "7", "hypervisor"), "2500000", ""},
		{"a server whose name is hidden", block("0", "0", "Intel(R) Xeon(R) Processor @ 2.50GHz", "6", "85", "7", ""), "2500000", ""},
	} {
		o := withFrequency(t, proc(t, tt.cpuinfo), "800000", tt.base)
		m, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		joules, info := make([]float64, 1), m.Info()
		busy(t, o, 90)
		want := info.IdleW[0] + info.PerCPUSecond[0]
		if err := m.Read(meter.Usage{Elapsed: time.Second, CPU: time.Second}, joules); err != nil || math.Abs(joules[0]-want) > 1e-9 {
			t.Errorf("%s: %v J, %v; want %v", tt.why, joules[0], err, want)
		}
		text := strings.Join(wording.Texts(info.Notes), " ")
		if !strings.Contains(text, "fixed number of watts") || strings.Contains(text, "frequency") != (tt.says != "") || !strings.Contains(text, tt.says) {
			t.Errorf("%s: the notes are: %s", tt.why, text)
		}
	}
}

// The watts of a calibration replace those of the tables, also for an unknown processor; they are weighed
// if they were fitted so, and stay estimates. One that is not used is named, and the tables hold.
func TestCalibration(t *testing.T) {
	known, unknown := block("0", "0", "Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz", "6", "158", "12", ""), block("0", "0", "Example 3000", "6", "6", "3", "")
	for _, tt := range []struct {
		why, cpuinfo string
		c            meter.Calibration
		says         string
		want         float64 // joules of a second with a busy processor at 0.8 GHz
	}{
		{"watts", known, meter.Calibration{IdleW: 2, BusyW: 5, Basis: "by rapl"}, "(tier E0: by rapl). The estimate is a fixed number", 7},
		{"an unknown processor", unknown, meter.Calibration{IdleW: 2, BusyW: 5, Basis: "by rapl"}, "(tier E0: by rapl). The estimate is a fixed number", 7},
		{"at the base frequency", known, meter.Calibration{IdleW: 2, BusyW: 5, Weighed: true, Basis: "by rapl"}, "(tier E0: by rapl). The estimate is a number of watts x CPU time x a weight", 2 + 5*frequency.Range{Lowest: 800e3, Base: 3600e3, Highest: 5000e3}.Weight(800e3)},
		{"not used", unknown, meter.Calibration{Unused: "f.json: it is of another machine"}, "tier E3", 0},
		{"not used", known, meter.Calibration{Unused: "f.json: it is of another machine"}, "The calibration of this machine is not used: f.json: it is of another machine.", 9.5 + 57*frequency.Range{Lowest: 800e3, Base: 3600e3, Highest: 5000e3}.Weight(800e3)},
	} {
		o := withFrequency(t, proc(t, tt.cpuinfo), "800000", "3600000")
		o.Calibration = tt.c
		m, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		busy(t, o, 100)
		info := m.Info()
		joules := make([]float64, len(info.Domains))
		err = m.Read(meter.Usage{Elapsed: time.Second, CPU: time.Second}, joules)
		if err != nil || len(joules) > 0 && math.Abs(joules[0]-tt.want) > 1e-9 || len(joules) == 0 && tt.want != 0 || info.Source == record.Measured {
			t.Errorf("%s: %v J, %v, want %v; %+v", tt.why, joules, err, tt.want, info)
		}
		if text := strings.Join(wording.Texts(info.Notes), " "); !strings.Contains(text, tt.says) {
			t.Errorf("%s: the notes do not say %q: %s", tt.why, tt.says, text)
		}
	}
}

// Watts that were calibrated with frequencies are those at the base frequency where cpufreq is gone, and the run
// says so. It says nothing of watts that were calibrated without.
func TestCalibrationWithoutFrequencies(t *testing.T) {
	const says = "does not follow the frequency of the processors: the kernel shows no frequency of a processor, and the watts were calibrated for the base frequency."
	for _, weighed := range []bool{true, false} {
		o := proc(t, block("0", "0", "Example 3000", "6", "6", "3", ""))
		o.SysRoot = t.TempDir()
		o.Calibration = meter.Calibration{IdleW: 2, BusyW: 5, Weighed: weighed, Basis: "by rapl"}
		m, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		joules := make([]float64, 1)
		if err := m.Read(meter.Usage{Elapsed: time.Second, CPU: time.Second}, joules); err != nil || joules[0] != 7 {
			t.Errorf("weighed %v: %v J, %v, want 7", weighed, joules, err)
		}
		if text := strings.Join(wording.Texts(m.Info().Notes), " "); strings.Contains(text, says) != weighed {
			t.Errorf("weighed %v: the notes are %s", weighed, text)
		}
	}
}

// For an unknown processor the meter has no domains and no joules, and says why. It
// still opens, because calls and CPU time can be measured.
func TestUnknownProcessor(t *testing.T) {
	tests := []struct {
		why string
		o   meter.Options
		say string
	}{
		{"a virtual processor of an unknown model", proc(t, block("0", "0", "QEMU Virtual CPU version 2.5+", "6", "6", "3", "hypervisor")), `"QEMU Virtual CPU version 2.5+" (GenuineIntel family 6 model 6 stepping 3)`},
		{"no procfs", meter.Options{ProcRoot: filepath.Join(t.TempDir(), "none")}, "cpuinfo"},
		{"an empty cpuinfo", proc(t, ""), "not known"},
	}
	for _, tt := range tests {
		m, err := Open(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		info := m.Info()
		if info.Source != record.NoEnergy || len(info.Domains) != 0 || info.IdleW != nil {
			t.Errorf("%s: %+v, want source none and no domains", tt.why, info)
		}
		warnings := strings.Join(wording.Texts(info.Notes), " ")
		if !strings.Contains(warnings, tt.say) || !strings.Contains(warnings, "tier E3") {
			t.Errorf("%s: the warnings do not say %q and the tier: %s", tt.why, tt.say, warnings)
		}
		if err := m.Read(meter.Usage{Elapsed: time.Second, CPU: time.Second}, nil); err != nil {
			t.Errorf("%s: reading: %v", tt.why, err)
		}
	}
}

// The embedded tables are complete, and a malformed row is an error.
func TestTables(t *testing.T) {
	tables, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(tables.tdps) < 60 || len(tables.threads) < 14 {
		t.Errorf("%d processors and %d kinds of thread: rows are missing", len(tables.tdps), len(tables.threads))
	}
	for _, text := range []string{"", "name,tdp_w,list\n", "h,h,h\nA,95\n", "h,h,h\nA,ninety,x\n", "h,h,h\nA,-1,x\n", "h,h,h\nA,1e9,x\n", "h,h,h\nA,NaN,x\n", "h,h,h\nA 100,95,x\nA(R) 100,96,x\n"} {
		if _, err := parseTDPs(strings.NewReader(text)); err == nil {
			t.Errorf("table %q is accepted", text)
		}
	}
	head := "vendor,family,model,stepping_from,stepping_to,name,idle_w,busy_w\n"
	for _, row := range []string{"", "X,6,85,0,4,N,1\n", "X,six,85,0,4,N,1,2\n", "X,6,85,0,4,N,one,2\n", "X,6,85,0,4,N,2,1\n"} {
		if _, err := parseThreads(strings.NewReader(head + row)); err == nil {
			t.Errorf("row %q is accepted", row)
		}
	}
}

// Each table states its source, its licence and what was left out. Its rows are sorted
// and unique.
func TestTablesStateTheirSource(t *testing.T) {
	for name, table := range map[string]string{"tdp.csv": string(tdpCSV), "vcpu.csv": string(vcpuCSV)} {
		for _, line := range []string{
			`project: \S.*, https://github\.com/\S+`, `file: \S+\.csv`, `commit: [0-9a-f]{40}`, `date: 20\d\d-\d\d-\d\d`,
			`sha256: [0-9a-f]{64}`, `licence: (MIT|Apache-2\.0); see NOTICE beside this file`, `left out: \S.*`,
		} {
			if !regexp.MustCompile(`(?m)^# ` + line + `$`).MatchString(table) {
				t.Errorf("%s has no line %q", name, line)
			}
		}
	}
	names, err := rows(bytes.NewReader(tdpCSV), 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range names[1:] {
		if names[i][0] >= names[i+1][0] {
			t.Errorf("tdp.csv: %s stands before %s", names[i][0], names[i+1][0])
		}
	}
	threads, err := parseThreads(bytes.NewReader(vcpuCSV))
	if err != nil {
		t.Fatal(err)
	}
	for i := range threads[1:] {
		a, b := &threads[i], &threads[i+1]
		order := cmp.Or(cmp.Compare(a.vendor, b.vendor), cmp.Compare(a.family, b.family), cmp.Compare(a.model, b.model), cmp.Compare(a.steppingHi+1, b.steppingLo+1))
		if order >= 0 {
			t.Errorf("vcpu.csv: %s stands before %s, or they overlap", a.name, b.name)
		}
	}
}

// Names from /proc/cpuinfo find the row of exactly that processor, whatever the kernel
// adds to the name. A name without a row is unknown: processors whose names differ by one
// letter have other watts.
func TestWellKnownProcessors(t *testing.T) {
	const unknown = 0
	tables, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		watts float64
	}{
		// laptops
		{"Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz", unknown},
		{"11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz", unknown},
		{"12th Gen Intel(R) Core(TM) i7-12700H", unknown},
		{"AMD Ryzen 7 4800H with Radeon Graphics", unknown},
		{"Intel(R) N100", 6},
		// desktops
		{"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", 65},
		{"Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz", 95},
		{"Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz", 95},
		{"Intel(R) Core(TM) i9-10900K CPU @ 3.70GHz", 125},
		{"13th Gen Intel(R) Core(TM) i9-13900K", unknown},
		{"AMD Ryzen 7 5800X 8-Core Processor", 105},
		{"AMD Ryzen 7 5800XT 8-Core Processor", unknown},
		{"AMD Ryzen Threadripper 3990X 64-Core Processor", 280},
		// servers
		{"AMD EPYC 7763 64-Core Processor", 280},
		{"AMD EPYC 9654 96-Core Processor", 360},
		{"AMD EPYC 9654P 96-Core Processor", unknown},
		{"Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 120},
		{"Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", unknown},
		{"Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", 205},
		{"Intel(R) Xeon(R) Gold 6338N CPU @ 2.20GHz", unknown},
		{"Intel(R) Xeon(R) Platinum 8480+", 350},
		{"INTEL(R) XEON(R) PLATINUM 8592+", unknown},
	} {
		e := tables.choose(CPU{Name: test.name, Threads: 8, Packages: 1})
		if test.watts == unknown {
			if want := fmt.Sprintf("the thermal design power of %q is not known", test.name); e.known() || e.basis != want {
				t.Errorf("%s: %s, %s; want %s", test.name, e.tier, e.basis, want)
			}
			continue
		}
		if want := fmt.Sprintf("thermal design power %g W ", test.watts); e.tier != "E1" || !strings.Contains(e.basis, want) {
			t.Errorf("%s: %s, %s; want E1 and %s", test.name, e.tier, e.basis, want)
		}
	}
}
