package perf

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/wording"
)

// addCores gives the machine the PMU power_core, as the kernel describes it: two cores of two processors each. Further lines are a path in
// its folder and the content.
func (m *machine) addCores(lines ...string) {
	for _, line := range append([]string{
		"type 24", "cpumask 0-1", "events/energy-core event=0x01", "events/energy-core.unit Joules", "events/energy-core.scale 2.3283064365386962890625e-10",
	}, lines...) {
		name, content, _ := strings.Cut(line, " ")
		m.write(m.o.Sys("bus", "event_source", "devices", "power_core", name), content+"\n")
	}
	for cpu, of := range []string{"0,2", "1,3", "0,2", "1,3"} {
		m.write(m.o.Sys("devices", "system", "cpu", fmt.Sprintf("cpu%d", cpu), "topology", "core_cpus_list"), of+"\n")
	}
}

// Why: the counters of cores tell what ran on which. They are parts of the package, so that they are in no sum; a fault of one is
// missing until the reading after the next, and concerns nothing else.
func TestCounterOfEachCore(t *testing.T) {
	m := newMachine(t)
	m.addCores()
	open := m.open()
	if diff := cmp.Diff([][]int{{0, 2}, {1, 3}}, open.Info().CoreCPUs); diff != "" || open.Info().Values() != 2 {
		t.Errorf("processors by core, beside %d values (-want +got):\n%s", open.Info().Values(), diff)
	}
	for _, tt := range []struct {
		why    string
		change func(first, second *fakeEvent)
		want   []float64
	}{
		{"a joule, and half of one", func(a, b *fakeEvent) { a.count += joule; b.count += joule / 2 }, []float64{1, 0.5}},
		{"a reading that fails twice", func(a, b *fakeEvent) { a.faults, a.err = 2, errIO; b.count += joule }, []float64{meter.Missing(), 1.5}},
		{"the reading after it", func(a, _ *fakeEvent) { a.count += joule }, []float64{2, 1.5}},
		{"a counter that steps back", func(_, b *fakeEvent) { b.count -= joule }, []float64{2, meter.Missing()}},
	} {
		m.pass(time.Millisecond)
		tt.change(m.eventOf(24, 1, 0), m.eventOf(24, 1, 1))
		got := make([]float64, 2)
		meter.ReadCores(open, got)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: joules by core (-want +got):\n%s", tt.why, diff)
		}
	}
	if err := open.Close(); err != nil || m.closed != m.opened || m.opened != 4 {
		t.Errorf("closing: %v, %d of %d events closed", err, m.closed, m.opened)
	}
	if got := []float64{7, 7}; true {
		open.ReadCores(got)
		if diff := cmp.Diff([]float64{meter.Missing(), meter.Missing()}, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("of a closed meter (-want +got):\n%s", diff)
		}
	}
}

// Why: without its cores a machine is measured as before, with a warning where it has them and they cannot be read.
func TestMachineWithoutCountersOfCores(t *testing.T) {
	for _, tt := range []struct {
		why     string
		make    func(*machine)
		warning string
	}{
		{"a processor without them", func(*machine) {}, ""},
		{"a malformed event", func(m *machine) { m.addCores("events/energy-core event=two") }, "the counter energy-core is not shown: "},
		{"a malformed type", func(m *machine) { m.addCores("type x") }, "the counter energy-core is not shown: "},
		{"a malformed list", func(m *machine) { m.addCores("cpumask all") }, "the counter energy-core is not shown: "},
		{"a list of processors that are not there", func(m *machine) { m.addCores("cpumask 0,9") }, "the counter energy-core is not shown: which processors are one core: "},
		{"more cores than can be read", func(m *machine) { m.addCores("cpumask 0-256") }, "the counter energy-core is not shown: there are 257 cores, more than 256"},
		{"an event that cannot be read", func(m *machine) {
			m.addCores()
			m.eventOf(24, 1, 1).faults, m.eventOf(24, 1, 1).err = 2, syscall.EIO
		}, "the counter energy-core is not shown: reading energy-core on CPU 1: input/output error"},
		{"a virtual machine", func(m *machine) { m.addCores(); m.write(m.o.Proc("cpuinfo"), "flags : hypervisor\n") }, "Energy is the host's share"},
	} {
		m := newMachine(t)
		tt.make(m)
		open := m.open()
		said := strings.Join(wording.Texts(open.Info().Notes), "; ")
		if !strings.HasPrefix(said, tt.warning) || (said == "") != (tt.warning == "") || open.Info().CoreCPUs != nil {
			t.Errorf("%s: warnings %q, want %q; cores %v", tt.why, said, tt.warning, open.Info().CoreCPUs)
		}
		if err := open.Close(); err != nil || m.closed != m.opened {
			t.Errorf("%s: closing: %v, %d of %d events closed", tt.why, err, m.closed, m.opened)
		}
	}
}
