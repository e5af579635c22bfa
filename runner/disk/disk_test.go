package disk

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
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
	m.io("self", 0, 0, 0)
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

// io sets how many bytes a program has read, written and truncated so far.
func (m machine) io(pid string, read, written, cancelled int) {
	m.t.Helper()
	write(m.t, m.o.Proc(pid, "io"), fmt.Sprintf(
		"rchar: 999999\nwchar: 888888\nsyscr: 77\nsyscw: 66\nread_bytes: %d\nwrite_bytes: %d\ncancelled_write_bytes: %d\n", read, written, cancelled))
}

func (m machine) end(pid string) {
	m.t.Helper()
	if err := os.RemoveAll(m.o.Proc(pid)); err != nil {
		m.t.Fatal(err)
	}
}

// disk adds a disk; rotational is the content of its file queue/rotational.
func (m machine) disk(name, rotational string, device bool) {
	m.t.Helper()
	write(m.t, m.o.Sys("block", name, "queue", "rotational"), rotational)
	if device {
		write(m.t, m.o.Sys("block", name, "device", "model"), "DISK\n")
	}
}

// Bytes that reach the storage layer count; written bytes do not if the file is truncated
// before. Bytes of programs that have ended stay in the sum, which never decreases. With a
// reused PID, counting starts again.
func TestSumOverPrograms(t *testing.T) {
	m := newMachine(t)
	m.disk("nvme0n1", "0\n", true)
	d, err := Open(m.o)
	if err != nil {
		t.Fatal(err)
	}
	const mb = 1e6
	steps := []struct {
		why           string
		change        func()
		pid           int
		read, written float64 // bytes, the sum so far
	}{
		{"no program runs", func() {}, 0, 0, 0},
		{"the first program", func() { m.io("7", 3*mb, 2*mb, 0) }, 7, 3 * mb, 2 * mb},
		{"it reads and writes more", func() { m.io("7", 5*mb, 4*mb, 1*mb) }, 7, 5 * mb, 3 * mb},
		{"it truncates what it wrote", func() { m.io("7", 5*mb, 4*mb, 4*mb) }, 7, 5 * mb, 3 * mb},
		{"it has ended", func() { m.end("7") }, 7, 5 * mb, 3 * mb},
		{"between two programs", func() {}, 0, 5 * mb, 3 * mb},
		{"the next", func() { m.io("8", 1*mb, 0, 0) }, 8, 6 * mb, 3 * mb},
		{"another program with the same PID", func() { m.io("8", 0.5*mb, 1*mb, 0) }, 8, 6.5 * mb, 4 * mb},
	}
	joules := make([]float64, 1)
	for _, s := range steps {
		s.change()
		if err := d.Read(meter.Usage{PID: s.pid}, joules); err != nil {
			t.Fatalf("%s: %v", s.why, err)
		}
		if want := s.read*5.47/3500e6 + s.written*5.97/3300e6; math.Abs(joules[0]-want) > 1e-12 {
			t.Errorf("%s: %v J, want %v", s.why, joules[0], want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// The kind of disk is what the kernel reports for physical disks. The warning gives the
// kind and its energy per byte.
func TestKind(t *testing.T) {
	type disk struct {
		name, rotational string
		device           bool
	}
	tests := []struct {
		why   string
		disks []disk
		kind  string
		says  string
	}{
		{"a solid-state disk, and a loop device that claims to be rotational", []disk{{"nvme0n1", "0\n", true}, {"loop0", "1\n", false}}, "a solid-state disk", "of 1.56 nJ per byte read and 1.81 nJ per byte written, without idle power (nvme0n1 is one)"},
		{"a hard disk", []disk{{"sda", "1\n", true}}, "a hard disk", "of 20.6 nJ per byte read and 20.6 nJ per byte written"},
		{"both", []disk{{"sda", "1\n", true}, {"sdb", "0\n", true}}, "a solid-state disk", "sdb is one, sda is a hard disk, but bytes are not counted by disk"},
		{"a virtual disk, which always claims to be rotational", []disk{{"vda", "1\n", true}}, "a solid-state disk", "the kind of disk is unknown"},
		{"a disk that does not report its kind", []disk{{"sda", "", true}}, "a solid-state disk", "the kind of disk is unknown"},
		{"no disk", nil, "a solid-state disk", "the kind of disk is unknown"},
	}
	for _, tt := range tests {
		m := newMachine(t)
		for _, d := range tt.disks {
			m.disk(d.name, d.rotational, d.device)
		}
		d, err := Open(m.o)
		if err != nil {
			t.Fatal(err)
		}
		info := d.Info()
		warning := strings.Join(wording.Texts(info.Notes), " ")
		if !strings.Contains(warning, "estimated, not measured: "+tt.kind) || !strings.Contains(warning, tt.says) {
			t.Errorf("%s: warning %q, want %s and %q", tt.why, warning, tt.kind, tt.says)
		}
		info.Notes = nil
		perByte := [2]float64{5.47 / 3500e6, 5.97 / 3300e6}
		if tt.kind == "a hard disk" {
			perByte = [2]float64{2.84 / 138e6, 2.84 / 138e6}
		}
		for i := range perByte {
			if math.Abs(info.PerByte[0][i]-perByte[i]) > 1e-15 {
				t.Errorf("%s: %v J a byte, want %v", tt.why, info.PerByte, perByte)
			}
		}
		info.PerByte = nil
		want := meter.Info{Name: "disk", Source: record.Estimated, Domains: []spell.Domain{spell.Disk}, Resolution: time.Millisecond, IdleW: []float64{0}}
		if diff := cmp.Diff(want, info); diff != "" {
			t.Errorf("%s: info (-want +got):\n%s", tt.why, diff)
		}
	}
}

// Without the kernel's counts the meter does not open. A malformed count is an error that
// names the file.
func TestBadInput(t *testing.T) {
	if _, err := Open(meter.Options{ProcRoot: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "self/io") {
		t.Errorf("no procfs: %v", err)
	}
	m := newMachine(t)
	d, err := Open(m.o)
	if err != nil {
		t.Fatal(err)
	}
	joules := make([]float64, 1)
	for _, content := range []string{"", "read_bytes: 1\n", "read_bytes: -1\nwrite_bytes: 0\ncancelled_write_bytes: 0\n", "read_bytes: many\nwrite_bytes: 0\ncancelled_write_bytes: 0\n", "read_bytes: 99999999999999999999\nwrite_bytes: 0\ncancelled_write_bytes: 0\n"} {
		write(t, m.o.Proc("7", "io"), content)
		if err := d.Read(meter.Usage{PID: 7}, joules); err == nil || !strings.Contains(err.Error(), m.o.Proc("7", "io")) {
			t.Errorf("%q: error %v does not name the file", content, err)
		}
	}
	if err := d.Read(meter.Usage{}, nil); err == nil {
		t.Error("Read accepts a slice without room for the domain")
	}
}

// Once a program has begun to exit, the kernel lets only root see its counts. The state
// and flags of the program distinguish this from a missing permission.
func TestEnding(t *testing.T) {
	for _, tt := range []struct {
		why, stat string
		want      bool
	}{
		{"runs", "7 (a.test) R 1 7 7 0 -1 4194304 99 0 0\n", false},
		{"has begun to exit", "7 (a.test) R 1 7 7 0 -1 4194308 99 0 0\n", true},
		{"is a zombie", "7 (a.test) Z 1 7 7 0 -1 4194304 99 0 0\n", true},
		{"runs, with a name that looks like the state of a zombie", "7 (a) Z 1 7) R 1 7 7 0 -1 4194304 99 0 0\n", false},
		{"has an empty stat file", "", false},
	} {
		path := filepath.Join(t.TempDir(), "stat")
		write(t, path, tt.stat)
		if got := ending(path); got != tt.want {
			t.Errorf("a program that %s: ending is %t, want %t", tt.why, got, tt.want)
		}
	}
	if !ending(filepath.Join(t.TempDir(), "stat")) {
		t.Error("a program that is gone does not count as ending")
	}
}
