package perf

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/perfevent"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// Each processor in cpumask has an event of its package and one of the memory. Their counts,
// in the unit that sysfs gives, are summed by domain.
func TestSum(t *testing.T) {
	m := newMachine(t, "cpumask 0,18-19", "events/energy-ram.scale 0.5")
	open := m.open()
	if m.opened != 6 {
		t.Errorf("%d events are open, want pkg and ram on CPU 0, 18 and 19", m.opened)
	}
	m.event(2, 0).count += 3 * joule / 2
	m.event(2, 18).count += joule / 4
	m.event(2, 19).count += joule / 4
	m.event(3, 18).count += 5
	got, err := m.read(open)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{2, 2.5}, got); diff != "" {
		t.Errorf("joules of cpu and dram (-want +got):\n%s", diff)
	}
	if err := open.Close(); err != nil || m.closed != 6 {
		t.Errorf("closing: %v, %d events closed", err, m.closed)
	}
	if err := open.Close(); err != nil || m.closed != 6 {
		t.Errorf("closing again: %v, %d events closed", err, m.closed)
	}
	if _, err := m.read(open); err == nil {
		t.Error("a closed meter can be read")
	}
}

func TestInfo(t *testing.T) {
	want := meter.Info{
		Name: "perf", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.DRAM},
		Resolution: time.Millisecond, Counter: true, WholeMachine: true,
	}
	if diff := cmp.Diff(want, newMachine(t).open().Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	guest := newMachine(t)
	guest.write(guest.o.Proc("cpuinfo"), "flags : hypervisor\n")
	if diff := cmp.Diff(want.HostsShare(), guest.open().Info()); diff != "" {
		t.Errorf("info of a virtual machine, whose host fills the counters (-want +got):\n%s", diff)
	}
}

// Why: psys holds the joules of packages and memory, and a package's are in cpu already: in a sum they would
// count twice. They are read beside the domains, where the numbers of several packages are known.
func TestSeparateCounters(t *testing.T) {
	psysLines := []string{"events/energy-psys event=0x05", "events/energy-psys.unit Joules", "events/energy-psys.scale 2.3283064365386962890625e-10"}
	packages := map[int]string{0: "3", 8: "3", 16: "1"}
	for _, tt := range []struct {
		why      string
		lines    []string
		packages map[int]string
		change   func(*machine)
		joules   []float64
		separate []meter.Separate
		warning  string
	}{
		{"one package, and psys", psysLines, nil, nil, []float64{1, 1, 1}, []meter.Separate{{Name: "psys", Kind: meter.Platform}}, ""},
		{
			"two packages, one of two dies", []string{"cpumask 0,8,16"}, packages, nil, []float64{3, 3, 1, 2, 1, 2},
			[]meter.Separate{
				{Name: "package-1", Kind: meter.Package}, {Name: "package-3", Kind: meter.Package},
				{Name: "dram-1", Kind: meter.Memory}, {Name: "dram-3", Kind: meter.Memory},
			}, "",
		},
		{
			"two packages whose memory has no event", []string{"cpumask 0,16", "events/energy-ram"}, packages, nil, []float64{2, 1, 1},
			[]meter.Separate{{Name: "package-1", Kind: meter.Package}, {Name: "package-3", Kind: meter.Package}}, "",
		},
		{"packages whose numbers are not known", []string{"cpumask 0,16"}, nil, nil, []float64{2, 2}, nil, ""},
		{
			"psys of two packages, one of two dies: by the names of the powercap class, and not added up", append([]string{"cpumask 0,8,16", "events/energy-ram"}, psysLines...),
			map[int]string{0: "0", 8: "0", 16: "1"}, nil, []float64{3, 1, 1, 2, 1},
			[]meter.Separate{{Name: "psys", Kind: meter.Platform}, {Name: "psys-1", Kind: meter.Platform}, {Name: "package-0", Kind: meter.Package}, {Name: "package-1", Kind: meter.Package}}, "",
		},
		{
			"psys of two packages whose numbers are not known", append([]string{"cpumask 0,16"}, psysLines...), nil, nil, []float64{2, 2}, nil,
			"the counter psys is not shown: reading an energy event: open CPU0/topology/physical_package_id: no such file or directory",
		},
		{
			"psys that cannot be read", psysLines, nil, func(m *machine) { m.event(5, 0).faults, m.event(5, 0).err = 2, errIO }, []float64{1, 1}, nil,
			"the counter psys is not shown: reading energy-psys on CPU 0: input/output error",
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			m := newMachine(t, tt.lines...)
			for cpu, number := range tt.packages {
				m.write(m.o.Sys("devices", "system", "cpu", fmt.Sprintf("cpu%d", cpu), "topology", "physical_package_id"), number+"\n")
			}
			if tt.change != nil {
				tt.change(m)
			}
			open := m.open()
			for _, e := range m.events {
				e.count += joule
			}
			if got, err := m.read(open); err != nil || !cmp.Equal(got, tt.joules) {
				t.Errorf("read %v J, %v; want %v", got, err, tt.joules)
			}
			if diff := cmp.Diff(tt.separate, open.Info().Separate); diff != "" {
				t.Errorf("counters that are read separately (-want +got):\n%s", diff)
			}
			got := strings.ReplaceAll(strings.Join(wording.Texts(open.Info().Notes), "; "), m.o.Sys("devices", "system", "cpu", "cpu0"), "CPU0")
			if got != tt.warning {
				t.Errorf("warnings %q, want %q", got, tt.warning)
			}
			if err := open.Close(); err != nil || m.closed != m.opened {
				t.Errorf("closing: %v, %d of %d events", err, m.closed, m.opened)
			}
		})
	}
}

