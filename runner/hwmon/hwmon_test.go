package hwmon

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

// A machine is a hwmon class written by the test.
type machine struct {
	t   *testing.T
	o   meter.Options
	now time.Time
}

// newMachine makes a machine from lines with a path and its content: "hwmon0/name smpro_hwmon".
func newMachine(t *testing.T, lines ...string) *machine {
	t.Helper()
	m := &machine{t, meter.Options{SysRoot: t.TempDir()}, time.Unix(1000, 0)}
	m.set(lines...)
	return m
}

func (m *machine) path(name string) string { return m.o.Sys("class", "hwmon", name) }

func (m *machine) set(lines ...string) {
	m.t.Helper()
	for _, line := range lines {
		name, content, _ := strings.Cut(line, " ")
		if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(m.path(name), []byte(content+"\n"), 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *machine) open() *Meter {
	m.t.Helper()
	open, err := open(m.o, func() time.Time { return m.now })
	if err != nil {
		m.t.Fatal(err)
	}
	return open
}

// read advances the clock and reads, by name.
func (m *machine) read(open *Meter, pass time.Duration) (map[string]float64, error) {
	m.now = m.now.Add(pass)
	joules := make([]float64, open.Info().Values())
	err := open.Read(meter.Usage{}, joules)
	of := map[string]float64{}
	for i, name := range open.Info().Counts() {
		of[name] = math.Round(joules[i]*1e6) / 1e6
	}
	return of, err
}

// grace is a socket of an NVIDIA Grace in a module with a GPU, as its firmware describes it: one chip for each sensor.
func grace(socket string, chips ...string) (lines []string) {
	for i, what := range []string{"Grace", "CPU", "SysIO", "Module"} {
		watts := []string{"150000000", "90000000", "20000000", "400000000"}[i]
		lines = append(lines, chips[i]+"/name power_meter", chips[i]+"/power1_oem_info "+what+" Power Socket "+socket,
			chips[i]+"/power1_average "+watts, chips[i]+"/power1_average_interval 50")
	}
	return lines
}

// Why: what a sensor covers is up to its driver's document. A sensor that is taken for another, or whose energy is in that
// of another too, makes joules that are wrong by a whole component of the machine.
func TestWhatSensorsCover(t *testing.T) {
	for _, tt := range []struct {
		why      string
		lines    []string
		want     map[string]float64 // joules of a second
		warnings []string
	}{
		{
			"two Grace sockets: the socket's power holds its rails and memory, the module's holds the socket's",
			append(grace("0", "hwmon0", "hwmon1", "hwmon2", "hwmon3"), grace("1", "hwmon4", "hwmon5", "hwmon6", "hwmon7")...),
			map[string]float64{"cpu": 300, "module-0": 400, "module-1": 400},
			[]string{"includes the memory of its socket here, in the sensor ", "includes the memory", "Power was read every 50.0 ms and integrated over time: 4 of 4 sensors have no counter"},
		},
		{
			"rails alone", []string{"hwmon0/name power_meter", "hwmon0/power1_oem_info CPU Power Socket 0", "hwmon0/power1_average 90000000",
				"hwmon1/name power_meter", "hwmon1/power1_oem_info SysIO Power Socket 0", "hwmon1/power1_average 20000000"},
			map[string]float64{"cpu": 110}, []string{"Power was read every 1.00 s and integrated over time: 2 of 2 sensors"},
		},
		{
			"a power meter of the whole machine, whose files are those of its device", []string{"hwmon0/device/name power_meter", "hwmon0/device/power1_average 210000000"},
			map[string]float64{"cpu": 210}, []string{"the whole machine here, as the sensor ", "1 of 1 sensor"},
		},
		{
			"a battery is no power meter of the machine", []string{"hwmon0/name power_meter", "hwmon0/power1_average 5000000", "hwmon0/power1_is_battery 1",
				"hwmon1/name power_meter", "hwmon1/power1_average 30000000", "hwmon1/power1_is_battery 0"},
			map[string]float64{"cpu": 30}, []string{"the whole machine", "1 of 1 sensor"},
		},
		{
			"an Altra beside a power meter of the whole machine, which would count it twice",
			[]string{"hwmon0/name smpro_hwmon", "hwmon0/power1_input 80000000", "hwmon0/power2_input 25000000", "hwmon0/power3_input 6000000",
				"hwmon0/power4_input 7000000", "hwmon0/power5_input 9000000", "hwmon0/temp1_input 40000", "hwmon1/name power_meter", "hwmon1/power1_average 210000000"},
			map[string]float64{"cpu": 105, "dram": 13}, []string{"4 of 4 sensors"},
		},
		{
			"AMD's sockets, whose cores are parts of them, and an Intel GPU",
			[]string{"hwmon0/name amd_energy", "hwmon0/energy1_input 70000000", "hwmon0/energy1_label Ecore000", "hwmon0/energy65_input 70000000", "hwmon0/energy65_label Esocket0",
				"hwmon0/energy66_input 70000000", "hwmon0/energy66_label Esocket1", "hwmon1/name i915", "hwmon1/energy1_input 70000000", "hwmon1/power1_max 9"},
			map[string]float64{"cpu": 4, "gpu": 2}, nil,
		},
		{
			"a card, and the package that is a part of it", []string{"hwmon0/name xe", "hwmon0/energy1_input 70000000", "hwmon0/energy2_input 70000000"},
			map[string]float64{"gpu": 2}, nil,
		},
		{
			"two cards, of which one has only its package", []string{"hwmon0/name xe", "hwmon0/energy2_input 70000000", "hwmon1/name xe", "hwmon1/energy1_input 70000000", "hwmon1/energy2_input 70000000"},
			map[string]float64{"gpu": 4}, nil,
		},
		{
			"two modules whose firmware numbers both 0", append(grace("0", "hwmon0", "hwmon1", "hwmon2", "hwmon3"), grace("0", "hwmon4", "hwmon5", "hwmon6", "hwmon7")...),
			map[string]float64{"cpu": 300, "module-0": 400, "module-0 (2)": 400}, []string{"includes the memory", "includes the memory", "4 of 4 sensors"},
		},
		{"a package without a card", []string{"hwmon0/name xe", "hwmon0/energy2_input 70000000"}, map[string]float64{"gpu": 2}, nil},
	} {
		t.Run(tt.why, func(t *testing.T) {
			m := newMachine(t, append(tt.lines, "hwmon90/name nvme", "hwmon90/temp1_input 40000", "hwmon91/name scmi_sensors", "hwmon91/energy1_input 70000000")...)
			open := m.open()
			for _, line := range tt.lines {
				if name, _, _ := strings.Cut(line, " "); strings.Contains(name, "/energy") && strings.HasSuffix(name, "_input") {
					m.set(name + " 72000000")
				}
			}
			got, err := m.read(open, time.Second)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v, joules (-want +got):\n%s", err, diff)
			}
			texts := wording.Texts(open.Info().Notes)
			if len(texts) != len(tt.warnings) {
				t.Fatalf("warnings %q, want %d", texts, len(tt.warnings))
			}
			for i, want := range tt.warnings {
				if !strings.Contains(texts[i], want) {
					t.Errorf("warning %q does not say %q", texts[i], want)
				}
			}
			if err := open.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Why: a meter of memory or GPUs beside a sensor that covers them counts them twice.
func TestDomainsThatASensorIncludes(t *testing.T) {
	for _, tt := range []struct {
		why   string
		lines []string
		want  []spell.Domain
	}{
		{"the whole machine", []string{"hwmon0/name power_meter", "hwmon0/power1_average 210000000"}, spell.Domains()},
		{"sockets with their memory", grace("0", "hwmon0", "hwmon1", "hwmon2", "hwmon3"), []spell.Domain{spell.CPU, spell.DRAM}},
		{"processors alone", []string{"hwmon0/name smpro_hwmon", "hwmon0/power1_input 80000000"}, nil},
		{"a card", []string{"hwmon0/name xe", "hwmon0/energy1_input 1"}, nil},
	} {
		if diff := cmp.Diff(tt.want, newMachine(t, tt.lines...).open().Info().Includes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, diff)
		}
	}
}

// Why: a fault of the module's sensor, which is in no sum, made the processors' reading fail.
func TestFaultBesideTheDomains(t *testing.T) {
	m := newMachine(t, grace("0", "hwmon0", "hwmon1", "hwmon2", "hwmon3")...)
	open := m.open()
	m.set("hwmon3/power1_average unknown")
	if got, err := m.read(open, time.Second); err != nil || got["cpu"] != 150 || !math.IsNaN(got["module-0"]) {
		t.Errorf("%v, %v; want 150 J of cpu, and nothing known of the module", got, err)
	}
	m.set("hwmon3/power1_average 400000000")
	if got, err := m.read(open, time.Second); err != nil || got["cpu"] != 300 || got["module-0"] != 800 {
		t.Errorf("%v, %v; want the joules of both seconds", got, err)
	}
}

// Why: newer kernels have the files of ACPI's meters in two folders, of which one leads to the other. Read twice, the machine
// would use twice the energy.
func TestOneSensorInTwoFolders(t *testing.T) {
	m := newMachine(t, "hwmon0/name power_meter", "hwmon0/power1_average 100000000", "hwmon0/device/x y")
	if err := os.Symlink(m.path("hwmon0/power1_average"), m.path("hwmon0/device/power1_average")); err != nil {
		t.Fatal(err)
	}
	if got, err := m.read(m.open(), time.Second); err != nil || got["cpu"] != 100 {
		t.Errorf("%v, %v; want 100 J", got, err)
	}
}

// Why: power at two moments says what was used between them, by their mean; an average is of the interval before it. Energy is
// counted. Sensors are polled in their own intervals: a controller on a slow bus must not be asked a thousand times a second.
func TestQuantities(t *testing.T) {
	const cpu = "hwmon0/power1_average"
	m := newMachine(t, "hwmon0/name power_meter", "hwmon0/power1_oem_info CPU Power Socket 0", cpu+" 100000000", "hwmon0/power1_average_interval 200",
		"hwmon1/name smpro_hwmon", "hwmon1/power3_input 6000000", "hwmon2/name xe", "hwmon2/energy1_input 1000000")
	open := m.open()
	info := open.Info()
	if diff := cmp.Diff([]time.Duration{200 * time.Millisecond, time.Second, 100 * time.Millisecond}, info.Resolutions); diff != "" || info.Resolution != 100*time.Millisecond {
		t.Errorf("intervals of %v: %v, of all %v", info.Domains, info.Resolutions, info.Resolution)
	}
	m.set(cpu+" 50000000", "hwmon1/power3_input 8000000", "hwmon2/energy1_input 1500000")
	for _, step := range []struct {
		pass time.Duration
		want map[string]float64
	}{
		{99 * time.Millisecond, map[string]float64{"cpu": 0, "dram": 0, "gpu": 0}},
		{time.Millisecond, map[string]float64{"cpu": 0, "dram": 0, "gpu": 0.5}},
		{100 * time.Millisecond, map[string]float64{"cpu": 10, "dram": 0, "gpu": 0.5}},
		{800 * time.Millisecond, map[string]float64{"cpu": 50, "dram": 7, "gpu": 0.5}},
		{time.Second, map[string]float64{"cpu": 100, "dram": 15, "gpu": 0.5}},
	} {
		got, err := m.read(open, step.pass)
		if diff := cmp.Diff(step.want, got); err != nil || diff != "" {
			t.Errorf("%v later: %v, joules (-want +got):\n%s", step.pass, err, diff)
		}
	}
}

// An interval that a chip says is taken within bounds: 0 would poll all the time.
func TestIntervals(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"50": 50 * time.Millisecond, "1": fastest, "600000": slowest, "0": second, "often": second, "-5": second,
	} {
		m := newMachine(t, "hwmon0/name power_meter", "hwmon0/power1_average 1000000", "hwmon0/power1_average_interval "+said)
		if got := m.open().Info().Resolution; got != want {
			t.Errorf("an interval of %q: polled every %v, want %v", said, got, want)
		}
	}
}

// A counter that steps back, and a power that no machine has, make an interval that is discarded. What cannot be read is an error
// with its path, and never 0; the interval after it counts in full.
func TestFaults(t *testing.T) {
	m := newMachine(t, "hwmon0/name xe", "hwmon0/energy1_input 9000000")
	open := m.open()
	for _, tt := range []struct {
		content   string
		discarded bool
		says      string
	}{
		{"8000000", true, "stepped back from 9 to 8 J"},
		{"9000000000000", true, "energy1_input would have used"},
		{"unknown", false, `energy1_input is "unknown", not a number`},
		{"-1", false, `energy1_input is "-1", not a number`},
		{"", false, `energy1_input is "", not a number`},
		{"9223372036854775808", false, `not a number`},
	} {
		m.set("hwmon0/energy1_input " + tt.content)
		if _, err := m.read(open, time.Second); err == nil || errors.Is(err, meter.ErrDiscarded) != tt.discarded || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q, discarded %t", tt.content, err, tt.says, tt.discarded)
		}
	}
	if err := os.Remove(m.path("hwmon0/energy1_input")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.read(open, time.Second); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("a sensor that is gone: %v", err)
	}
	m.set("hwmon0/energy1_input 9000003000000")
	if got, err := m.read(open, time.Second); err != nil || got["gpu"] != 3 {
		t.Errorf("after the faults: %v, %v; want the 3 J of all the time since the last reading", got, err)
	}
	if err := open.Read(meter.Usage{}, make([]float64, 2)); err == nil {
		t.Error("Read accepts a slice with room for another domain")
	}
}

// Why: a machine has a dozen hwmon drivers, and hardly ever one of these. The reason names those that there are, and what helps.
func TestNoSensor(t *testing.T) {
	for _, tt := range []struct {
		why   string
		lines []string
		says  string
	}{
		{"no hwmon at all", nil, "there is no driver in "},
		{"others", []string{"hwmon0/name nvme", "hwmon1/name coretemp", "hwmon2/name nvme", "hwmon3/x y"}, "/class/hwmon has nvme, coretemp"},
		{"a driver whose labels are up to the firmware", []string{"hwmon0/name scmi_sensors", "hwmon0/energy1_input 1"}, "has scmi_sensors"},
		{"a driver without its files", []string{"hwmon0/name i915", "hwmon0/power1_max 9"}, "has i915"},
		{"only what stands beside the domains", []string{"hwmon0/name power_meter", "hwmon0/power1_oem_info Module Power Socket 0", "hwmon0/power1_average 9"}, "has power_meter"},
	} {
		_, err := Open(newMachine(t, tt.lines...).o)
		var none *NoSensorError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v does not say %q", tt.why, err, tt.says)
		}
		if remedy(err, "amd64") != "" || !strings.Contains(remedy(err, "arm64"), "modprobe acpi_power_meter") {
			t.Errorf("%s: remedies %q and, on Arm, %q", tt.why, remedy(err, "amd64"), remedy(err, "arm64"))
		}
	}
	m := newMachine(t)
	if err := os.MkdirAll(filepath.Dir(m.path("x")), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Dir(m.path("x"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(m.path("x")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(m.o); err == nil || !strings.Contains(err.Error(), "listing the sensors") {
		t.Errorf("a class that is no folder: %v", err)
	}
}
