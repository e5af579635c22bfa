package net

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A machine is a procfs and a sysfs written by the test.
type machine struct {
	t *testing.T
	o meter.Options
}

func newMachine(t *testing.T) machine {
	m := machine{t, meter.Options{ProcRoot: t.TempDir(), SysRoot: t.TempDir()}}
	m.traffic("self", nil)
	return m
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// traffic sets how many bytes a program's namespace has received and sent so far, by
// interface.
func (m machine) traffic(pid string, bytes map[string][2]int) {
	m.t.Helper()
	text := "Inter-|   Receive                            |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
	for _, name := range slices.Sorted(maps.Keys(bytes)) {
		text += fmt.Sprintf("%6s: %7d    11    0    0    0     0          0         0 %8d    22    0    0    0     0       0          0\n", name, bytes[name][0], bytes[name][1])
	}
	write(m.t, m.o.Proc(pid, "net", "dev"), text)
}

// device makes an interface a physical device.
func (m machine) device(name string) {
	m.t.Helper()
	write(m.t, m.o.Sys("class", "net", name, "device", "vendor"), "0x8086\n")
}

// Bytes over all devices count from a program's first reading to its last. Bytes between
// programs and over loopback do not count. The sum never decreases.
func TestSumOverPrograms(t *testing.T) {
	m := newMachine(t)
	m.device("eth0")
	d, err := Open(m.o)
	if err != nil {
		t.Fatal(err)
	}
	both := func(eth, lo int) map[string][2]int {
		return map[string][2]int{"eth0": {eth, 2 * eth}, "lo": {lo, lo}, "docker0": {lo, lo}}
	}
	steps := []struct {
		why    string
		change func()
		pid    int
		bytes  float64
	}{
		{"no program runs", func() {}, 0, 0},
		{"the first program begins", func() { m.traffic("7", both(1000, 50)) }, 7, 0},
		{"it sends", func() { m.traffic("7", both(3000, 90)) }, 7, 6000},
		{"it ends", func() { m.end("7") }, 7, 6000},
		{"between two programs", func() {}, 0, 6000},
		{"the next begins", func() { m.traffic("8", both(9000, 90)) }, 8, 6000},
		{"the interface restarted from 0", func() { m.traffic("8", both(100, 90)) }, 8, 6300},
		{"another interface came up", func() {
			m.device("wlan0")
			m.traffic("8", map[string][2]int{"eth0": {100, 200}, "wlan0": {30, 10}})
		}, 8, 6340},
	}
	joules := make([]float64, 1)
	for _, s := range steps {
		s.change()
		if err := d.Read(meter.Usage{PID: s.pid}, joules); err != nil {
			t.Fatalf("%s: %v", s.why, err)
		}
		if want := s.bytes * 3.6e-6; math.Abs(joules[0]-want) > 1e-12 {
			t.Errorf("%s: %v J, want %v", s.why, joules[0], want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func (m machine) end(pid string) {
	m.t.Helper()
	if err := os.RemoveAll(m.o.Proc(pid)); err != nil {
		m.t.Fatal(err)
	}
}

// In a container no interface is a physical device, so all except loopback count.
func TestContainer(t *testing.T) {
	m := newMachine(t)
	d, err := Open(m.o)
	if err != nil {
		t.Fatal(err)
	}
	joules := make([]float64, 1)
	for _, n := range []int{0, 500} {
		m.traffic("7", map[string][2]int{"eth0": {n, 0}, "lo": {9 * n, 9 * n}})
		if err := d.Read(meter.Usage{PID: 7}, joules); err != nil {
			t.Fatal(err)
		}
	}
	if want := 500 * 3.6e-6; math.Abs(joules[0]-want) > 1e-12 {
		t.Errorf("%v J, want %v", joules[0], want)
	}
}

func TestInfo(t *testing.T) {
	d, err := Open(newMachine(t).o)
	if err != nil {
		t.Fatal(err)
	}
	info := d.Info()
	for _, want := range []string{"estimated, not measured: 3.60 µJ per byte", "outside the machine", "all programs in the network namespace"} {
		if !strings.Contains(strings.Join(wording.Texts(info.Notes), " "), want) {
			t.Errorf("the warnings do not say %q: %q", want, info.Notes)
		}
	}
	info.Notes = nil
	want := meter.Info{Name: "net", Source: record.Estimated, Domains: []spell.Domain{spell.Net}, Resolution: time.Millisecond, IdleW: []float64{0}, PerByte: [][2]float64{{joulesPerByte, joulesPerByte}}}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// Without the kernel's counts the meter does not open. A malformed count is an error that
// names the file.
func TestBadInput(t *testing.T) {
	if _, err := Open(meter.Options{ProcRoot: t.TempDir()}); err == nil || !strings.Contains(err.Error(), filepath.Join("self", "net", "dev")) {
		t.Errorf("no procfs: %v", err)
	}
	m := newMachine(t)
	d, err := Open(m.o)
	if err != nil {
		t.Fatal(err)
	}
	path := m.o.Proc("7", "net", "dev")
	const heads = "Inter-| Receive | Transmit\n face |bytes |bytes\n"
	for _, content := range []string{"", heads + "eth0: 1 2 3\n", heads + "eth0: -1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\n", heads + "eth0: 1 0 0 0 0 0 0 0 many 0 0 0 0 0 0 0\n", heads + "eth0\n"} {
		write(t, path, content)
		if err := d.Read(meter.Usage{PID: 7}, make([]float64, 1)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v does not name the file", content, err)
		}
	}
	if err := d.Read(meter.Usage{}, nil); err == nil {
		t.Error("Read accepts a slice without room for the domain")
	}
}
