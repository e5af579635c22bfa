package steady

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	governor0 = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
	governor1 = "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
	noTurbo   = "/sys/devices/system/cpu/intel_pstate/no_turbo"
)

// laptop is a simulated machine of two policies with turbo frequencies.
func laptop(t *testing.T) Machine {
	t.Helper()
	m := On(t.TempDir())
	put(t, m, governor0, "powersave")
	put(t, m, governor1, "powersave")
	put(t, m, noTurbo, "0")
	put(t, m, bootFile, "a1b2")
	return m
}

func put(t *testing.T, m Machine, file, value string) {
	t.Helper()
	path := m.path(file)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// values are those of a machine, and whether it remembers any.
func values(t *testing.T, m Machine) string {
	t.Helper()
	var list []string
	for _, file := range []string{governor0, governor1, noTurbo} {
		v, err := m.value(file)
		if err != nil {
			v = "-"
		}
		list = append(list, v)
	}
	if _, err := os.Stat(m.path(stateFile)); err == nil {
		list = append(list, "remembered")
	}
	return strings.Join(list, " ")
}

func set(t *testing.T, m Machine) []Change {
	t.Helper()
	changes, err := m.Set()
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func undo(t *testing.T, m Machine) []Change {
	t.Helper()
	changes, err := m.Undo()
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func expect(t *testing.T, m Machine, why, want string) {
	t.Helper()
	if got := values(t, m); got != want {
		t.Errorf("%s: %s, want %s", why, got, want)
	}
}

// Why: whoever has the doctor set values must get back exactly what was there, also after asking
// twice, and nothing but these values may change.
func TestSetAndUndo(t *testing.T) {
	m := laptop(t)
	other := "/sys/devices/system/cpu/smt/control"
	put(t, m, other, "on")
	changes := set(t, m)
	want := []Change{{File: governor0, From: "powersave", To: "performance"}, {File: governor1, From: "powersave", To: "performance"}, {File: noTurbo, From: "0", To: "1"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	expect(t, m, "set", "performance performance 1 remembered")
	if again := set(t, m); len(again) > 0 {
		t.Errorf("set again: %+v", again)
	}
	put(t, m, governor1, "schedutil")
	if again := set(t, m); len(again) != 1 || again[0].From != "schedutil" {
		t.Errorf("set after somebody changed one: %+v", again)
	}
	expect(t, m, "set twice", "performance performance 1 remembered")
	changes = undo(t, m)
	want = []Change{{File: noTurbo, From: "1", To: "0"}, {File: governor1, From: "performance", To: "powersave"}, {File: governor0, From: "performance", To: "powersave"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
	expect(t, m, "undone", "powersave powersave 0")
	if v, err := m.value(other); v != "on" || err != nil {
		t.Errorf("SMT is %q, %v", v, err)
	}
	if changes := undo(t, m); len(changes) > 0 {
		t.Errorf("there was nothing to undo: %+v", changes)
	}
}

// A value that somebody changed after it was set is left alone, and said; the others are put back.
func TestUndoLeavesWhatOthersChanged(t *testing.T) {
	m := laptop(t)
	set(t, m)
	put(t, m, governor0, "schedutil")
	put(t, m, governor1, "powersave") // as it was
	var changed *ChangedError
	for _, c := range undo(t, m) {
		switch {
		case c.File == governor0 && (!errors.As(c.Err, &changed) || changed.Now != "schedutil"):
			t.Errorf("%s: %v", c.File, c.Err)
		case c.File != governor0 && c.Err != nil:
			t.Errorf("%s: %v", c.File, c.Err)
		}
	}
	expect(t, m, "undone", "schedutil powersave 0")
}

// refusing has the kernel refuse to write one file.
func refusing(m Machine, file string, err error) Machine {
	return Machine{m.root, func(path, value string) error {
		if path == m.path(file) {
			return err
		}
		return writeValue(path, value)
	}}
}

// Why: a kernel can refuse a value (EINVAL, EBUSY, or EPERM where the firmware forbids turbo
// frequencies). What was set before and after it must be known, and undone, all the same.
func TestKernelRefuses(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EBUSY, syscall.EPERM} {
		m := laptop(t)
		changes := set(t, refusing(m, governor1, &fs.PathError{Op: "write", Path: governor1, Err: errno}))
		if len(changes) != 3 || changes[0].Err != nil || !errors.Is(changes[1].Err, errno) || changes[2].Err != nil {
			t.Errorf("%v: %+v", errno, changes)
		}
		expect(t, m, errno.Error(), "performance powersave 1 remembered")
		var b strings.Builder
		if err := m.WriteSet(&b, changes); !errors.Is(err, errno) || !strings.Contains(b.String(), "Set "+governor0+": powersave -> performance\n") {
			t.Errorf("%v: wrote %q, %v", errno, b.String(), err)
		}
		undo(t, m)
		expect(t, m, "undone", "powersave powersave 0")
	}
}

// A kernel that takes a value and keeps another one is said to have refused it.
func TestKernelKeepsAnother(t *testing.T) {
	m := laptop(t)
	changes := set(t, refusing(m, noTurbo, nil))
	if len(changes) != 3 || changes[2].Err == nil || !strings.Contains(changes[2].Err.Error(), `keeps "0"`) {
		t.Errorf("%+v", changes)
	}
	undo(t, m)
	expect(t, m, "undone", "powersave powersave 0")
}

// A value that the kernel has changed to another one than was asked for is put back too.
func TestKernelSetsAnother(t *testing.T) {
	m := laptop(t)
	odd := Machine{m.root, func(path, _ string) error { return writeValue(path, "schedutil") }}
	if changes := set(t, odd); changes[0].Err == nil {
		t.Errorf("%+v", changes)
	}
	expect(t, m, "set to another value", "schedutil schedutil schedutil remembered")
	for _, c := range undo(t, m) {
		if c.Err != nil {
			t.Errorf("%+v", c)
		}
	}
	expect(t, m, "undone", "powersave powersave 0")
}

// What cannot be put back stays remembered, so that it can be tried again.
func TestUndoIsRefused(t *testing.T) {
	m := laptop(t)
	set(t, m)
	changes := undo(t, refusing(m, governor1, syscall.EBUSY))
	if len(changes) != 3 || !errors.Is(changes[1].Err, syscall.EBUSY) {
		t.Errorf("%+v", changes)
	}
	expect(t, m, "undone in part", "powersave performance 0 remembered")
	if changes := undo(t, m); len(changes) != 1 || changes[0].Err != nil {
		t.Errorf("undone again: %+v", changes)
	}
	expect(t, m, "undone", "powersave powersave 0")
}

// Why: values must not be lost when the doctor is killed between noting a value and setting it, or
// when it cannot note it: then it sets nothing.
func TestInterrupted(t *testing.T) {
	m := laptop(t)
	put(t, m, stateFile, `{"boot_id": "a1b2", "values": [{"file": "`+governor0+`", "was": "powersave", "set": "performance"}]}`)
	if changes := undo(t, m); len(changes) != 1 || changes[0].Err != nil {
		t.Errorf("%+v", changes)
	}
	expect(t, m, "noted and not set", "powersave powersave 0")

	if err := os.RemoveAll(m.path("/run")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(m.path("/run"), 0o750), os.Symlink("nowhere", filepath.Dir(m.path(stateFile)))); err != nil {
		t.Fatal(err)
	}
	changes, err := m.Set()
	if err != nil || len(changes) != 3 || changes[0].Err == nil || changes[1].Err == nil || changes[2].Err == nil {
		t.Errorf("values were set that are not remembered: %+v, %v", changes, err)
	}
	expect(t, m, "nothing can be noted", "powersave powersave 0")
}

// After a restart of the machine the kernel has forgotten all values: what is remembered is old.
func TestRestart(t *testing.T) {
	m := laptop(t)
	set(t, m)
	put(t, m, bootFile, "c3d4")
	if changes := undo(t, m); len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
	expect(t, m, "restarted", "performance performance 1")
}

// A file that this program has not written is not believed: it could name any file of the kernel.
func TestCorruptState(t *testing.T) {
	for _, content := range []string{
		"", "{", "[]", `{"values": [{"file": "/proc/sys/kernel/core_pattern", "was": "x", "set": "y"}]}`,
		`{"values": [{"file": "/sys/devices/system/cpu/../../../../etc/passwd", "was": "x", "set": "y"}]}`,
		`{"values": [{"file": "` + governor0 + `", "was": "", "set": "performance"}]}`,
		`{"values": [{"file": "` + governor0 + `", "was": "a\nb", "set": "performance"}]}`,
	} {
		m := laptop(t)
		put(t, m, stateFile, content)
		_, err := m.Undo()
		_, errSet := m.Set()
		for _, err := range []error{err, errSet} {
			var broken *StateError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), m.path(stateFile)) {
				t.Errorf("%s: %v", content, err)
			}
		}
		expect(t, m, content, "powersave powersave 0 remembered")
	}
}

// A user who may not write gets the commands, and nothing is changed.
func TestWithoutRights(t *testing.T) {
	m := laptop(t)
	for i, denied := range []string{governor0, noTurbo} {
		_, err := refusing(m, denied, &fs.PathError{Op: "open", Path: denied, Err: syscall.EACCES}).Set()
		var rights *RightsError
		if !errors.As(err, &rights) || !errors.Is(err, fs.ErrPermission) {
			t.Fatalf("%s: %v", denied, err)
		}
		want := []string{"echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "echo 1 | sudo tee " + noTurbo}[i:]
		if diff := cmp.Diff(want[len(want)-1], rights.Commands[len(rights.Commands)-1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", denied, diff)
		}
		if !strings.Contains(err.Error(), "doctor --fix=steady\nor:\n  echo performance | sudo tee /sys/") {
			t.Errorf("%v", err)
		}
	}
	expect(t, m, "the second was denied", "performance performance 0 remembered")
	_, err := refusing(m, governor1, &fs.PathError{Op: "open", Path: governor1, Err: syscall.EACCES}).Undo()
	if err == nil || !strings.Contains(err.Error(), "doctor --undo\nor:\n  echo powersave | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor") {
		t.Errorf("%v", err)
	}
	undo(t, m)
	expect(t, m, "undone", "powersave powersave 0")
}

// The plan is shown with what it costs; without anything to set, why there is nothing.
func TestShow(t *testing.T) {
	m := laptop(t)
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "\n    /sys/devices/system/cpu/cpufreq/policy*/scaling_governor (2 files): powersave -> performance\n    " + noTurbo + ": 0 -> 1\nWhat it costs:\n"},
		{func() { set(t, m) }, "\n    none: all of them are set\n"},
		{func() { m = On(t.TempDir()) }, "\n    none: the kernel shows no governor"},
	} {
		step.do()
		var b strings.Builder
		if err := m.Show(&b); err != nil || !strings.Contains(b.String(), step.want) {
			t.Errorf("%v; shows:\n%s\nwant:%s", err, b.String(), step.want)
		}
	}
	if changes := set(t, m); len(changes) > 0 {
		t.Errorf("a machine without frequencies: %+v", changes)
	}
}

// A driver without the governor performance is left alone.
func TestGovernorThatIsNotThere(t *testing.T) {
	m := laptop(t)
	put(t, m, "/sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors", "powersave userspace")
	set(t, m)
	expect(t, m, "set", "powersave performance 1 remembered")
}