// Why: psys is connected to whatever the machine's maker chose. A fault of it made the reading of the processors fail too, and with it
// the round. It makes a value of its own missing, and nothing else.
func TestFaultOfPsys(t *testing.T) {
	m := newMachine(t, "events/energy-psys event=0x05", "events/energy-psys.unit Joules", "events/energy-psys.scale 2.3283064365386962890625e-10")
	open := m.open()
	psys := m.event(5, 0)
	for _, tt := range []struct {
		why    string
		change func()
		want   []float64
	}{
		{"no fault", func() {}, []float64{1, 1, 1}},
		{"a reading that fails", func() { psys.faults, psys.err = 2, errIO }, []float64{2, 2, meter.Missing()}},
		{"the reading after it", func() {}, []float64{3, 3, 3}},
		{"a counter that steps back", func() { psys.count -= 3 * joule }, []float64{4, 4, meter.Missing()}},
		{"the reading after it, which lacks two joules", func() {}, []float64{5, 5, 4}},
	} {
		for _, e := range m.events {
			e.count += joule
		}
		tt.change()
		got, err := m.read(open)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); err != nil || diff != "" {
			t.Errorf("%s: %v, joules of cpu, dram and psys (-want +got):\n%s", tt.why, err, diff)
		}
	}
}

// Counts have 64 bits, and those above 2^53 lose nothing to floating point.
func TestLargeCounts(t *testing.T) {
	m := newMachine(t)
	m.event(2, 0).count = math.MaxUint64 - joule
	open := m.open()
	m.event(2, 0).count++
	if got, err := m.read(open); err != nil || got[0] != 1.0/joule {
		t.Errorf("one count more: %v, %v; want 2^-32 J", got, err)
	}
}

// Intel's dies have counters of their own. AMD's dies show the counter of their package,
// which is counted once.
func TestDies(t *testing.T) {
	for vendor, want := range map[string]struct {
		joules   float64
		warnings string
	}{
		"GenuineIntel": {3, ""},
		"AuthenticAMD": {2, "the event on CPU 8 shows the counter of that on CPU 0, which is counted once: both are dies of package 0"},
	} {
		m := newMachine(t, "cpumask 0,8,16", "events/energy-ram")
		m.write(m.o.Proc("cpuinfo"), "vendor_id\t: "+vendor+"\n")
		for cpu, pkg := range map[int]string{0: "0", 8: "0", 16: "1"} {
			m.write(m.o.Sys("devices", "system", "cpu", fmt.Sprintf("cpu%d", cpu), "topology", "physical_package_id"), pkg+"\n")
		}
		open := m.open()
		for _, cpu := range []int{0, 8, 16} {
			m.event(2, cpu).count += joule
		}
		if got, err := m.read(open); err != nil || got[0] != want.joules {
			t.Errorf("%s: %v J, %v; want %v", vendor, got, err, want.joules)
		}
		if got := strings.Join(wording.Texts(open.Info().Notes), "; "); got != want.warnings {
			t.Errorf("%s: warnings %q, want %q", vendor, got, want.warnings)
		}
	}
	m := newMachine(t)
	m.write(m.o.Proc("cpuinfo"), "vendor_id\t: AuthenticAMD\n")
	if got := strings.Join(wording.Texts(m.open().Info().Notes), "; "); !strings.Contains(got, "physical_package_id") {
		t.Errorf("AMD without topology: warnings %q", got)
	}
}

