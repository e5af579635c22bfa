package content

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// On a full disk nothing half-written stays, and the error says which file system is full, how much
// was to be written, what is free, and what to do. The disk is a small one in a mount namespace.
func TestFullDisk(t *testing.T) {
	const inside = "SPELL_TEST_FULL_DISK"
	if dir := os.Getenv(inside); dir != "" {
		fullDiskInside(t, dir)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
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

// fullDiskInside is TestFullDisk in a mount namespace of its own, where dir becomes a disk of 1 MiB.
func fullDiskInside(t *testing.T, dir string) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	big := bytes.Repeat([]byte("x"), 2<<20)
	small := openStore(t, filepath.Join(dir, "store"))
	checkFull(t, "Put", small.Put(hashOf(big), int64(len(big)), bytes.NewReader(big)), dir,
		`2\.10 MB are to be written to `+small.dir+`, and \d.* are free: free space on it \(all that is in the folder can be removed while nothing is measured`)
	if left := inStore(t, small); len(left) > 0 {
		t.Errorf("the store has %s", left)
	}
	s := newStore(t)
	hash := put(t, s, string(big))
	laid, bin := filepath.Join(dir, "laid"), filepath.Join(dir, "bin")
	for _, d := range []string{laid, bin} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tree := Tree{Entries: []Entry{{Path: "f", Kind: File, Perm: 0o644, Size: int64(len(big)), Hash: hash}}}
	checkFull(t, "Lay", s.Lay(tree, laid), dir, `2\.10 MB are to be written to `+laid+`, and \d.* are free: free space on it, or choose`)
	_, err := s.Executable(hash, "program", bin)
	checkFull(t, "Executable", err, dir, `2\.10 MB are to be written to `+bin+`, and \d.* are free: free space on it, or choose`)
	for _, d := range []string{laid, bin} {
		if got := inventory(t, d); got != "" {
			t.Errorf("%s has %.200s", d, got)
		}
	}
	if !s.Has(hash) {
		t.Error("the content was removed from a store that is not full")
	}
}

func checkFull(t *testing.T, what string, err error, disk, want string) {
	t.Helper()
	pattern := regexp.MustCompile("the file system mounted at " + regexp.QuoteMeta(disk) + " is full: " + want)
	if !errors.Is(err, syscall.ENOSPC) || !pattern.MatchString(err.Error()) {
		t.Errorf("%s: %v\nwant %s", what, err, pattern)
	}
}

// A quota is not a full disk: what others have on it does not matter.
func TestQuota(t *testing.T) {
	dir := t.TempDir()
	err := explained(&os.PathError{Op: "write", Path: "f", Err: syscall.EDQUOT}, dir, 4096, "")
	if err == nil || !regexp.MustCompile("^your quota on the file system mounted at /.* is used up: 4.10 kB are to be written to "+dir+": remove files of yours there, or choose").MatchString(err.Error()) {
		t.Error(err)
	}
	other := errors.New("other")
	if got := explained(other, dir, 1, ""); !errors.Is(got, other) || got.Error() != other.Error() {
		t.Errorf("another error becomes %v", got)
	}
}
