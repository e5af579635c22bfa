package scratch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Tests may leave folders without permissions behind, and links. All are removed, and no
// link is followed.
func TestWhatTestsLeaveBehindIsRemoved(t *testing.T) {
	temp := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	write(t, victim, "file")
	if os.Geteuid() == 0 { // permissions do not restrict root: this thread accesses files as nobody
		const nobody = 65534
		for _, dir := range []string{temp, filepath.Dir(temp), victim, filepath.Dir(victim), filepath.Dir(filepath.Dir(victim))} {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(nobody); err != nil {
			t.Fatal(err)
		}
		defer unix.Setfsuid(0)
	}
	dir := filepath.Join(temp, "scratch")
	write(t, dir, "a/closed/file", "b/empty/", "c")
	if err := errors.Join(os.Symlink(victim, filepath.Join(dir, "a", "closed", "link")), os.Symlink(victim, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []string{"a/closed", "a", "b/empty", "b"} {
		if err := os.Chmod(filepath.Join(dir, closed), 0); err != nil {
			t.Fatal(err)
		}
	}
	parent, err := os.OpenRoot(temp)
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	folder, err := parent.OpenRoot("scratch")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	removeFolder(parent, "scratch", folder)
	if left := folders(t, temp); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
	if _, err := os.Stat(filepath.Join(victim, "file")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// A mark that is a pipe does not block, and its folder stays.
func TestMarkThatIsAPipe(t *testing.T) {
	temp := t.TempDir()
	pipe := filepath.Join(temp, prefix+"pipe")
	write(t, pipe, "precious")
	if err := syscall.Mkfifo(filepath.Join(pipe, mark), 0o600); err != nil {
		t.Fatal(err)
	}
	removeOrphans(temp)
	if _, err := os.Stat(filepath.Join(pipe, "precious")); err != nil {
		t.Errorf("a folder with a pipe for a mark was removed: %v", err)
	}
}

// If the system does not let a test program start, the error says what to do.
func TestErrorOfAProgramThatDoesNotStart(t *testing.T) {
	denied := fmt.Errorf("fork/exec /tmp/x/bin0/park.test: %w", unix.EACCES)
	for _, test := range []struct {
		name    string
		blocked bool
		err     error
		want    string
	}{
		{"noexec", true, denied, "/tmp/x/bin0: no test program can be started there, because its file system is mounted noexec: set GOTMPDIR to a folder on a file system without noexec (what tests write stays in TMPDIR)"},
		{"another rule of the system", false, denied, "fork/exec /tmp/x/bin0/park.test: permission denied: the system does not let programs be started in /tmp/x/bin0: set GOTMPDIR to a folder where it does"},
		{"another error", false, unix.ENOMEM, "cannot allocate memory"},
	} {
		if all, got := startError("/tmp/x/bin0", test.blocked, test.err); got.Error() != test.want || all != test.blocked {
			t.Errorf("%s:\n got %s (all: %v)\nwant %s", test.name, got, all, test.want)
		}
	}
}

// A folder where programs cannot be started is recognised before anything is built. It is refused
// if the user has set it, and otherwise not used.
func TestNoexec(t *testing.T) {
	const inside = "SPELL_TEST_NOEXEC"
	if dir := os.Getenv(inside); dir != "" {
		noexecInside(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoexec$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 { // may mount only in a user namespace
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.Process == nil && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC)) {
		t.Skipf("this user may not have a mount namespace: %v", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// noexecInside is TestNoexec in a mount namespace of its own, where dir becomes noexec.
func noexecInside(t *testing.T, dir string) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_NOEXEC, ""); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	if !noexec(dir) || noexec("/") {
		t.Errorf("noexec is %t for the folder, and %t for /", noexec(dir), noexec("/"))
	}
	environment(t, "TMPDIR", dir)
	const want = " no test program can be started there, because its file system is mounted noexec: set GOTMPDIR to a folder on a file system without noexec"
	if s, err := New(); err == nil {
		t.Errorf("New makes %s, want an error", s.Dir)
	} else if !strings.Contains(err.Error(), "TMPDIR="+dir+":"+want) {
		t.Errorf("the error is %v", err)
	}
	environment(t, "XDG_CACHE_HOME", dir)
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	if got := filepath.Dir(s.Dir); got != os.TempDir() {
		t.Errorf("the folder is in %s, want %s", got, os.TempDir())
	}
	file := filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	err = exec.CommandContext(t.Context(), file).Run()
	if _, got := StartError(dir, err); !strings.Contains(got.Error(), want) {
		t.Errorf("the kernel's error is not recognised: %v", got)
	}
}