// A PMU without events, as in virtual machines, is no counter, and the error says so.
func TestNoCounter(t *testing.T) {
	m := newMachine(t)
	m.pmu("")
	empty := newMachine(t, "events/energy-cores", "events/energy-pkg", "events/energy-pkg.unit", "events/energy-pkg.scale", "events/energy-ram", "events/energy-ram.unit", "events/energy-ram.scale")
	if _, err := os.Stat(empty.o.Sys("bus", "event_source", "devices", "power", "events")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		why  string
		m    *machine
		says string
	}{
		{"no PMU", m, "there is no "},
		{"a PMU without events", empty, "power/events is empty: the kernel has the driver, and the processor shows it no counter"},
		{"a PMU without the folder of events", newMachine(t, "events"), "power/events is empty"},
		{"no package", newMachine(t, "events/energy-pkg"), "energy-pkg"},
	} {
		_, err := tt.m.try()
		var none *NoCounterError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want no event and %q", tt.why, err, tt.says)
		}
		if Remedy(err) != "" {
			t.Errorf("%s: the remedy is %s, want none", tt.why, Remedy(err))
		}
	}
	for _, errno := range []syscall.Errno{syscall.ENOENT, syscall.ENODEV, syscall.EINVAL, syscall.ENOSYS} {
		m := newMachine(t)
		m.refuse = errno
		_, err := m.try()
		var none *NoCounterError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), "energy-pkg on CPU 0") {
			t.Errorf("%v from the kernel: %v, want no event", errno, err)
		}
	}
}

// If the memory has no event, the only domain is cpu. If its event cannot be opened, a note
// says so.
func TestNoMemory(t *testing.T) {
	if info := newMachine(t, "events/energy-ram").open().Info(); len(info.Domains) != 1 || info.Notes != nil {
		t.Errorf("no event of the memory: %+v", info)
	}
	m := newMachine(t)
	m.event(3, 0).faults, m.event(3, 0).err = 2, errIO
	info := m.open().Info()
	said := strings.Join(wording.Texts(info.Notes), "\n")
	if len(info.Domains) != 1 || len(info.Notes) != 1 || info.Notes[0].Code != note.MemoryNotMeasuredCode || !strings.Contains(said, "energy-ram on CPU 0: input/output error") {
		t.Errorf("an event of the memory that cannot be read: %+v", info)
	}
}

// A malformed file in sysfs is an error that names the file.
func TestBadDescription(t *testing.T) {
	for _, tt := range []struct{ line, says string }{
		{"type", "type"},
		{"type -1", `type is "-1", not a number`},
		{"cpumask many", `cpumask is "many", not a list of processors`},
		{"cpumask 3-1", "cpumask"},
		{"cpumask 0-99999999", "cpumask"},
		{"cpumask ", "cpumask"},
		{"events/energy-pkg config=2", `energy-pkg is "config=2", not event=0x and a number`},
		{"events/energy-pkg event=0xzz", "energy-pkg"},
		{"events/energy-pkg.unit Watts", `energy-pkg.unit is "Watts", not Joules`},
		{"events/energy-pkg.unit", "energy-pkg.unit"},
		{"events/energy-pkg.scale 0", `energy-pkg.scale is "0", not a number above 0`},
		{"events/energy-pkg.scale -1", "energy-pkg.scale"},
		{"events/energy-pkg.scale NaN", "energy-pkg.scale"},
		{"events/energy-pkg.scale Inf", "energy-pkg.scale"},
		{"events/energy-pkg.scale 1e999", "energy-pkg.scale"},
		{"events/energy-pkg.scale", "energy-pkg.scale"},
	} {
		if _, err := newMachine(t, tt.line).try(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: error %v does not say %q", tt.line, err, tt.says)
		}
	}
}

// A failed reading is retried once. If the second attempt fails too, the result is an
// error and never 0; the next reading includes the energy of the failed interval.
func TestFailedReadingIsRetriedOnce(t *testing.T) {
	m := newMachine(t)
	open := m.open()
	e := m.event(2, 0)
	for _, errno := range []error{syscall.EINVAL, syscall.EIO, syscall.ENOENT} {
		e.err, e.faults = errno, 1
		e.count += joule
		if _, err := m.read(open); err != nil {
			t.Errorf("%v once: %v, want the second attempt's reading", errno, err)
		}
		e.faults = 2
		e.count += joule
		if _, err := m.read(open); !errors.Is(err, errno) || errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), "energy-pkg on CPU 0") {
			t.Errorf("%v twice: %v, want the kernel's error and the event", errno, err)
		}
	}
	if got, err := m.read(open); err != nil || got[0] != 6 {
		t.Errorf("after the faults: %v, %v; want 6 J, with the energy of failed intervals", got, err)
	}
}

// An interval is discarded if the counter steps back, if the power is impossible, or if the
// event did not count all the time. Other intervals are counted.
func TestDiscarded(t *testing.T) {
	m := newMachine(t)
	m.event(2, 0).count = 9 * joule
	open := m.open()
	e := m.event(2, 0)
	for _, tt := range []struct {
		why    string
		change func()
	}{
		{"steps back", func() { e.count -= joule }},
		{"an impossible power", func() { e.count += 200 * joule }},
		{"the event did not run", func() { e.count += joule / 2; e.enabled += time.Millisecond }},
	} {
		tt.change()
		if _, err := m.read(open); !errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), "energy-pkg on CPU 0, 1ms after") {
			t.Errorf("%s: %v, want a discarded interval", tt.why, err)
		}
		e.count += joule
		if _, err := m.read(open); err != nil {
			t.Errorf("after %s: %v", tt.why, err)
		}
	}
	if got, err := m.read(open); err != nil || got[0] != 3 {
		t.Errorf("%v, %v; want 3 J, without the discarded intervals", got, err)
	}
}

// The kernel may refuse energy events because of perf_event_paranoid, a container the whole
// system call. The error says which of the two, and the remedy names the risk.
func TestPermission(t *testing.T) {
	m := newMachine(t)
	m.write(m.o.Proc("sys", "kernel", "perf_event_paranoid"), "2\n")
	m.refuse = fmt.Errorf("perf_event_open: %w", syscall.EACCES)
	_, err := m.try()
	var denied *perfevent.PermissionError
	if !errors.As(err, &denied) || denied.Paranoid != "2" || !errors.Is(err, syscall.EACCES) {
		t.Fatalf("refused by the setting: %#v", err)
	}
	if want := fmt.Sprintf("opening energy-pkg on CPU 0: perf_event_open: permission denied (%s is 2; energy events need 0 or less, or the right cap_perfmon)", denied.Setting); err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	for _, want := range []string{
		"sudo sysctl kernel.perf_event_paranoid=0\n", "/etc/sysctl.d/70-spell-lsp-perf.conf", "kernel.perf_event_paranoid = 0\n", "doctor --fix=sysctl",
		"setcap cap_perfmon+ep /usr/local/libexec/spell-lsp-sampler", "PLATYPUS", "CVE-2020-8694", "every user and program",
	} {
		if !strings.Contains(Remedy(err), want) {
			t.Errorf("the remedy does not contain %q:\n%s", want, Remedy(err))
		}
	}
	m.refuse = fmt.Errorf("perf_event_open: %w", syscall.EPERM)
	_, err = m.try()
	if !errors.As(err, &denied) || !strings.Contains(err.Error(), "refused altogether, as in a container") || !strings.Contains(Remedy(err), "--cap-add PERFMON") {
		t.Errorf("refused by a container: %v, remedy %q", err, Remedy(err))
	}
}

func TestReadChecksItsArguments(t *testing.T) {
	if err := newMachine(t).open().Read(meter.Usage{}, make([]float64, 1)); err == nil {
		t.Error("Read accepts a slice for one of two domains")
	}
}
